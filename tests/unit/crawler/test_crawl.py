"""A crawl without Scrapy: whoever downloads asks for leases and gives back pages or failures."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import site_kit
from crawl_kit import topic_file

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.closing import close_crawl
from focuscrawl.crawler.crawl import Crawl, Network
from focuscrawl.crawler.endings import Ending
from focuscrawl.crawler.fetch_failure import NO_TUNNEL, FetchFailure
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.opening import open_crawl
from focuscrawl.crawler.plan import make_plan
from focuscrawl.crawler.redirects import NO_URL
from focuscrawl.crawler.summary import summary
from focuscrawl.errors import FrontierError
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.ranking.baselines import BreadthFirst
from focuscrawl.records import NO_ORIGIN, Entry, Lease, Origin, Outcome
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.topic.base import Verdict
from focuscrawl.types import Explained
from focuscrawl.wording.base import speaker

SITE = "http://lighthouses.example"
CONFIG = FocusConfig(report=False, host_backoff_s=0.0)
NOT_FOUND = FetchFailure(Outcome.REFUSED, "HTTP 404", 404)


def crawl(
    folder: Path,
    work: Callable[[Crawl], Coroutine[Any, Any, None]],
    *,
    seed: str = f"{SITE}/page/0",
    clock: Callable[[], float] = time.time,
    config: FocusConfig = CONFIG,
    **given: Any,
) -> Crawl:
    """Open a crawl in `folder`, let `work` go on with it, and close it."""
    arguments = CrawlArguments(topic=str(topic_file(folder, seed)), run=str(folder / "run"), **given)

    async def run() -> Crawl:
        plan = make_plan(arguments, config)
        made, control = await open_crawl(plan, config, Network(concurrency=4), settings={}, overrides={}, clock=clock)
        await work(made)
        await made.finish()
        await control.close()
        await close_crawl(made, "finished")
        return made

    return asyncio.run(run())


async def leases(made: Crawl) -> Lease | None:
    """Return the next lease; None at the end of the crawl."""
    while made.ending is None:
        if (lease := made.next()) is not None:
            return lease
        if not made.has_work:
            return None
        await made.news()
    return None


async def download(made: Crawl) -> None:
    """Fetch pages of the test site until the crawl ends."""
    while (lease := await leases(made)) is not None:
        fetch(made, lease)


def fetch(made: Crawl, lease: Lease) -> None:
    kind, _, number = lease.entry.url.removeprefix(f"{SITE}/").partition("/")
    if kind == "page" and number.isdecimal():
        made.page(Fetched(lease.entry.url, 200, site_kit.page(int(number)).encode(), 1.8e9, "text/html"), lease)
    else:
        made.setbacks.failed(lease, NOT_FOUND)


def rows(folder: Path) -> list[tuple[str, str]]:
    with CrawlDb.open_readonly(folder / "run" / "crawl.db") as db:
        return [(record.url.removeprefix(SITE), record.outcome) for record in db.pages()]


def test_a_crawl_goes_from_its_seed_to_its_limit(tmp_path: Path) -> None:
    made = crawl(tmp_path, download, pages=12)
    assert made.ending == Ending("budget", "12 pages")
    fetched = [url for url, outcome in rows(tmp_path) if outcome == "done"]
    assert len(fetched) == 12
    assert fetched[0] == "/page/0"
    assert made.limits.fetched == 12


def test_a_crawl_without_links_left_is_exhausted(tmp_path: Path) -> None:
    async def fail(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        made.setbacks.failed(lease, NOT_FOUND)
        assert made.page(Fetched(lease.entry.url, 200, b"", 1.8e9), lease) is None  # a lease has one end
        assert await leases(made) is None

    made = crawl(tmp_path, fail)
    assert made.ending == Ending("exhausted", "no seed could be fetched: 1 × HTTP 404", 1)
    assert rows(tmp_path) == [("/page/0", "refused")]


def test_a_host_that_fails_behind_redirects_is_left_alone_itself(tmp_path: Path) -> None:
    timed_out, dead = FetchFailure(Outcome.FAILED, "timed out", host_failed=True), "http://dead.example"

    async def work(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        fetch(made, lease)
        for number in range(2):
            lease = await leases(made)
            assert lease is not None
            assert made.setbacks.redirected(lease, f"{dead}/{number}") == "dead.example"
            made.setbacks.failed(lease, timed_out, url=f"{dead}/{number}")
        assert made.hosts.is_in_trouble("dead.example")
        assert not made.hosts.is_in_trouble("lighthouses.example")
        lease = await leases(made)
        assert lease is not None
        assert made.setbacks.redirected(lease, f"{dead}/2") is None
        await download(made)

    crawl(tmp_path, work)
    outcomes = dict(rows(tmp_path))
    assert outcomes[f"{dead}/2"] == "refused"  # asked for as a link of that host


def test_minutes_do_not_follow_the_clock_of_the_machine(tmp_path: Path) -> None:
    ahead_s = [0.0]

    async def suspended(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        ahead_s[0] = 86_400.0
        fetch(made, lease)
        await download(made)

    made = crawl(tmp_path, suspended, clock=lambda: time.time() + ahead_s[0], pages=12, minutes=5.0)
    assert made.ending == Ending("budget", "12 pages")


def test_how_often_a_page_was_put_off_is_forgotten_once_it_is_fetched(tmp_path: Path) -> None:
    not_now = FetchFailure(Outcome.FAILED, "HTTP 429", 429, wait_s=0.0)

    async def put_off(made: Crawl) -> None:
        for _ in range(5):
            lease = await leases(made)
            assert lease is not None
            assert not made.setbacks.failed(lease, not_now)
        lease = await leases(made)
        assert lease is not None
        fetch(made, lease)
        assert made.hosts.failed(lease.entry, not_now).outcome is None  # a later visit is no sixth time

    crawl(tmp_path, put_off)


def test_a_crawl_waits_for_those_who_look_for_links_beside_it(tmp_path: Path) -> None:
    async def bring_late(made: Crawl) -> None:
        await download(made)
        fetched = made.step.counters.pages
        assert made.ending is None
        entries, _ = made.step.seed_entries([f"{SITE}/page/2"])
        with made.bringing_links():
            assert made.has_work, "a sitemap may hold links"
            made.push(entries)
        await download(made)
        assert made.step.counters.pages > fetched
        assert not made.has_work
        with made.bringing_links():
            made.stop(Ending("stopped"))
            assert not made.has_work, "told to stop, a crawl waits for nobody"

    crawl(tmp_path, bring_late, seed=f"{SITE}/nothing", pages=100)


def test_a_page_that_cannot_be_processed_is_refused_and_the_crawl_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(made: Crawl) -> None:
        def broken(*_: object) -> None:
            raise ZeroDivisionError

        lease = await leases(made)
        assert lease is not None
        with monkeypatch.context() as patched:
            patched.setattr(made.step.judge, "judge", broken)
            fetch(made, lease)
        assert not made.loop.holds(lease)

    crawl(tmp_path, work)
    assert rows(tmp_path) == [("/page/0", "refused")]
    assert "could not be processed" in caplog.text


@pytest.mark.parametrize("part", ["judge", "ranker"])
def test_numbers_that_cannot_be_stored_cost_their_page_and_are_named(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad = Explained(float("nan"), {"words": object()})  # type: ignore[dict-item]

    async def work(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        with monkeypatch.context() as patched:
            if part == "judge":
                patched.setattr(made.step.judge, "judge", lambda _: Verdict(bad, 0.5, True, ""))
            else:
                patched.setattr(made.step.ranker, "rank", lambda _, links, __: [Ranked(bad, "a")] * len(links))
            fetch(made, lease)
        assert not made.loop.holds(lease)

    crawl(tmp_path, work)
    assert rows(tmp_path) == [("/page/0", "refused")]
    assert "score nan: expected a finite number" in caplog.text


def test_orders_to_a_running_crawl(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        made.orders.pause(True)
        made.orders.pause(False)
        first = await leases(made)
        assert first is not None
        fetch(made, first)
        made.orders.ban("lighthouses.example")
        assert made.setbacks.redirected(first, f"{SITE}/page/1") is None
        assert made.orders.add_seeds(["http://other.example/", "ftp://no.example/"]) == ["ftp://no.example/"]
        second = await leases(made)
        assert second is not None
        assert second.entry.url == "http://other.example/"
        assert made.setbacks.redirected(second, f"{SITE}/page/1") is None  # out of scope: the lease is settled
        assert not made.loop.holds(second)
        made.orders.set_limit("pages", 1)
        assert made.ending == Ending("budget", "1 page")
        assert await leases(made) is None

    crawl(tmp_path, work)
    ended = dict(rows(tmp_path))
    assert ended["/page/0"] == "done"
    assert ended["http://other.example/"] == "refused"


def test_delays_of_robots_txt_and_redirects_hold_a_host(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        assert not made.setbacks.raise_delay("lighthouses.example", 0.0)
        assert made.setbacks.raise_delay("lighthouses.example", 4.0)
        lease = await leases(made)
        assert lease is not None
        assert made.setbacks.redirected(lease, f"{SITE}/page/1") == "lighthouses.example"
        assert made.hosts.delay_of("lighthouses.example") == 4.0
        fetch(made, lease)

    crawl(tmp_path, work)


def queued(url: str, score: float) -> Entry:
    """Return a link as it is queued."""
    return Entry(url, url_key(url), host_of(url), score)


def test_a_redirect_counts_towards_the_delay_of_the_host_it_leads_to(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        assert made.setbacks.raise_delay("far.example", 5.0)
        lease = await leases(made)
        assert lease is not None
        assert made.setbacks.redirected(lease, "http://far.example/a") == "far.example"
        made.push([queued("http://far.example/b", 0.5), queued(f"{SITE}/page/1", 0.49)])
        other = await leases(made)
        assert other is not None
        assert other.entry.url == f"{SITE}/page/1"

    crawl(tmp_path, work)


def test_a_redirect_to_what_is_no_address_ends_the_link(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        assert made.setbacks.redirected(lease, "mailto:keeper@lighthouses.example") is None
        assert not made.loop.holds(lease)

    assert crawl(tmp_path, work).ending is not None
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        assert [(record.outcome, record.reason) for record in db.pages()] == [("refused", NO_URL)]


def test_a_host_that_fails_twice_in_a_row_is_left_alone(tmp_path: Path) -> None:
    down = FetchFailure(Outcome.FAILED, "connection refused", host_failed=True)

    async def work(made: Crawl) -> None:
        seed = await leases(made)
        assert seed is not None
        made.push([queued(f"http://down.example/{n}", 0.9) for n in range(9)])
        for _ in range(2):
            lease = await leases(made)
            assert lease is not None
            assert lease.entry.host == "down.example"
            assert not made.setbacks.failed(lease, down), "another try follows"
        made.push([queued(f"{SITE}/page/{n}", 0.1) for n in range(1, 4)])
        for _ in range(3):
            lease = await leases(made)
            assert lease is not None
            assert lease.entry.host == "lighthouses.example"

    crawl(tmp_path, work, config=FocusConfig(report=False, host_backoff_s=600.0))


def test_links_that_fail_for_another_reason_than_the_proxy_are_all_asked_for(tmp_path: Path) -> None:
    asked: list[str] = []

    async def work(made: Crawl) -> None:
        seed = await leases(made)
        assert seed is not None
        made.push([queued(f"https://old.example/{n}", 0.5) for n in range(12)])
        fetch(made, seed)
        while (lease := await leases(made)) is not None:
            asked.append(lease.entry.host)
            made.setbacks.failed(lease, NOT_FOUND)

    crawl(tmp_path, work)
    assert asked.count("old.example") == 12


def test_links_to_a_host_the_proxy_opens_no_tunnel_to_are_refused_without_a_request(tmp_path: Path) -> None:
    asked: list[str] = []

    async def work(made: Crawl) -> None:
        (seed,) = [await leases(made)]
        assert seed is not None
        body = "".join(f'<p><a href="https://closed.example/{n}">lighthouse</a>' for n in range(40))
        made.page(Fetched(seed.entry.url, 200, f"<h1>lighthouse</h1>{body}".encode(), 1.8e9, "text/html"), seed)
        while (lease := await leases(made)) is not None:
            asked.append(lease.entry.url)
            made.setbacks.failed(lease, FetchFailure(Outcome.REFUSED, NO_TUNNEL, no_tunnel=True))

    crawl(tmp_path, work)
    assert len(asked) == 7  # the links 1, 2, 3, 5, 9, 17 and 33
    refused = [url for url, outcome in rows(tmp_path) if outcome == "refused"]
    assert len(refused) == 40, "nothing is lost: each has its row"


def test_links_with_an_errback_are_asked_for_where_others_are_known_to_fail(tmp_path: Path) -> None:
    asked: list[str] = []

    async def work(made: Crawl) -> None:
        (seed,) = [await leases(made)]
        assert seed is not None
        kept = Origin(request={"errback": "sorry"})
        for number in range(12):
            url = f"https://closed.example/{number}"
            made.push([Entry(url, url_key(url), "closed.example", 0.5, origin=kept if number % 2 else NO_ORIGIN)])
        fetch(made, seed)
        while (lease := await leases(made)) is not None:
            if lease.entry.host == "closed.example":
                asked.append(lease.entry.url)
            made.setbacks.failed(lease, FetchFailure(Outcome.REFUSED, NO_TUNNEL, no_tunnel=True))

    crawl(tmp_path, work)
    assert {int(url.rpartition("/")[2]) for url in asked} >= {1, 3, 5, 7, 9, 11}
    assert len(asked) < 12


def test_only_links_end_where_a_redirect_leads_to_what_was_fetched_before(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        seed = await leases(made)
        assert seed is not None
        fetch(made, seed)
        made.orders.add_seeds([f"{SITE}/moved"])
        moved, link = await leases(made), await leases(made)
        assert moved is not None
        assert link is not None
        assert moved.entry.url == f"{SITE}/moved"
        assert made.setbacks.redirected(moved, seed.entry.url, once=True) == "lighthouses.example", "a seed"
        assert made.setbacks.redirected(link, seed.entry.url) == "lighthouses.example", "a project's own request"
        assert made.setbacks.redirected(link, seed.entry.url, once=True) is None
        assert not made.loop.holds(link)

    crawl(tmp_path, work)


@pytest.mark.parametrize("target", [f"{SITE}/page/0", "http://slow.example/", "mailto:keeper@lighthouses.example"])
def test_a_host_that_answers_with_a_redirect_is_in_no_trouble(tmp_path: Path, target: str) -> None:
    timed_out = FetchFailure(Outcome.FAILED, "timed out", host_failed=True)

    async def work(made: Crawl) -> None:
        made.setbacks.raise_delay("slow.example", 100.0)
        seed = await leases(made)
        assert seed is not None
        fetch(made, seed)
        link = await leases(made)
        assert link is not None
        for _ in range(2):
            made.hosts.failed(link.entry, timed_out)
        assert made.hosts.is_in_trouble("lighthouses.example")
        assert made.setbacks.redirected(link, target, once=True) is None  # it is not followed, or not now
        assert not made.hosts.is_in_trouble("lighthouses.example")

    crawl(tmp_path, work)


def test_the_target_of_a_redirect_to_a_slow_host_waits_in_the_queue_not_in_the_downloader(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        assert made.setbacks.raise_delay("slow.example", 1e6)
        assert made.hosts.delay_of("slow.example") == 300.0
        lease = await leases(made)
        assert lease is not None
        assert made.setbacks.redirected(lease, "http://slow.example/a", hops=2) is None
        target = await leases(made)
        assert target is not None
        assert (target.entry.url, target.entry.origin.hops) == ("http://slow.example/a", 2)
        made.setbacks.failed(target, NOT_FOUND)

    crawl(tmp_path, work)
    assert rows(tmp_path)[0] == ("/page/0", "refused")


def test_another_topic_brings_its_own_seeds_and_judge(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        first = await leases(made)
        assert first is not None
        fetch(made, first)
        spec = made.plan.spec.model_copy(update={"name": "keepers", "seeds": ("http://keepers.example/",)})
        step = await made.orders.retopic(spec)
        assert made.step is step
        assert step.counters is made.limits.counters
        urls = set()
        while "http://keepers.example/" not in urls:
            lease = await leases(made)
            assert lease is not None
            urls.add(lease.entry.url)
            made.setbacks.failed(lease, NOT_FOUND)

    crawl(tmp_path, work)


def test_an_error_of_the_frontier_ends_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(made: Crawl) -> None:
        async def full(*_: object) -> list[bool]:
            raise FrontierError("crawl.db: the disk is full.")

        lease = await leases(made)
        assert lease is not None
        with monkeypatch.context() as patched:
            patched.setattr(made.frontier, "settle", full)
            fetch(made, lease)
            while made.ending is None:
                await made.news()
        assert not made.has_work

    made = crawl(tmp_path, work)
    assert made.ending == Ending("error", "crawl.db: the disk is full.", 1)


@pytest.mark.parametrize("fault", [ZeroDivisionError, SystemExit])
def test_a_frontier_that_fails_between_pages_ends_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise fault("a fault of a plug-in")

    async def work(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        monkeypatch.setattr(made.frontier, "lease", fails)
        fetch(made, lease)
        while made.ending is None:
            await made.news()

    made = crawl(tmp_path, work)
    assert made.ending == Ending("error", f"The frontier failed: {fault.__name__}: a fault of a plug-in", 1)


@pytest.mark.parametrize(
    ("call", "what"),
    [("stats", "cannot tell how many links wait"), ("close", "cannot be closed"), ("settle", "cannot settle the last")],
)
def test_a_frontier_that_fails_at_the_end_is_a_sentence_and_the_end_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, what: str
) -> None:
    async def work(made: Crawl) -> None:
        real = getattr(made.frontier, call)

        async def fails(*given: Any) -> None:
            await real(*given)
            raise ZeroDivisionError("a fault of a plug-in")

        lease = await leases(made)
        assert lease is not None
        made.loop.close()
        monkeypatch.setattr(made.frontier, call, fails)
        fetch(made, lease)

    made = crawl(tmp_path, work)
    assert made.ending is not None
    assert made.ending.exit_code == 1
    assert made.ending.detail.startswith(f'frontier "sqlite" {what}')
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        assert "stopped" in {event.kind for event in db.events()}


def test_an_error_that_two_parts_of_a_crawl_meet_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def work(made: Crawl) -> None:
        for error in ("the crawl is lost.", "the crawl is lost.", "the disk is full."):
            made.fail(FrontierError(error))

    crawl(tmp_path, work)
    told = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert told == ["the crawl is lost.", "the disk is full."]


def test_after_an_error_the_summary_tells_what_is_in_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(made: Crawl) -> None:
        async def full(*_: object) -> list[bool]:
            raise FrontierError("crawl.db: the disk is full.")

        for _ in range(2):
            lease = await leases(made)
            assert lease is not None
            fetch(made, lease)
        while (await made.frontier.stats()).done < 2:
            await made.news()
        lease = await leases(made)
        assert lease is not None
        with monkeypatch.context() as patched:
            patched.setattr(made.frontier, "settle", full)
            fetch(made, lease)
            assert made.step.counters.pages == 3
            while made.ending is None:
                await made.news()

    made = crawl(tmp_path, work)
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        counts, relevant = db.counts(), sum(record.relevant for record in db.pages())
        assert not db.states(), "the third page comes again, and would be learned from twice"
    progress = made.step.counters.progress()
    assert (progress.pages, progress.relevant, made.loop.queued) == (2, relevant, counts["queued"])
    said = summary(made, speaker("en"), go_on=("focuscrawl crawl --run ", ""))
    assert "2 pages of 1 host" in said


def test_links_queued_before_a_trap_was_seen_through_are_dropped(tmp_path: Path) -> None:
    async def work(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        fetch(made, lease)
        for number in range(5_000):  # what other links of the same pattern have cost
            made.step.budgets.fetched(f"{SITE}/page/{number}", lease.entry.host, found=False)
        while (lease := await leases(made)) is not None:
            assert "/page/" not in lease.entry.url
            fetch(made, lease)

    crawl(tmp_path, work)
    outcomes = dict(rows(tmp_path))
    assert outcomes.pop("/page/0") == "done"
    assert {outcome for url, outcome in outcomes.items() if url.startswith("/page/")} == {"refused"}


@pytest.mark.parametrize("fault", [ZeroDivisionError("a fault of a plug-in"), SystemExit(3), KeyboardInterrupt()])
def test_a_page_whose_ranker_fails_counts_as_no_page_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    real = BreadthFirst.rank

    def rank(self: BreadthFirst, judged: Judged, links: Any, scores: Any) -> Any:
        if judged.page.url.endswith("/page/3"):
            raise fault
        return real(self, judged, links, scores)

    monkeypatch.setattr(BreadthFirst, "rank", rank)
    made = crawl(tmp_path, download, seed=f"{SITE}/page/3", strategy="breadth-first")
    counters = made.step.counters
    assert (counters.pages, counters.relevant, counters.stored) == (0, 0, 0)
    assert counters.progress().failed == 1
    assert not made.step.texts.near.signature(url_key(f"{SITE}/page/3"))


@pytest.mark.parametrize(
    ("hook", "changes"),
    [("rescored", None), ("offsets", None), ("offsets", {"lighthouses.example": float("nan")})],
)
def test_a_page_over_whose_changes_a_strategy_fails_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hook: str, changes: object
) -> None:
    calls = 0

    def fails(*_: object) -> Any:
        nonlocal calls
        calls += 1
        if calls != 2:
            return {}
        if changes is None:
            raise ZeroDivisionError("a fault of a plug-in")
        return changes

    monkeypatch.setattr(BreadthFirst, hook, fails)
    made = crawl(tmp_path, download, strategy="breadth-first", pages=9)
    assert made.error is None
    progress = made.step.counters.progress()
    assert (progress.pages, progress.failed) == (9, 1)
    assert Counter(outcome for _, outcome in rows(tmp_path)) == {"done": 9, "refused": 1}


@pytest.mark.parametrize(
    ("hook", "state", "said"),
    [
        ("snapshot", ZeroDivisionError("a fault of a plug-in"), "what was learned cannot be saved"),
        ("journal", 7, "what was learned cannot be saved"),
        ("snapshot", 7, "what the ranker has learned cannot be saved: expected a mapping, found int"),
        ("snapshot", {"seen": {1, 2}}, "what the ranker has learned cannot be saved: set is not JSON-safe: {1, 2}"),
    ],
)
@pytest.mark.parametrize("pages", [1, 9])  # saved at the end only, and before
def test_what_a_strategy_cannot_save_costs_no_page_and_the_end_is_noted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    hook: str,
    state: object,
    said: str,
    pages: int,
) -> None:
    def saved(*_: object) -> Any:
        if isinstance(state, Exception):
            raise state
        return state

    monkeypatch.setattr(BreadthFirst, hook, saved)
    monkeypatch.setattr("focuscrawl.crawler.step._SNAPSHOT_PAGES", 2)
    made = crawl(tmp_path, download, strategy="breadth-first", pages=pages)
    assert made.error is None
    assert Counter(outcome for _, outcome in rows(tmp_path)) == {"done": pages}
    assert any(message.startswith(said) for message in caplog.messages)
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        assert "stopped" in {event.kind for event in db.events()}


def test_a_strategy_that_fails_over_a_link_that_is_to_wait_loses_no_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("a fault of a plug-in")

    async def work(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        fetch(made, lease)
        with monkeypatch.context() as patched:
            patched.setattr(BreadthFirst, "set_aside", fails)
            patched.setattr(made.step.budgets, "held_back", lambda *_, **__: "a budget is spent")
            lease = await leases(made)  # all wait, so the best of them comes in the end
        assert lease is not None
        fetch(made, lease)
        await download(made)
        assert made.loop.in_flight == 0

    made = crawl(tmp_path, work, strategy="breadth-first", pages=12)
    assert made.error is None
    assert "the strategy failed over http://lighthouses.example/page/" in caplog.text
    assert made.limits.fetched == 12


@pytest.mark.parametrize("hook", ["missed", "offsets", "rescored"])
@pytest.mark.parametrize("fault", [ZeroDivisionError, SystemExit])
def test_a_strategy_that_fails_over_a_fetch_without_a_page_loses_no_lease(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    hook: str,
    fault: type[BaseException],
) -> None:
    def fails(*_: object) -> None:
        raise fault("a fault of a plug-in")

    monkeypatch.setattr(BreadthFirst, hook, fails)

    async def work(made: Crawl) -> None:
        lease = await leases(made)
        assert lease is not None
        made.setbacks.failed(lease, NOT_FOUND)
        assert made.loop.in_flight == 0
        made.push([replace(lease.entry, url=f"{SITE}/page/1", key=url_key(f"{SITE}/page/1"))])
        await download(made)

    made = crawl(tmp_path, work, strategy="breadth-first")
    assert made.error is None
    assert "the strategy failed over http://lighthouses.example/page/0" in caplog.text
    assert ("/page/0", "refused") in rows(tmp_path)
