"""Pages of archives through the crawl's own machinery."""

from __future__ import annotations

import asyncio
import json
import shlex
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import site_kit
from archive_kit import HTML, Sent, warc
from crawl_kit import topic_file
from typer.testing import CliRunner

from focuscrawl.cli.explain import explanation_lines
from focuscrawl.cli.main import app
from focuscrawl.config import FocusConfig
from focuscrawl.crawler.archive_info import archive_info
from focuscrawl.crawler.archive_pass import NO_URL, SCOPE, SEEN, ArchivePass
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.closing import close_crawl
from focuscrawl.crawler.crawl import Network
from focuscrawl.crawler.endings import Ending
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.opening import open_crawl
from focuscrawl.crawler.plan import make_plan
from focuscrawl.errors import ConfigError, FocusCrawlError, StoreError
from focuscrawl.records import PageRecord
from focuscrawl.report.explanation import explain_url
from focuscrawl.report.page import report_html
from focuscrawl.report.read import read_run
from focuscrawl.storage.archive_bytes import Position
from focuscrawl.storage.archive_reader import ArchivedAnswer, ArchiveFile
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.wording.base import Say

SITE = "http://lighthouses.example"
CONFIG = FocusConfig(report=False, wait_per_page_s=0.0)
PAGES = [Sent(f"{SITE}/page/{n}", site_kit.page(n).encode()) for n in range(30)]


def plan_of(folder: Path, files: list[Path], config: FocusConfig = CONFIG, **given: int):  # type: ignore[no-untyped-def]
    arguments = CrawlArguments(
        str(topic_file(folder, f"{SITE}/page/0")), strategy="breadth-first", run=str(folder / "run"), **given
    )
    return make_plan(arguments, config, archives=[str(file) for file in files])


def filtered(
    folder: Path, *files: Path, killed_after: int | None = None, config: FocusConfig = CONFIG, **given: int
) -> ArchivePass:
    """Filter archives into ``run``; a killed pass leaves all it has open, as it is then."""
    plan = plan_of(folder, list(files), config, **given)
    earlier = {}
    if plan.folder.resumed:
        with CrawlDb.open_readonly(plan.folder.db) as db:
            earlier = db.states()

    async def run() -> ArchivePass:
        crawl, control = await open_crawl(plan, config, Network(64, 64), settings={}, overrides={})
        done = ArchivePass(crawl, files, earlier)
        if killed_after is not None:
            settle = crawl.settle

            def settle_some(result):  # type: ignore[no-untyped-def]
                settle(result)
                if crawl.step.counters.pages >= killed_after:
                    raise KeyboardInterrupt

            crawl.settle = settle_some  # type: ignore[method-assign]
        try:
            await done.run()
        except KeyboardInterrupt:
            assert killed_after is not None
        await crawl.finish()
        await control.close()
        await close_crawl(crawl, "finished")
        return done

    return asyncio.run(run())


def rows(folder: Path) -> list[PageRecord]:
    with CrawlDb.open_readonly(folder / "run" / "crawl.db") as db:
        return list(db.pages())


