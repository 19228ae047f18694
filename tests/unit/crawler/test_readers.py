"""Pages read in other processes: the same records as from one, whatever happens to those processes."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import site_kit

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.feed_step import FeedStep
from focuscrawl.crawler.fetched import Fetched, Made
from focuscrawl.crawler.read_page import ReadPage, Wanted
from focuscrawl.crawler.readers import PageReaders, ReaderError, ReadersClosedError, takes
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_options import StepOptions
from focuscrawl.crawler.watchdog import TOO_SLOW, TooSlowError
from focuscrawl.errors import ConfigError
from focuscrawl.extraction.template_store import TemplateStore
from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.records import Entry, Lease, Origin
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.visits import Earlier

HOST = "http://lighthouses.example"
SPEC = TopicSpec.model_validate(
    {
        "name": "lighthouses",
        "terms": {"lighthouse": 1.0, "lamp": 0.8, "keeper": 0.8, "灯塔": 1.0},
        "judge": {"name": "vsm", "threshold": 0.7},
    }
)
LICENSED = site_kit.page(3).replace("<body>", '<body><a rel=license href="/licence">free to use</a>')
NEAR_MISS = "<title>Harbours</title><p>" + "The harbour has boats and a market for fish and nets. " * 4 + "A lamp.</p>"
CHINESE = "<title>灯塔</title><h1>灯塔的灯</h1><p>守塔人每天晚上点亮灯塔的灯，让远处的船看见海岸。</p>" * 3
FAULTY = """
import os
import time

from focuscrawl.extraction.blocks import BlocksExtractor


class Faulty(BlocksExtractor):
    def extract(self, page):
        if page.url.endswith("/raises"):
            raise ZeroDivisionError("a fault of a plug-in")
        if page.url.endswith("/ends"):
            os._exit(3)
        while page.url.endswith("/spins"):
            pass
        print("what a plug-in prints is no answer")
        return super().extract(page)
"""


def answer(path: str, body: str | bytes = "", **given: object) -> Fetched:
    url = f"{HOST}{path}"
    data = body.encode() if isinstance(body, str) else body
    return Fetched(url, 200, data or site_kit.page(3).encode(), 1_700_000_000.0, "text/html", **given)  # type: ignore[arg-type]


def lease_of(fetched: Fetched) -> Lease:
    url = normalize_url(fetched.url, fetched.url) or fetched.url
    return Lease(Entry(url, url_key(url), host_of(url), 1.0), token=1, expires_at=0.0, attempt=1, priority=1.0)


@contextmanager
def reading(step: PageStep, *, extractor: str = "router", cpu_s: float = 10.0) -> Iterator[PageReaders]:
    readers = PageReaders(1, extractor, cpu_s=cpu_s)
    readers.use(step, SPEC)
    try:
        yield readers
    finally:
        readers.close()


def read(readers: PageReaders, step: PageStep, *answers: Fetched) -> list[ReadPage]:
    async def run() -> list[ReadPage]:
        return await asyncio.gather(*[readers.read(step, fetched) for fetched in answers])

    return asyncio.run(run())


def process_id(readers: PageReaders) -> int:
    (process,) = readers.process_ids
    return process


def test_records_and_links_are_those_of_one_process() -> None:
    rendered = Made(site_kit.page(6).encode(), b"<script>", "text/html", rendered=True)
    header = (("X-Robots-Tag", "noindex"),)
    answers = [
        *[answer(f"/page/{n}", site_kit.page(n)) for n in range(12)],
        answer("/licensed", LICENSED),
        answer("/chinese", f"<meta charset=gb18030>{CHINESE}".encode("gb18030")),
        answer("/near", NEAR_MISS),
        answer("/empty", " "),
        answer("/picture", b"\x89PNG\r\n"),
        answer("/rendered", rendered.html, made=rendered),
        answer("/hidden", site_kit.page(9), headers=header),
    ]
    choices = StepChoices(options=StepOptions(markdown=True))
    here, step = build_step(SPEC, choices=choices), build_step(SPEC, choices=choices)
    with reading(step) as readers:
        found = read(readers, step, *answers)
    for fetched, elsewhere in zip(answers, found, strict=True):
        one = here.process(fetched, lease_of(fetched))
        other = step.process(replace(fetched, read=elsewhere), lease_of(fetched))
        assert other == one
        assert elsewhere.page.tree is None
        assert other.record.relevant == (elsewhere.wanted is Wanted.MAIN or not elsewhere.may_store)
    records = {one.analysis.url.removeprefix(HOST): one for one in found}
    assert records["/licensed"].licence == f"{HOST}/licence"
    assert "lighthouse" in records["/licensed"].markdown
    assert {one.wanted for one in found} == set(Wanted)


def test_a_process_that_was_killed_is_replaced() -> None:
    step = build_step(SPEC)
    with reading(step) as readers:
        read(readers, step, answer("/page/3"))
        first = process_id(readers)
        os.kill(first, signal.SIGKILL)
        (again,) = read(readers, step, answer("/page/6", site_kit.page(6)))
        assert again.text is not None
        assert process_id(readers) != first
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_a_page_whose_tree_was_lost_is_read_again() -> None:
    step = build_step(SPEC)
    with reading(step) as readers:
        judge = step.judge.judge

        def kill(page):  # type: ignore[no-untyped-def]
            os.kill(process_id(readers), signal.SIGKILL)  # between analysis and extraction
            return judge(page)

        step.judge.judge = kill  # type: ignore[method-assign]
        (found,) = read(readers, step, answer("/page/3"))
    assert found.text is not None
    assert "lighthouse" in found.text.text


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install an extractor with faults where the other process finds it."""
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    metadata = tmp_path / "faulty-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[focuscrawl.extractors]\nfaulty = faulty:Faulty\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "faulty"


