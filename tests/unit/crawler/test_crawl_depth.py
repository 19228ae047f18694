"""How deep a crawl goes, and that long listings are no depth."""

from __future__ import annotations

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease, Origin
from focuscrawl.topic.spec import TopicSpec

SITE = "http://canal.example"
MAX_DEPTH = 3


def made_step() -> PageStep:
    spec = {"name": "locks", "terms": {"lock": 1.0, "gate": 0.8}, "scope": {"max_depth": MAX_DEPTH}}
    return build_step(TopicSpec.model_validate(spec))


def follow(step: PageStep, entry: Entry, *paths: str) -> dict[str, Entry]:
    """Process a page with links to `paths`; return what was found, by path."""
    links = "".join(f'<p><a href="{path}">Lock {path}</a></p>' for path in paths)
    body = f"<title>Lock {entry.url}</title><p>The gate of the lock.</p>{links}".encode()
    lease = Lease(entry, token=1, expires_at=0.0, attempt=1, priority=1.0)
    found = step.process(Fetched(entry.url, 200, body, 1_700_000_000.0, "text/html"), lease).settlement.found
    return {one.url.removeprefix(SITE): one for one in found}


def seed(path: str) -> Entry:
    return Entry(SITE + path, url_key(SITE + path), host_of(SITE), 1.0)


def test_a_listing_is_walked_to_its_end_however_long_it_is() -> None:
    step, at = made_step(), seed("/locks/")
    for number in range(2, 30):
        at = follow(step, at, f"/locks/page/{number}")[f"/locks/page/{number}"]
        assert at.depth == number - 1  # links from the seed, as ever
    below = follow(step, at, "/lock/a")["/lock/a"]
    below = follow(step, below, "/lock/b")["/lock/b"]
    last = follow(step, below, "/lock/c")["/lock/c"]
    assert last.depth == 31
    assert follow(step, last, "/lock/d") == {}


def test_other_links_count() -> None:
    step, at = made_step(), seed("/a/page/1")
    for path in ("/b/page/2", "/c/page/2", "/d/page/3"):  # numbered pages, but of other listings
        at = follow(step, at, path)[path]
    assert follow(step, at, "/e/page/4") == {}


def test_what_an_entry_says_of_its_way_is_not_believed_beyond_its_depth() -> None:
    entry = Entry(
        f"{SITE}/x", url_key(f"{SITE}/x"), host_of(SITE), 1.0, depth=MAX_DEPTH, origin=Origin(pagination_steps=1000)
    )
    assert follow(made_step(), entry, "/y") == {}