def test_pages_are_judged_extracted_and_stored_as_those_of_a_crawl(tmp_path: Path) -> None:
    (tmp_path / "crawled").mkdir()
    topic = topic_file(tmp_path / "crawled", f"{SITE}/page/0")
    run = tmp_path / "crawled" / "run"

    async def crawl() -> None:
        seeds = ",".join(sent.url for sent in PAGES)
        plan = make_plan(CrawlArguments(str(topic), seeds=seeds, strategy="breadth-first", run=str(run)), CONFIG)
        made, control = await open_crawl(plan, CONFIG, Network(1, 1), settings={}, overrides={})
        while made.step.counters.pages < len(PAGES):
            if (lease := made.next()) is None:
                await made.news()
            else:
                body = site_kit.page(int(lease.entry.url.rpartition("/")[2])).encode()
                made.page(Fetched(lease.entry.url, 200, body, 1_790_000_000.0, HTML[0][1], HTML), lease)
        await made.finish()
        await control.close()
        await close_crawl(made, "finished")

    asyncio.run(crawl())
    with CrawlDb.open_readonly(run / "crawl.db") as db:
        crawled = {record.url: record for record in db.pages()}
    order = {url: n for n, url in enumerate(crawled)}
    sent = sorted(PAGES, key=lambda one: order[one.url])
    done = filtered(tmp_path, warc(tmp_path / "one.warc.gz", *sent))
    assert done.crawl.ending == Ending("archives read", "61 records of 1 file")
    found = {record.url: record for record in rows(tmp_path)}
    assert found.keys() == crawled.keys()
    # What a crawl knows of the way to a page is not known here.
    ways = {"predicted": 0.0, "score": 0.0, "priority": 0.0, "group": "", "parts": {}}
    for url, record in crawled.items():
        assert replace(found[url], **ways) == replace(record, **ways)
    lines = [(folder / "pages.jsonl").read_text("utf-8").splitlines() for folder in (run, tmp_path / "run")]
    results = [{json.loads(line)["url"] for line in some} for some in lines]
    assert results[0] == results[1] != set()


def test_its_pages_are_explained_as_ones_of_archives_not_as_seeds(tmp_path: Path) -> None:
    filtered(tmp_path, warc(tmp_path / "a.warc.gz", *PAGES[:2]))
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        found = explain_url(db, PAGES[1].url)
        report = report_html(read_run(db), say=Say("zh"))
    assert (found.archived, found.seed, found.priority.reason) == (True, False, "")
    lines = explanation_lines(found, Say("en"))
    assert "  read from an archive file" in lines
    assert not any("seed" in line or "predicted" in line for line in lines)
    assert "读自存档文件" in report
    assert "。种子" not in report
    assert "与种子的距离" not in report


def test_others_get_their_turn_while_a_batch_is_judged(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [warc(tmp_path / "one.warc.gz", *PAGES)])

    async def run() -> set[int]:
        crawl, control = await open_crawl(plan, CONFIG, Network(64, 64), settings={}, overrides={})
        seen: set[int] = set()

        async def watch() -> None:
            while True:
                seen.add(crawl.step.counters.pages)
                await asyncio.sleep(0)

        watching = asyncio.create_task(watch())
        await ArchivePass(crawl, [tmp_path / "one.warc.gz"], {}).run()
        watching.cancel()
        await crawl.finish()
        await control.close()
        await close_crawl(crawl, "finished")
        return seen

    assert asyncio.run(run()) == set(range(len(PAGES) + 1))


def test_archives_are_read_beside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readers: set[threading.Thread] = set()
    answers = ArchiveFile.answers

    def noted(self: ArchiveFile, *given: Position) -> Iterator[tuple[ArchivedAnswer, Position]]:
        for one in answers(self, *given):
            readers.add(threading.current_thread())
            yield one

    monkeypatch.setattr(ArchiveFile, "answers", noted)
    filtered(tmp_path, warc(tmp_path / "one.warc.gz", *PAGES[:3]))
    assert readers
    assert threading.main_thread() not in readers


def test_no_link_is_followed(tmp_path: Path) -> None:
    done = filtered(tmp_path, warc(tmp_path / "one.warc.gz", *PAGES[:5]))
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        assert db.counts()["queued"] == 0
        assert db.counts()["done"] == 5
    assert done.crawl.step.counters.pages == 5