def test_a_fault_costs_its_own_page(faulty: str) -> None:
    step = build_step(SPEC)
    with reading(step, extractor=faulty, cpu_s=0.3) as readers:
        with pytest.raises(ReaderError, match="could not be processed: ZeroDivisionError") as raised:
            read(readers, step, answer("/raises"))
        assert "a fault of a plug-in" in raised.value.trace
        with pytest.raises(ReaderError, match="could not be processed: its reader ended twice"):
            read(readers, step, answer("/ends", site_kit.page(6)))
        with pytest.raises(TooSlowError, match=TOO_SLOW):
            read(readers, step, answer("/spins", site_kit.page(9)))
        (found,) = read(readers, step, answer("/page/12", site_kit.page(12)))
        assert found.text is not None


def test_a_part_that_is_not_there_is_named() -> None:
    step = build_step(SPEC)
    with reading(step, extractor="rooter") as readers:
        for _ in range(2):
            with pytest.raises(ConfigError, match=r'FOCUSCRAWL_EXTRACT_PROCESSES: .*"rooter".* Set it to 0'):
                read(readers, step, answer("/page/3"))


def test_a_page_read_for_an_earlier_topic_is_read_again() -> None:
    old = build_step(SPEC)
    new_spec = TopicSpec.model_validate({"name": "bread", "terms": {"bread": 1.0, "butter": 1.0}})
    new = build_step(new_spec)
    fetched = answer("/page/3")
    with reading(old) as readers:
        (found,) = read(readers, old, fetched)
        given = replace(fetched, read=found)
        assert new.process(given, lease_of(fetched)) == build_step(new_spec).process(fetched, lease_of(fetched))
        readers.use(new, new_spec)
        (anew,) = read(readers, new, answer("/page/4", site_kit.page(4)))
        assert anew.verdict.topic.startswith("bread@")


def test_pages_of_a_feeds_host_are_read_where_its_templates_are() -> None:
    step = build_step(SPEC)
    feeds = FeedStep(step, TemplateStore())
    feed = f"<rss><channel><item><title>Lamp</title><link>{HOST}/page/6</link></item></channel></rss>"
    listed = answer("/feed.xml", feed)
    assert not takes(listed, lease_of(listed))
    feeds.follow(listed, lease_of(listed))
    with reading(step) as readers:
        (found,) = read(readers, step, answer("/page/6", site_kit.page(6)))
    assert found.page.tree is not None
    assert found.text is not None


def test_pages_that_are_read_when_the_readers_are_ended_are_not_blamed() -> None:
    step = build_step(SPEC)
    with reading(step) as readers:

        async def run() -> None:
            task = asyncio.create_task(readers.read(step, answer("/page/3")))
            await asyncio.sleep(0)
            readers.close()
            with pytest.raises(ReadersClosedError):
                await task

        asyncio.run(run())


def test_readers_that_are_ended_between_two_questions_about_a_page_say_so() -> None:
    step = build_step(SPEC)
    with reading(step) as readers:
        judge = step.judge.judge

        def end(page):  # type: ignore[no-untyped-def]
            readers.close()
            return judge(page)

        step.judge.judge = end  # type: ignore[method-assign]
        with pytest.raises(ReadersClosedError):
            read(readers, step, answer("/page/3"))


def test_visits_stay_in_the_process_of_the_crawl() -> None:
    fetched = answer("/page/3")
    lease = lease_of(fetched)
    assert takes(fetched, lease)
    earlier = Earlier(0.5, fetched.url)
    assert not takes(fetched, replace(lease, entry=replace(lease.entry, origin=Origin(earlier=earlier))))
