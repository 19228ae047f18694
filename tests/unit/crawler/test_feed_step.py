"""Feeds in a crawl, without a network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.feed_step import FeedStep
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.scope import Budgets
from focuscrawl.extraction.template_store import TemplateStore
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease, Origin, Outcome
from focuscrawl.topic.spec import TopicSpec

FEED_URL = "https://bees.example/feed.xml"


def feed_body(count: int, *, text: str = "The hive hums.") -> bytes:
    items = "".join(
        f"<item><title>Hive {n}</title><link>/hive/{n}?utm_source=rss</link><description>{text} {n}</description>"
        f"<pubDate>Mon, {n % 28 + 1:02d} Jan 2024 10:00:00 GMT</pubDate></item>"
        for n in range(count)
    )
    return f"<rss><channel><title>Bees</title>{items}</channel></rss>".encode()


def lease(url: str, *, depth: int = 0) -> Lease:
    entry = Entry(url, url_key(url), host_of(url), 1.0, depth=depth)
    return Lease(entry, token=1, expires_at=0.0, attempt=1, priority=1.0)


def answer(url: str, body: bytes) -> Fetched:
    return Fetched(url, 200, body, 1_700_000_000.0, "application/xml")


@pytest.fixture
def feeds() -> FeedStep:
    return made()


def made(*, by_topic: bool = False, folder: Path | None = None) -> FeedStep:
    spec = TopicSpec.model_validate(
        {
            "name": "bees",
            "terms": {"hive": 1.0, "honey": 0.8},
            "scope": {"deny_hosts": ["ads.example"]},
            "ranking": {"strategy": "breadth-first"},
        }
    )
    return FeedStep(build_step(spec), TemplateStore(folder), by_topic=by_topic)


def test_a_feed_gives_its_entries_newest_first_and_a_row(feeds: FeedStep) -> None:
    result = feeds.process(answer(FEED_URL, feed_body(4)), lease(FEED_URL))
    found = result.settlement.found
    assert [entry.url for entry in found] == [f"https://bees.example/hive/{n}" for n in (3, 2, 1, 0)]
    assert [entry.score for entry in found] == sorted([entry.score for entry in found], reverse=True)
    assert (found[0].score, found[-1].score) == (1.0, 0.5)
    assert {entry.depth for entry in found} == {1}
    assert found[0].origin.anchor == "Hive 3"
    assert result.settlement.outcome == Outcome.DONE
    assert (result.record.title, result.record.feed, result.record.reason) == ("Bees", True, "a feed of 4 entries")
    assert not result.item_wanted
    assert feeds.store.feeds[FEED_URL].entries == 4


def test_the_row_of_a_feed_of_one_entry_says_so(feeds: FeedStep) -> None:
    result = feeds.process(answer(FEED_URL, feed_body(1)), lease(FEED_URL))
    assert result.record.reason == "a feed of 1 entry"


def test_a_feed_counts_as_a_page_without_a_find_however_often_it_is_read(feeds: FeedStep) -> None:
    feeds.step.budgets = budgets = Budgets(per_host=2, per_pattern=0)
    for text in ("The hive hums.", "The hive sleeps.", "The hive wakes."):
        feeds.process(answer(FEED_URL, feed_body(2, text=text)), lease(FEED_URL))
    assert budgets.spent(FEED_URL, "bees.example")[0] == 0
    other = FEED_URL.replace("feed", "other")
    feeds.process(answer(other, feed_body(2)), lease(other))
    assert budgets.spent(FEED_URL, "bees.example")[0] == 1


def test_a_run_that_goes_on_knows_the_feeds_it_has_read(feeds: FeedStep) -> None:
    row = feeds.process(answer(FEED_URL, feed_body(2)), lease(FEED_URL)).record
    again = made()
    again.step.restore({}, [row])
    again.step.budgets = budgets = Budgets(per_host=1, per_pattern=0)
    again.process(answer(FEED_URL, feed_body(3)), lease(FEED_URL))
    assert budgets.spent(FEED_URL, "bees.example")[0] == 0  # counted with the rows
    listed = lease("https://bees.example/other.xml", depth=1)
    origin = Origin(parent=row.key, parent_url=FEED_URL)
    listed = replace(listed, entry=replace(listed.entry, origin=origin))
    event = again.process(answer(listed.entry.url, feed_body(1)), listed).settlement.event
    assert event is not None
    assert event.repeats


@pytest.mark.parametrize(
    ("by_topic", "depth", "origin", "spoken_for"),
    [
        (True, 2, Origin(parent=1, parent_url="https://shoes.example/"), False),
        (True, 2, Origin(parent=1, parent_url="https://bees.example/"), False),  # anybody may set a link there
        (True, 2, Origin(parent=1, parent_url="https://bees.example/", feed=True), True),  # the site announced it
        (True, 0, Origin(), True),  # the user named it
        (False, 1, Origin(parent=1, parent_url="https://planet.example/", feed=True), True),
        (False, 2, Origin(parent=1, parent_url="https://shoes.example/feed"), False),
    ],
)
def test_a_feed_speaks_for_pages_of_its_own_site_only(
    by_topic: bool, depth: int, origin: Origin, spoken_for: bool
) -> None:
    feeds, url, page = made(by_topic=by_topic), "https://shoes.example/feed", "https://bees.example/hive/0"
    body = feed_body(3, text="Cheap shoes and socks for the whole family, sent by post. " * 9)
    given = replace(lease(url, depth=depth).entry, origin=origin)
    asked = replace(lease(url), entry=given)
    result = feeds.process(answer(url, body.replace(b"/hive", b"https://bees.example/hive")), asked)
    assert len(result.settlement.found) == 3  # its links are followed in any case
    assert feeds.store.has_feed_of(page) is spoken_for


def test_entries_out_of_scope_are_left_out(feeds: FeedStep) -> None:
    body = feed_body(1).replace(b"/hive/0", b"https://ads.example/x")
    assert feeds.process(answer(FEED_URL, body), lease(FEED_URL)).settlement.found == []


def test_a_broken_feed_is_a_row_with_the_reason(feeds: FeedStep) -> None:
    result = feeds.process(answer(FEED_URL, b"<rss><channel>"), lease(FEED_URL))
    assert (result.record.feed, result.record.reason) == (True, "a feed: no entry with a link")
    assert feeds.store.feeds == {}


def test_links_of_a_page_are_not_followed_but_the_feeds_of_a_seed_are(feeds: FeedStep) -> None:
    head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml" title="All">'
    page = f"<html><head>{head}</head><body><p>A hive.</p><a href=/about>About</a></body></html>".encode()
    seed = feeds.process(answer("https://bees.example/", page), lease("https://bees.example/"))
    assert [(entry.url, entry.origin.feed) for entry in seed.settlement.found] == [(FEED_URL, True)]
    deeper = feeds.process(answer("https://bees.example/a", page), lease("https://bees.example/a", depth=1))
    assert deeper.settlement.found == []


def test_in_a_focused_crawl_entries_go_by_their_similarity_to_the_topic() -> None:
    step = made(by_topic=True)
    body = feed_body(2).replace(b"Hive 1", b"News").replace(b"The hive hums. 1", b"The council met on Monday.")
    result = step.feed(answer(FEED_URL, body), lease(FEED_URL))
    assert result is not None
    scores = {entry.url.rpartition("/")[2]: entry.score for entry in result.settlement.found}
    assert scores["0"] > scores["1"] >= 0.0


def test_a_page_is_no_feed(feeds: FeedStep) -> None:
    url = "https://bees.example/"
    assert feeds.feed(answer(url, b"<html><body>&lt;rss> is a format</body></html>"), lease(url)) is None


def test_a_feed_read_again_lists_what_the_frontier_may_know(feeds: FeedStep) -> None:
    assert len(feeds.read_again(answer(FEED_URL, feed_body(3)), FEED_URL)) == 3
    assert feeds.read_again(answer(FEED_URL, b"<rss></rss>"), FEED_URL) == []
    assert len(feeds.store.feeds) == 1


@pytest.mark.parametrize("depth", [1, 2])
def test_a_feed_read_again_speaks_for_the_pages_it_spoke_for_before(tmp_path: Path, depth: int) -> None:
    url, page = "https://shoes.example/feed", "https://bees.example/hive/0"
    body = feed_body(3)
    earlier = made(folder=tmp_path)
    earlier.process(answer(url, body), lease(url, depth=depth))
    earlier.store.save()
    later = made(folder=tmp_path)
    later.store.load()
    moved = answer("https://new.shoes.example/feed", body.replace(b"/hive", b"https://bees.example/hive"))
    assert len(later.read_again(moved, url)) == 3
    assert later.store.has_feed_of(page) is (depth == 1)  # the user named it, or a page that did


def page_of(number: int, *, about: str = "The hive hums and the honey flows", feeds: int = 1) -> bytes:
    heads = "".join(
        f"<link rel=alternate type=application/rss+xml href=/feed{at or ''}.xml title='All {at}'>"
        for at in range(feeds)
    )
    body = f"<p>{about} {number}. {'bee ' * number}</p>"
    return f"<html><head><title>{about.split()[1]} {number}</title>{heads}</head><body>{body}</body>".encode()


def followed(step: FeedStep, number: int, *, host: str = "bees.example", **options: object) -> list[str]:
    url = f"https://{host}/hive/{number}"
    found = step.follow(answer(url, page_of(number, **options)), lease(url, depth=2)).settlement.found  # type: ignore[arg-type]
    return [entry.url for entry in found if entry.origin.feed]


def test_a_focused_crawl_reads_the_feed_of_a_host_that_pays_once() -> None:
    step = made(by_topic=True)
    assert [followed(step, number) for number in range(5)] == [[], [], [FEED_URL], [], []]
    url = "https://bees.example/hive/9"
    (queued,) = step.follow(answer(url.replace("9", "3"), page_of(3)), lease(url)).settlement.found or [None]
    assert queued is None  # asked already, and the page has no links


def test_a_host_is_asked_for_two_feeds_and_none_of_comments() -> None:
    step = made(by_topic=True)
    found = [feed for number in range(6) for feed in followed(step, number, feeds=4)]
    assert found == [FEED_URL, "https://bees.example/feed1.xml"]
    comments = made(by_topic=True)
    for number in range(4):
        url = f"https://hum.example/hive/{number}"
        body = page_of(number).replace(b"/feed.xml", b"/comments/feed")
        assert comments.follow(answer(url, body), lease(url)).settlement.found == []


def test_pages_off_the_topic_do_not_pay_for_a_feed() -> None:
    step = made(by_topic=True)
    for number in range(6):
        url = f"https://town.example/council/{number}"
        body = page_of(number, about="The council met on Monday in the town hall").replace(b"bee ", b"vote ")
        result = step.follow(answer(url, body), lease(url))
        assert not result.record.relevant
        assert result.settlement.found == []


def test_a_feed_waits_with_the_score_of_the_page_that_announced_it() -> None:
    step = made(by_topic=True)
    results = [
        step.follow(answer(f"https://bees.example/{n}", page_of(n)), lease(f"https://bees.example/{n}"))
        for n in range(3)
    ]
    (feed,) = results[2].settlement.found
    assert (feed.url, feed.score, feed.host, feed.depth) == (FEED_URL, 1.0, "bees.example", 1)


def test_pages_of_a_feed_met_in_a_focused_crawl_are_read_with_its_template() -> None:
    step = made(by_topic=True)
    texts = [
        f"The hive hums in the {season}, and the keeper counts the honey of frame {n}."
        for n, season in enumerate(("spring", "summer", "autumn", "winter", "first frost"))
    ]
    items = "".join(
        f"<item><title>Hive {n}</title><link>/hive/{n}</link><description>{text}</description></item>"
        for n, text in enumerate(texts)
    )
    step.follow(answer(FEED_URL, f"<rss><channel>{items}</channel></rss>".encode()), lease(FEED_URL))
    methods = []
    for n, text in enumerate(texts):
        url = f"https://bees.example/hive/{n}"
        text = f"<div id=t><h1>Hive {n}</h1><p>{text} {text}</p></div>"
        body = f"<body><ul><li>Honey of the week: hive {n}</li></ul>{text}</body>"
        methods.append(step.follow(answer(url, body.encode()), lease(url)).record.extractor)
    assert methods[-2:] == ["feed_template"] * 2


def test_an_error_page_in_the_place_of_an_entry_is_stored_without_text_and_says_why() -> None:
    step = made(by_topic=True)
    text = (
        "The keeper counts frames, weighs the supers, and writes down what each colony has gathered since the spring."
    )
    item = f"<item><title>Weighing day</title><link>/weighing</link><description>{text}</description></item>"
    step.follow(answer(FEED_URL, f"<rss><channel>{item}</channel></rss>".encode()), lease(FEED_URL))
    gone = b"<title>Hive honey</title><body><h1>Hive: not found</h1><p>No honey here.</p></body>"
    record = step.follow(answer("https://bees.example/weighing", gone), lease("https://bees.example/weighing")).record
    assert record.relevant
    assert record.text == ""
    assert "of the words of its feed entry" in record.reason
