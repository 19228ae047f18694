"""The files of a crawl: one crawl a folder; of a worker, rows before the frontier is told, and what becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from crawl_kit import topic_file
from redis_kit import RedisServer

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.plan import make_plan
from focuscrawl.crawler.recovery import recover
from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.errors import ConfigError, FrontierError
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.records import Entry, Lease, Outcome, PageRecord, Settlement
from focuscrawl.storage.base import Answer
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.link_metadata import LinkMetadata
from focuscrawl.storage.run_settings import STOPPED
from focuscrawl.storage.unsettled import earlier_worker

if TYPE_CHECKING:
    from conftest import Clock

_crawls = count()


def settlement(key: int, token: int = 1) -> Settlement:
    url = f"http://a.example/{key}"
    record = PageRecord(key, url, url, "a.example", float(token), 200, title="t", text="x", relevant=True)
    return Settlement(Lease(Entry(url, key, "a.example", 0.5), token, 9.0, 1, 0.5), Outcome.DONE, record=record)


@pytest.fixture
def make(tmp_path: Path) -> Callable[[], RunOutput]:
    """Return what makes the files of a worker in the same run folder, as its next start would."""
    topic = topic_file(tmp_path, "http://a.example/")
    config = FocusConfig(frontier_url="redis://127.0.0.1:1/0", report=False)

    def files() -> RunOutput:
        plan = make_plan(CrawlArguments(topic=str(topic), run=str(tmp_path / "run")), config)
        files = RunOutput(plan, config)
        files.open(plan.step, overrides={})
        return files

    return files


def rows(files: RunOutput) -> list[int]:
    with CrawlDb.open_readonly(files.folder.db) as db:
        return [record.key for record in db.pages()]


def test_lines_follow_the_answer_and_a_late_page_leaves_nothing(make: Callable[[], RunOutput]) -> None:
    files = make()
    files.begin(files.plan.step, overrides={}, worker="w", epoch="e")
    batch = [settlement(1), settlement(2)]
    files.keep(batch)
    assert rows(files) == [1, 2]
    assert not files.acknowledged
    assert files.folder.pages_jsonl.read_bytes() == b""
    files.settled(batch, [True, False])
    assert files.acknowledged
    assert rows(files) == [1]
    assert files.folder.pages_jsonl.read_bytes().count(b"\n") == 1
    files.close("stopped", "", LinkMetadata())


def test_an_answer_that_cannot_be_written_is_kept_for_the_end(make: Callable[[], RunOutput]) -> None:
    files = make()
    files.begin(files.plan.step, overrides={}, worker="w", epoch="e")
    files.keep([settlement(1), settlement(2)])
    assert files._pages is not None
    files._pages.connection.execute("PRAGMA query_only = ON")  # fails as a full disk would
    with pytest.raises(FrontierError):
        files.settled([settlement(1), settlement(2)], [False, True])
    with pytest.raises(FrontierError):
        files.acknowledge()
    assert not files.acknowledged  # so the frontier has to remember it
    files._pages.connection.execute("PRAGMA query_only = OFF")
    files.acknowledge()
    assert files.acknowledged
    assert rows(files) == [2]
    files.close("error", "", LinkMetadata())


def test_a_run_that_goes_on_restores_and_writes_what_the_frontier_knows(make: Callable[[], RunOutput]) -> None:
    files = make()
    files.begin(files.plan.step, overrides={}, worker="old", epoch="e")
    files.keep([settlement(1), settlement(2)])
    files.abandon()  # as by a kill: nobody takes the answer
    again = make()
    earlier = again.earlier
    assert earlier is not None
    assert (earlier.name, earlier.last) == ("old", (1, 1))
    step = again.plan.step
    again.begin(step, overrides={}, worker="new", epoch="e", settled=[False, True])
    assert rows(again) == [2]
    assert (step.counters.pages, step.counters.relevant) == (1, 1)
    lines = again.folder.pages_jsonl.read_text("utf-8").splitlines()
    assert len(lines) == 1
    assert '"url": "http://a.example/2"' in lines[0]
    again.close("stopped", "", LinkMetadata())


def test_a_state_that_cannot_be_saved_hides_neither_the_end_nor_the_report(
    make: Callable[[], RunOutput], caplog: pytest.LogCaptureFixture
) -> None:
    files = make()
    files.begin(files.plan.step, overrides={}, worker="w", epoch="e")
    files.config = files.config.model_copy(update={"report": True})
    files.close("stopped", "by hand", LinkMetadata(), learned={"ranker": {"words": {1, 2}}})
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == [
        "what the ranker has learned cannot be saved: set is not JSON-safe: {1, 2}"
    ]
    with CrawlDb.open_readonly(files.folder.db) as db:
        assert [event.data for event in db.events() if event.kind == STOPPED] == [
            {"reason": "stopped", "detail": "by hand"}
        ]
    assert files.report_written


def test_the_run_of_a_worker_does_not_go_on_alone(make: Callable[[], RunOutput]) -> None:
    files = make()
    files.begin(files.plan.step, overrides={}, worker="w", epoch="e")
    files.close("stopped", "", LinkMetadata())
    config = FocusConfig(report=False)
    plan = make_plan(CrawlArguments(run=str(files.folder.path)), config)
    alone = RunOutput(plan, config)
    with pytest.raises(ConfigError, match=r"the run of one worker of a fleet.*-s FOCUSCRAWL_FRONTIER_URL="):
        alone.open(plan.step, overrides={})
    alone.abandon()
    assert files.folder.db.is_file()
    again = make()
    assert again.earlier is not None
    again.abandon()


def test_a_start_that_is_refused_spoils_nothing_of_the_crawl_in_the_folder(tmp_path: Path) -> None:
    topic = topic_file(tmp_path, "http://a.example/")
    config = FocusConfig(stores=("jsonl", "warc"), report=False)
    plans = [make_plan(CrawlArguments(topic=str(topic), run=str(tmp_path / "run")), config) for _ in range(2)]
    running, refused = (RunOutput(plan, config) for plan in plans)
    running.open(running.plan.step, overrides={})
    assert running.stores is not None
    record = settlement(1).record
    assert record is not None
    running.stores.archive([Answer(record, record.url, 200, (("Content-Type", "text/html"),), b"<p>x</p>")])
    with closing(CrawlDb.open(running.folder.db)):  # as its frontier does
        files = {path.relative_to(tmp_path): path.stat().st_ino for path in sorted((tmp_path / "run").rglob("*"))}
        assert sum(path.name.endswith(".warc.gz.open") for path in files) == 1
        with pytest.raises(FrontierError, match="is crawling in this run folder"):
            refused.open(refused.plan.step, overrides={})
        refused.abandon()
        assert {path.relative_to(tmp_path): path.stat().st_ino for path in (tmp_path / "run").rglob("*")} == files
    running.close("stopped", "", LinkMetadata())
    assert [path.suffix for path in (tmp_path / "run" / "archive").iterdir()] == [".gz"]


def test_the_run_of_a_worker_does_not_go_on_in_another_crawl(make: Callable[[], RunOutput]) -> None:
    files = make()
    files.begin(files.plan.step, overrides={}, worker="w", epoch="e")
    files.close("stopped", "", LinkMetadata())
    config = FocusConfig(frontier_url="redis://127.0.0.1:1/0", crawl="fresh", report=False)
    plan = make_plan(CrawlArguments(run=str(files.folder.path)), config)
    other = RunOutput(plan, config)
    with pytest.raises(ConfigError, match=r'crawl "lighthouses", not of "fresh"; go on with -s FOCUSCRAWL_CRAWL=light'):
        other.open(plan.step, overrides={})
    other.abandon()
    again = make()
    earlier = again.earlier
    assert earlier is not None
    assert (earlier.name, earlier.crawl) == ("w", "lighthouses")
    again.abandon()


def test_rows_stay_when_the_crawl_was_begun_anew(
    make: Callable[[], RunOutput], redis_server: RedisServer, clock: Clock
) -> None:
    async def test() -> None:
        crawl = f"run files {next(_crawls)}"
        files = make()
        frontier = RedisFrontier(redis_server.url, crawl=crawl, clock=clock)
        await frontier.open()
        await recover(files, frontier, files.plan.step, overrides={})
        await frontier.push([Entry(f"http://a.example/{n}", n, "a.example", 0.5) for n in (1, 2)])
        one, two = await frontier.lease(2, worker="", per_host=9, lease_s=60.0)
        batch = [settlement(lease.entry.key, lease.token) for lease in (one, two)]
        files.keep(batch)
        files.abandon()
        await frontier._opened().close()

        # Redis came back empty, or another crawl was begun under this name: nobody there knows of these pages.
        again = make()
        other = RedisFrontier(redis_server.url, crawl=f"{crawl}, another", clock=clock)
        await other.open()
        await recover(again, other, again.plan.step, overrides={})
        assert rows(again) == [1, 2]
        with CrawlDb.open_readonly(again.folder.db) as db:
            left = earlier_worker(db)
        assert left is not None
        assert (left.name, left.epoch, left.unsettled) == (other.worker, other.epoch, ())
        again.close("stopped", "", LinkMetadata())
        await other.close()

    asyncio.run(test())


def test_a_lease_that_ran_out_leaves_its_row_to_the_next_holder(
    make: Callable[[], RunOutput], redis_server: RedisServer, clock: Clock
) -> None:
    async def test() -> None:
        crawl = f"run files {next(_crawls)}"
        files = make()
        slow, other = (RedisFrontier(redis_server.url, crawl=crawl, clock=clock) for _ in range(2))
        await slow.open()
        await other.open()
        await recover(files, slow, files.plan.step, overrides={})
        await slow.push([Entry("http://a.example/1", 1, "a.example", 0.5)])
        (late,) = await slow.lease(1, worker="", per_host=9, lease_s=60.0)
        clock.advance(61.0)
        await other.reap()
        (valid,) = await other.lease(1, worker="", per_host=9, lease_s=60.0)
        batch = [settlement(1, late.token)]
        files.keep(batch)
        files.settled(batch, await slow.settle([Settlement(late, Outcome.DONE)]))
        assert rows(files) == []
        assert await other.settle([Settlement(valid, Outcome.DONE)]) == [True]
        files.close("stopped", "", LinkMetadata())
        await slow.close()
        await other.close()

    asyncio.run(test())