def test_what_is_no_page_has_the_reasons_of_a_crawl(tmp_path: Path) -> None:
    others = [
        Sent(f"{SITE}/gone", b"no", status="404 Not Found"),
        Sent(f"{SITE}/picture", b"\x89PNG", headers=[("Content-Type", "image/png")]),
        Sent(f"{SITE}/long", bytes(5000)),
        Sent("ftp://lighthouses.example/x"),
        Sent(f"{SITE}/page/1#part"),
        PAGES[1],
        PAGES[1],
    ]
    config = CONFIG.model_copy(update={"max_body_bytes": 4000})
    done = filtered(tmp_path, warc(tmp_path / "one.warc", *others, gzip=False), config=config)
    assert {record.url.removeprefix(SITE): record.reason for record in rows(tmp_path) if record.outcome != "done"} == {
        "/gone": "HTTP 404",
        "/picture": "content type image/png",
        "/long": "too long",
    }
    assert done.counts.left_out == {SEEN: 2, NO_URL: 1}
    assert done.crawl.ending is not None
    assert done.crawl.ending.detail == (
        "15 records of 1 file; 2 left out: already in this run; 1 left out: no http or https URL"
    )


def test_the_scope_of_the_topic_holds(tmp_path: Path) -> None:
    path = warc(tmp_path / "one.warc.gz", *PAGES[:2], Sent("http://other.example/"))
    plan = plan_of(tmp_path, [path])
    plan.folder.path.rmdir()
    topic = topic_file(tmp_path, f"{SITE}/page/0")
    text = topic.read_text("utf-8") + '\n[scope]\nallow_hosts = ["lighthouses.example"]\n'
    topic_2 = tmp_path / "scoped.toml"
    topic_2.write_text(text, "utf-8")
    outcome = CliRunner().invoke(
        app, ["filter", str(topic_2), str(path), "--run", str(tmp_path / "run"), "--json", "-s", "FOCUSCRAWL_REPORT=0"]
    )
    assert outcome.exit_code == 0
    told = json.loads(outcome.stdout)
    assert told["left_out"] == {SCOPE: 1}
    assert told["pages"] == 2


@pytest.mark.parametrize("compressed", [True, False])
def test_a_killed_pass_goes_on_and_reads_a_batch_again_at_most(
    tmp_path: Path, compressed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.crawler.archive_pass.BATCH", 4)
    path = warc(tmp_path / "one.warc", *PAGES, gzip=compressed)
    first = filtered(tmp_path, path, killed_after=18)
    assert first.crawl.step.counters.pages == 18
    second = filtered(tmp_path, path)
    assert len(rows(tmp_path)) == len(PAGES)
    assert second.crawl.step.counters.pages == len(PAGES)
    assert second.counts.left_out[SEEN] <= 6
    assert second.counts.records["response"] <= 30 - 12
    third = filtered(tmp_path, path)
    assert len(rows(tmp_path)) == len(PAGES)
    assert third.counts.records["response"] <= 8


def test_results_have_markdown_when_asked(tmp_path: Path) -> None:
    body = site_kit.page(0).replace("<p>", "<h2>The lamp</h2><ul><li>oil</ul><p>").encode()
    path = warc(tmp_path / "one.warc.gz", Sent(f"{SITE}/page/0", body))
    filtered(tmp_path, path, config=CONFIG.model_copy(update={"markdown": True}))
    (record,) = rows(tmp_path)
    assert record.relevant
    assert "## The lamp\n\n- oil" in record.markdown
    other = tmp_path / "other"
    other.mkdir()
    filtered(other, path)
    assert rows(other)[0].markdown == ""


def test_the_head_of_an_archive_names_the_crawl(tmp_path: Path) -> None:
    config = CONFIG.model_copy(update={"operator": "Ada <ada@example.org>"})
    crawl = make_plan(CrawlArguments(str(topic_file(tmp_path, f"{SITE}/page/0")), run=str(tmp_path / "crawl")), config)
    overrides = {"ROBOTSTXT_OBEY": "True", "USER_AGENT": "me/1", "API_TOKEN": "hush", "http_proxy": "http://me:pw@p:1"}
    told = archive_info(crawl, config, overrides)
    settings = json.loads(told.pop("focuscrawl-settings"))
    assert settings == overrides | {"API_TOKEN": "***", "http_proxy": "http://***@p:1"}
    assert told == {
        "operator": "Ada <ada@example.org>",
        "http-header-user-agent": "me/1",
        "robots": "obey",
        "isPartOf": "lighthouses/crawl",
        "description": "pages on the topic Lighthouses, judged by a focused crawler",
        "focuscrawl-topic": f"lighthouses@{crawl.spec.digest}",
        "focuscrawl-strategy": crawl.strategy,
    }
    assert archive_info(crawl, config, {})["robots"] == "ignore"
    assert archive_info(plan_of(tmp_path, [tmp_path / "x.warc"]), config, {})["robots"] == ""


def test_results_of_a_filter_can_be_archived_again(tmp_path: Path) -> None:
    path = warc(tmp_path / "one.warc.gz", *PAGES)
    filtered(tmp_path, path, config=CONFIG.model_copy(update={"stores": ("jsonl", "warc")}))
    (written,) = (tmp_path / "run" / "archive").iterdir()
    kept = [answer.url for answer, _ in ArchiveFile(written, max_bytes=1 << 20).answers()]
    lines = (tmp_path / "run" / "pages.jsonl").read_text("utf-8").splitlines()
    assert sorted(kept) == sorted(json.loads(line)["url"] for line in lines) != []


def test_limits_end_it_and_it_goes_on_behind_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focuscrawl.crawler.archive_pass.BATCH", 4)
    path = warc(tmp_path / "one.warc.gz", *PAGES)
    first = filtered(tmp_path, path, pages=10)
    assert first.crawl.ending == Ending("budget", "10 pages")
    second = filtered(tmp_path, path, pages=0)
    assert second.crawl.ending is not None
    assert second.crawl.ending.reason == "archives read"
    assert sorted(record.url for record in rows(tmp_path)) == sorted(sent.url for sent in PAGES)


@pytest.mark.timeout(300)
def test_pages_left_of_an_archive_do_not_keep_another_one_waiting(tmp_path: Path) -> None:
    one, other = warc(tmp_path / "one.warc.gz", *PAGES[:20]), warc(tmp_path / "other.warc.gz", *PAGES[20:])
    filtered(tmp_path, one, pages=10)
    # Ten of the first archive wait in the queue, as many as may be fetched.
    filtered(tmp_path, other, pages=20)
    assert {record.url for record in rows(tmp_path)} == {sent.url for sent in (*PAGES[:10], *PAGES[20:])}
    filtered(tmp_path, one, other, pages=0)
    assert sorted(record.url for record in rows(tmp_path)) == sorted(sent.url for sent in PAGES)


def test_a_crawl_and_a_filter_do_not_go_on_with_each_other(tmp_path: Path) -> None:
    path = warc(tmp_path / "one.warc.gz", *PAGES[:2])
    filtered(tmp_path, path)
    with pytest.raises(ConfigError, match="no links to fetch"):
        make_plan(CrawlArguments(run=str(tmp_path / "run")), CONFIG)
    settings = tmp_path / "run" / "crawl.db"
    with CrawlDb.open(settings) as db:
        db.set_setting("arguments", {"topic": "lighthouses"})
    with pytest.raises(ConfigError, match="the run of a crawl"):
        plan_of(tmp_path, [path])


def test_the_command_refuses_what_it_cannot_do_in_a_sentence(tmp_path: Path) -> None:
    page = tmp_path / "page.warc.gz"
    page.write_text("<html>")
    topic = str(topic_file(tmp_path, f"{SITE}/page/0"))
    cases = [
        (1, "expected a WARC, WET or WACZ file, found a web page", [str(page)]),
        (1, "there is no such file", [str(tmp_path / "none.warc")]),
        (2, "filtered by one process", [str(page), "-s", "FOCUSCRAWL_FRONTIER=memory"]),
        (2, "expected FOCUSCRAWL_NAME=VALUE", [str(page), "-s", "DOWNLOAD_DELAY=1"]),
        (2, 'FOCUSCRAWL_SEED = "x": expected a whole number', [str(page), "-s", "FOCUSCRAWL_SEED=x"]),
    ]
    for code, sentence, arguments in cases:
        outcome = CliRunner().invoke(app, ["filter", topic, *arguments])
        assert isinstance(outcome.exception, FocusCrawlError)
        assert (outcome.exception.exit_code, sentence in str(outcome.exception)) == (code, True)
        assert not (tmp_path / "crawls").exists()


def test_files_that_are_no_archives_are_left_out_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "archives"
    folder.mkdir()
    warc(folder / "b.warc.gz", *PAGES[:3])
    (folder / "a.warc.gz").touch()
    (folder / "c.warc.gz").write_bytes(b"garbage")
    topic, run = str(topic_file(tmp_path, f"{SITE}/page/0")), tmp_path / "run"
    for _ in range(2):  # and when it goes on
        outcome = CliRunner().invoke(app, ["filter", topic, str(folder), "--run", str(run), "--json"])
        assert outcome.exit_code == 1
        told = json.loads(outcome.stdout)
        assert (told["pages"], told["files"], len(told["files_left_out"])) == (3, 1, 2)
        assert (
            f"left out: {folder / 'a.warc.gz'}: expected a WARC, WET or WACZ file, found an empty file."
            in outcome.stderr
        )
        assert f'{folder / "c.warc.gz"}: expected a WARC, WET or WACZ file, found "garbage".' in outcome.stderr
        assert "of 1 file; 2 files left out" in outcome.stderr
        assert len(rows(tmp_path)) == 3


def test_a_filter_that_fails_names_all_it_takes_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topic, files = (
        topic_file(tmp_path, f"{SITE}/page/0"),
        [warc(tmp_path / f"my {n}.warc.gz", PAGES[n]) for n in (1, 2)],
    )
    run = tmp_path / "my run"
    command = ["filter", str(topic), *map(str, files), "--run", str(run), "-s", "FOCUSCRAWL_MARKDOWN=1"]

    async def full(_: ArchivePass) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(ArchivePass, "run", full)
        failed = CliRunner().invoke(app, command)
    assert failed.exit_code == 1
    said = failed.stderr.partition("Go on with ")[2].splitlines()[0]
    assert shlex.split(said) == ["focuscrawl", *command]
    assert CliRunner().invoke(app, shlex.split(said)[1:]).exit_code == 0


def test_a_filter_that_cannot_note_its_end_has_failed(tmp_path: Path) -> None:
    file = warc(tmp_path / "a.warc.gz", *PAGES)
    filtered(tmp_path, file, pages=2)
    with CrawlDb.open(tmp_path / "run" / "crawl.db") as db, db.transaction() as connection:  # as on a full disk
        # One end is noted already.
        connection.execute("CREATE UNIQUE INDEX full ON events (kind) WHERE kind = 'stopped'")
    topic = str(tmp_path / "lighthouses.toml")
    outcome = CliRunner().invoke(app, ["filter", topic, str(file), "--run", str(tmp_path / "run"), "--pages", "0"])
    assert outcome.exit_code == 1
    assert "an error ended it: " in outcome.stderr
    assert "--run " in outcome.stderr, "it can go on"
    assert len(rows(tmp_path)) == len(PAGES), "what was judged is safe"


def test_pages_read_by_other_processes_give_the_same_rows(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    file = warc(tmp_path / "one.warc.gz", *PAGES)
    filtered(tmp_path / "here", file)
    done = filtered(tmp_path, file, config=CONFIG.model_copy(update={"extract_processes": 1}))
    assert done.crawl.readers is not None
    assert done.crawl.readers.process_ids == [], "they end with the crawl"
    found = {record.url: record for record in rows(tmp_path)}
    here = {record.url: record for record in rows(tmp_path / "here")}
    assert found.keys() == here.keys()
    for url, record in here.items():
        assert (found[url].relevance, found[url].text) == (record.relevance, record.text)
