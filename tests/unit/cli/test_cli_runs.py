"""status, explain, report and export, as a person calls them on a run."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from focuscrawl.cli.explain import explanation_lines
from focuscrawl.page.urls import url_key
from focuscrawl.ranking.explain import explain as break_down
from focuscrawl.report.explanation import explain_url, explanation_json
from focuscrawl.report.read import read_run, snippet
from focuscrawl.report.times import span
from focuscrawl.row_reasons import NO_INDEX, judged_again_reason, not_stored_reason
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.jsonl import JsonlStore
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.run_settings import RunSettings, RunTimes, record_pause, record_start, record_stop
from focuscrawl.storage.several import SeveralRuns
from focuscrawl.storage.visits import RECRAWL
from focuscrawl.wording.base import Language, Say

Command = Callable[..., tuple[int, str, str]]
HOME = "https://chess.example.org/"
OPENING = "https://chess.example.org/openings/italian"
OTHER = "https://blog.example.com/%E6%84%8F%E5%A4%A7%E5%88%A9%E5%BC%80%E5%B1%80"


def test_one_link_is_one_link(sample: Any, command: Command) -> None:
    sample.add_entry(HOME, "queued", 0.5)
    sample.db.close()
    _, out, _ = command("status", str(sample.folder.path))
    assert re.search(r"^queue +1 link$", out, re.MULTILINE)


def test_status_for_people(finished: Any, command: Command) -> None:
    code, out, err = command("status", "chess")
    assert (code, err) == (0, "")
    facts = {line[:11].strip(): line[11:].strip() for line in out.splitlines() if line[:1].isalpha()}
    assert facts["topic"] == "国际象棋 (chess)"
    assert facts["pages"] == "4 fetched"
    assert facts["relevant"] == "3"
    assert facts["stored"] == "2; not stored: 1 duplicate"
    assert facts["harvest"] == "75.0%; 75.0% of the last 4 (relevant of fetched)"
    assert facts["queue"] == "2 links"
    assert facts["no page"] == "2: 1 × HTTP 404 (page not found), 1 × timeout"
    assert facts["stopped"] == "the budget is used up: 6 pages"
    assert "chess.example.org" in out


def test_status_and_explain_in_chinese(finished: Any, command: Command) -> None:
    code, out, err = command("status", "chess", "--lang", "zh")
    assert (code, err) == (0, "")
    assert "网页      已抓取 4" in out
    assert "HTTP 404 网页不存在 × 1" in out
    assert "预算用完：6 个网页" in out
    out = command("explain", "chess", OPENING, "--lang", "zh")[1]
    assert "已抓取，2026-09-21 14:13:21 UTC 第 2 次抓取（未得到网页的也计入），HTTP 200" in out
    assert f"发现于 {HOME}，链接文字“开局”，离种子 1 个链接" in out
    assert "相关度 0.6120 ≥ 阈值 0.3000：相关" in out
    known = "topic word in the anchor|blocks|vsm|words|parent|chess|UTC|HTTP|example|org|https|openings|italian"
    assert re.findall("[A-Za-z]{4,}", re.sub(known, "", out)) == [], "English is left"


def test_exports_and_topics_in_chinese(finished: Any, command: Command, tmp_path: Path) -> None:
    for arguments, written in (
        (("--out", "pages.jsonl"), "已将 2 个网页写入 pages.jsonl"),
        (("--format", "graphml", "--hosts", "--out", "g.xml"), "个链接写入 g.xml"),
    ):
        assert written in command("export", "chess", *arguments, "--lang", "zh")[1]
    (tmp_path / "tea.toml").write_text(
        'name = "tea"\ntitle = "茶"\n[terms]\n"茶叶" = 1.0\n[excluded]\n"茶几" = 0.5\n', encoding="utf-8"
    )
    out = command("topic", "show", "tea.toml", "--lang", "zh")[1]
    assert "预算  1000 个网页" in out
    assert "提醒：没有相关的样本" in out
    assert re.findall("[A-Za-z]{4,}", re.sub("tea|toml|digest|[0-9a-f]{16}|focus|adaptive|auto", "", out)) == []
    assert command("topic", "list", "没有的词", "--lang", "zh")[1] == "没有哪个主题或类含有“没有的词”。\n"
    assert "下位类" in command("topic", "list", "中医", "--lang", "zh")[1]


def test_status_for_programs(finished: Any, command: Command) -> None:
    code, out, _ = command("status", "latest", "--json")
    assert code == 0
    status = json.loads(out)
    assert (status["pages"], status["relevant"], status["queued"], status["hosts"]) == (4, 3, 2, 2)
    assert status["stop_reason"] == "budget: 6 pages"
    assert status["started_at"] == 1_789_999_999.0


def test_status_while_a_crawl_writes(sample: Any, command: Command) -> None:
    code, out, _ = command("status", str(sample.folder.path))
    assert code == 0
    assert "0 fetched" in out
    record_start(sample.db, at=5.0)
    with sample.db.transaction():
        code, out, _ = command("status", str(sample.folder.path))
    assert code == 0
    assert f"it is running as process {os.getpid()}" in out
    sample.db.close()


def test_status_after_a_kill(sample: Any, command: Command) -> None:
    record_start(sample.db, at=5.0)
    sample.db.close()
    # Its number is another process's now, as it is in containers, where each crawl has the same.
    assert (sample.folder.path / "crawl.lock").read_text() == f"{os.getpid()}\n"
    told = command("status", "latest")[1]
    assert "no end is recorded: it was killed" in told
    assert "go on with focuscrawl crawl --run" in told
    assert json.loads(command("status", "latest", "--json")[1])["process"] is None
    sample.folder.path.rename("my run")
    told = " ".join(command("status", "my run")[1].split())
    assert "go on with focuscrawl crawl --run 'my run'" in told


def test_a_resumed_run_is_not_stopped(finished: Any) -> None:
    with CrawlDb.open(finished.folder.db) as db:
        assert RunTimes.load(db).stop_reason == "budget: 6 pages"
        record_start(db, at=1_790_000_100.0)
        times = RunTimes.load(db)
    assert (times.stop_reason, times.stopped_at, times.starts) == ("", None, 2)
    assert times.started_at == 1_789_999_999.0


def test_time_between_a_stop_and_the_next_start_is_not_counted(finished: Any, command: Command) -> None:
    before = json.loads(command("status", "chess", "--json")[1])
    with CrawlDb.open(finished.folder.db) as db:
        record_start(db, at=before["ended_at"] + 3600.0)
        record_stop(db, "budget", at=before["ended_at"] + 3610.0)
        assert RunTimes.load(db).idle_s == 3600.0
    after = json.loads(command("status", "chess", "--json")[1])
    assert (after["ended_at"] - before["ended_at"], after["idle_s"]) == (3610.0, 3600.0)
    took = after["ended_at"] - after["started_at"] - 3600.0
    assert f"took       {span(took, Say())}" in command("status", "chess")[1]


def test_a_pause_is_told_and_is_no_time_at_work(sample: Any, command: Command) -> None:
    record_start(sample.db, at=1_790_000_000.0)
    sample.db.close()
    with CrawlDb.open(sample.folder.db) as db:  # this process holds the folder, as a crawl does
        for paused, at in ((True, 100.0), (False, 400.0), (True, 460.0)):
            record_pause(db, paused, at=1_790_000_000.0 + at)
            if at == 400.0:
                assert RunTimes.load(db).worked_s(1_790_000_090.0) == 100.0  # no page has come since the pause
        told = command("status", "latest")[1]
        assert f"no: paused since 2026-09-21 14:21 UTC, process {os.getpid()}" in told
        assert json.loads(command("status", "latest", "--json")[1])["paused_since"] == 1_790_000_460.0
        fleet = command("fleet", "status", "--on", str(sample.folder.path))[1]
        assert f"paused since 2026-09-21 14:21 UTC, process {os.getpid()}" in fleet
        times = RunTimes.load(db)
        assert (times.idle_s, times.worked_s(1_790_009_999.0)) == (300.0, 160.0)
        record_stop(db, "stopped", at=1_790_001_000.0)
        times = RunTimes.load(db)
        assert (times.paused_since, times.worked_s(None)) == (None, 160.0)
        record_start(db, at=1_790_002_000.0)
        assert RunTimes.load(db).worked_s(1_790_002_040.0) == 200.0


def test_a_run_is_at_work_though_its_clock_has_gone_back(tmp_path: Path) -> None:
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        record_start(db, at=5000.0)
        record_stop(db, "stopped", at=5100.0)
        record_start(db, at=1000.0)
        assert RunTimes.load(db).stopped_at is None
        record_pause(db, True, at=1100.0)
        assert RunTimes.load(db).paused_since == 1100.0
        record_pause(db, False, at=900.0)
        assert RunTimes.load(db).paused_since is None
        record_stop(db, "budget", at=1000.0)
        times = RunTimes.load(db)
        assert (times.stopped_at, times.stop_reason) == (1000.0, "budget")


def test_a_fleet_is_paused_when_all_its_workers_are(tmp_path: Path) -> None:
    with CrawlDb.open(tmp_path / "a" / "crawl.db") as a, CrawlDb.open(tmp_path / "b" / "crawl.db") as b:
        for db in (a, b):
            record_start(db, at=1000.0)
        both = SeveralRuns({"a": a, "b": b}, sqlite3.connect(":memory:"))
        record_pause(a, True, at=1100.0)
        assert RunTimes.load(both).paused_since is None
        record_pause(b, True, at=1101.0)
        assert RunTimes.load(both).paused_since == 1101.0
        record_stop(a, "stopped", at=1200.0)
        assert RunTimes.load(both).paused_since == 1101.0
        record_pause(b, False, at=1301.0)
        times = RunTimes.load(both)
        assert (times.paused_since, times.idle_s) == (None, 200.0)


def _visit(db: CrawlDb, at: float, saw: str) -> None:
    with db.transaction() as rows:
        rows.execute(
            "INSERT INTO visits (key, at, saw, status, body, text, etag, modified, reason)"
            " VALUES (1, ?, ?, 200, '', '', '', '', '')",
            (at, saw),
        )


def test_status_tells_visits_and_how_fresh_they_left_the_pages(finished: Any, command: Command) -> None:
    assert "visits" not in command("status", "chess")[1]
    done = {"changed": 2, "gone": 1, "moved": 1, "new_links": 4, "pages": 2}
    with CrawlDb.open(finished.folder.db) as db:
        for at, saw in ((1.0, "first"), (10.0, "gone"), (30.0, "changed"), (31.0, "failed")):
            _visit(db, at, saw)
        db.add_event(RECRAWL, {**done, "freshness_before": 0.5, "freshness": 0.75, "age_s": 7200.0}, at=20.0)
    out = command("status", "chess")[1]
    assert "visits     this round so far 2: 1 changed, 0 unchanged, 0 moved, 0 gone, 1 failed\n" in out
    last = "1970-01-01 00:00 UTC: 4 pages: 2 changed, 0 unchanged, 1 moved, 1 gone, 0 failed; links found on them: 4"
    assert f"visits     {last}" in out.replace("\n           ", " ")
    assert "fresh      50.0% → 75.0% of 2 pages" in out
    assert "新鲜度" in command("status", "chess", "--lang", "zh")[1]
    facts = json.loads(command("status", "chess", "--json")[1])
    assert facts["visits"] == {"changed": 1, "failed": 1}
    assert facts["rounds"][0]["freshness"] == 0.75


def keep_versions(finished: Any) -> None:
    """Add what a page was at two earlier visits to the finished run."""
    with CrawlDb.open(finished.folder.db) as db:
        record = db.page(url_key(OPENING))
        assert record is not None
        earlier = [replace(record, text="白方第三步。", title="=1+1"), replace(record, text="更早。")]
        with db.transaction() as rows:
            for old in earlier:
                values = PAGES.fields(old)
                values.pop("rendered")  # a field that versions of an earlier focuscrawl did not have
                rows.execute(
                    "INSERT INTO versions (key, fetched_at, data) VALUES (?, ?, ?)",
                    (to_signed(old.key), old.fetched_at, json.dumps(values)),
                )


def test_export_of_earlier_versions(finished: Any, command: Command, tmp_path: Path) -> None:
    code, _, err = command("export", "chess", "--versions")
    assert code == 1
    assert "recrawl RUN --versions keeps" in err
    keep_versions(finished)
    lines = [json.loads(line) for line in command("export", "chess", "--versions")[1].splitlines()]
    assert [line["text"] for line in lines] == ["白方第三步。", "更早。"]
    (page, *_) = [json.loads(line) for line in command("export", "chess")[1].splitlines()]
    assert lines[0].keys() == page.keys()
    assert lines[0]["fetched_at"] == page["fetched_at"]
    out = command("export", "chess", "--versions", "--format", "csv", "--fields", "title,text")[1]
    assert out.split() == ["title,text", "'=1+1,白方第三步。", "意大利开局,更早。"]
    code, _, err = command("export", "chess", "--versions", "--all")
    assert (code, "without --all" in err) == (2, True)
    # Rows half read when the file fails are closed before the database is: anything else is a warning, here an error.
    code, _, err = command("export", "chess", "--versions", "--out", str(tmp_path / "nowhere" / "versions.jsonl"))
    assert (code, "nowhere" in err) == (1, True)


def test_export_of_earlier_versions_as_parquet(finished: Any, command: Command, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    keep_versions(finished)
    target = tmp_path / "versions.parquet"
    assert command("export", "chess", "--versions", "--format", "parquet", "--out", str(target))[1].startswith("2 ")
    table = parquet.read_table(target)
    assert table.column("text").to_pylist() == ["白方第三步。", "更早。"]


def test_secrets_do_not_reach_the_database(finished: Any) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        assert RunSettings.load(db).arguments == {"pages": "6", "api_token": "***"}


def test_explain_a_fetched_page(finished: Any, command: Command) -> None:
    code, out, _ = command("explain", "chess", OPENING)
    assert code == 0
    assert "    0.4800 = 0.6000 × 0.8000  words\n    0.2000 = 0.4000 × 0.5000  parent\n    0.6800   score" in out
    assert "   +0.0500   offset of its group chess.example.org\n    0.7300   priority\n" in out
    assert "score of the link: topic word in the anchor" in out
    assert f'found on {HOME} as "开局", 1 link from a seed' in out
    assert "fetched 2026-09-21 14:13:21 UTC as fetch number 2 (those that gave no page count, too), HTTP 200" in out
    assert "relevance 0.6120 ≥ threshold 0.3000: relevant" in out
    assert "the judge's parts: vsm 0.612" in out
    assert "kept as a result, text by blocks, 8 characters" in out


@pytest.mark.parametrize(
    ("saw", "told", "in_chinese"),
    [
        ("gone", "it was gone; what is told is from before", "网页已消失，以下是此前的内容"),
        ("moved", "its address led elsewhere than before", "网址转到了别处"),
        ("changed", "it had changed", "内容有变化"),
        ("unchanged", "unchanged", "未变"),
    ],
)
def test_explain_tells_what_the_last_visit_saw(
    finished: Any, command: Command, saw: str, told: str, in_chinese: str
) -> None:
    assert "asked for again" not in command("explain", "chess", OPENING)[1]
    with closing(sqlite3.connect(finished.folder.db)) as db, db:
        db.execute("UPDATE pages SET visited_at = 1790000600.0, revisit = ? WHERE url = ?", (saw, OPENING))
    assert f"\n  last asked for again 2026-09-21 14:23:20 UTC: {told}\n" in command("explain", "chess", OPENING)[1]
    chinese = command("explain", "chess", OPENING, "--lang", "zh")[1]
    assert f"\n  最近一次重访 2026-09-21 14:23:20 UTC：{in_chinese}\n" in chinese
    page = json.loads(command("explain", "chess", OPENING, "--json")[1])["page"]
    assert (page["visited_at"], page["revisit"]) == (1790000600.0, saw)


def test_explain_tells_what_became_of_a_page_that_was_judged_again(finished: Any) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        found = explain_url(db, OPENING)
    assert found.page is not None

    def last_lines(withheld: str, language: Language) -> list[str]:
        before = not_stored_reason(withheld) if withheld else ""
        page = replace(found.page, reason=judged_again_reason(before, 0.25), withheld=withheld)
        return [line.strip() for line in explanation_lines(replace(found, page=page), Say(language))[-2:]]

    again = "judged again when its host was known: relevance was 0.25"
    assert last_lines("", "en") == [again, "kept as a result, text by blocks, 8 characters"]
    assert last_lines("", "zh")[0] == "了解其主机之后重新判断：此前相关度为 0.25"
    assert last_lines(NO_INDEX, "en") == ["not stored: the page asks not to be indexed", again]
    assert last_lines(NO_INDEX, "zh")[0] == "未保存：声明不愿被收录"


def test_explain_in_json_has_the_exact_sum(finished: Any, command: Command) -> None:
    found = json.loads(command("explain", "chess", OPENING, "--json")[1])
    assert sum(term["amount"] for term in found["terms"]) == pytest.approx(found["score"], abs=1e-12)
    assert found["score"] + found["offset"] == pytest.approx(found["priority"], abs=1e-12)
    assert found["page"]["relevant"] is True


def test_explain_tells_who_called_a_link_up_and_the_shares(finished: Any) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        found = explain_url(db, HOME + "next")
    called = replace(
        found,
        priority=break_down({"words": 0.5}, {"words": 0.6}, score=3.3),
        called_by="best-first",
        shares={"best-first": 0.02, "own order": 0.98},
    )
    lines = "\n".join(explanation_lines(called, Say()))
    assert "    3.0000 = 3.0000 × 1.0000  called up\n    0.3000 = 0.6000 × 0.5000  words\n    3.3000   score" in lines
    assert (
        "  called up by best-first: it goes before all others\n"
        "  shares of the fetches, as last saved: best-first 2%, own order 98%" in lines
    )
    assert explanation_json(called)["called_by"] == "best-first"
    assert explanation_json(found)["called_by"] is None


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (HOME, "a seed: no page linked to it"),
        (HOME, "relevance 0.2000 < threshold 0.3000: not relevant"),
        (HOME + "copy", f"not kept: it says the same as {OPENING}"),
        (HOME + "gone", "no page: HTTP 404"),
        (HOME + "slow", "failed 2026-09-21 14:13:25 UTC as fetch number 6"),
        (HOME + "next", "waits in the queue, first of all; it may"),
        (HOME + "next", "    0.3000 = 0.6000 × 0.5000  words"),
        (HOME + "next", "   +0.2000   not in the parts"),
        (HOME + "next", "   +0.2500   offset of its group chess.example.org\n    0.7500   priority"),
        ("HTTPS://chess.example.org:443/openings/./italian#x", "relevance 0.6120"),
        (HOME + "later", "waits in the queue, 1 link before it"),
        ("https://blog.example.com/意大利开局", "relevance 0.5000 ≥"),
        (OTHER + "/1", "(asked for as https://blog.example.com/"),
    ],
)
def test_explain_tells(finished: Any, command: Command, url: str, told: str) -> None:
    code, out, _ = command("explain", "chess", url)
    assert code == 0
    assert told in out


def test_every_printed_sum_adds_up(finished: Any, command: Command) -> None:
    for url in (HOME, OPENING, OTHER, HOME + "copy", HOME + "next", HOME + "later"):
        lines = command("explain", "chess", url)[1].splitlines()
        numbers = [(Decimal(line[:10]), line[10:].strip()) for line in lines if line[:10].strip("+- 0123456789") == "."]
        addends = [n for n, text in numbers if text.startswith(("=", "not in"))]
        by_text = {text.partition(":")[0]: n for n, text in numbers}
        score, priority = by_text["score of the link"], by_text["priority"]
        offset = next(n for n, text in numbers if text.startswith("offset"))
        assert not addends or sum(addends) == score
        assert score + offset == priority


@pytest.mark.parametrize(
    ("url", "near"),
    [
        (HOME + "openings/itallian", f"The most similar one it knows: {OPENING}"),
        ("https://ches.example.org/openings/italian", f"The most similar one it knows: {OPENING}"),
        ("https://nothing.invalid/", "has not seen this URL.\n"),
        ("ftp://chess.example.org/", "not an http or https address"),
    ],
)
def test_an_unknown_url_names_the_nearest(finished: Any, command: Command, url: str, near: str) -> None:
    code, out, err = command("explain", "chess", url)
    assert (code, out) == (1, "")
    assert near in err


def test_an_address_without_a_scheme_is_looked_for_as_https_then_as_http(sample: Any, command: Command) -> None:
    RunSettings(topic="chess", title="", strategy="heuristic").save(sample.db)
    for n, url in enumerate(("http://both.example/a", "https://both.example/a", "http://old.example:8000/")):
        sample.add_page(url, n)
    sample.db.close()
    for asked, found in (
        (" both.example/a ", "https://both.example/a"),
        ("Both.example/a#b", "https://both.example/a"),
        ("old.example:8000", "http://old.example:8000/"),
    ):
        assert command("explain", "chess", asked)[1].startswith(f"{found}\n")
    assert "not an http or https address" in command("explain", "chess", "mailto:me@example.org")[2]
    assert "has not seen this URL" in command("explain", "chess", "new.example/a")[2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["status", "ches"],
            '"ches"：没有叫这个名字的运行；应为运行目录、主题名或 "latest"；crawls 里有运行的主题：chess。',
        ),
        (["status", "ches"], '您是不是想写 "chess"？'),
        (["status", "a.toml"], "a.toml：应为运行目录，这是一个文件。"),
        (["status", "empty"], "empty：不是运行目录：里面没有 crawl.db。"),
        (["status", ""], '""：没有指明运行；应为运行目录、主题名或 "latest"。'),
        (
            ["explain", "chess", HOME + "nixt"],
            f"{HOME}nixt：这个运行没有见过这个网址。它所知道的最相近的是：{HOME}next",
        ),
        (["explain", "chess", "http://a.example/"], "http://a.example/：这个运行没有见过这个网址。"),
        (["explain", "chess", "mailto:a"], "mailto:a：不是 http 或 https 网址，抓取不可能见过它。"),
    ],
)
def test_what_is_wrong_with_a_run_is_told_in_chinese(
    finished: Any, command: Command, arguments: list[str], told: str
) -> None:
    Path("a.toml").touch()
    Path("empty").mkdir()
    code, out, err = command(*arguments, "--lang", "zh")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert told in err
    assert told not in command(*arguments, "--lang", "en")[2]


def test_a_place_without_runs_is_told_in_chinese(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "crawls：这里还没有运行；" in command("status", "latest", "--lang", "zh")[2]
    assert "crawls 里还没有运行。" in command("status", "tea", "--lang", "zh")[2]


def test_report_is_written_into_the_run(finished: Any, command: Command) -> None:
    code, out, _ = command("report", "chess", "--compare", "latest")
    assert code == 0
    assert out == "Report written to crawls/chess/20260921T141320Z/report.html\n"
    html = finished.folder.report.read_text("utf-8")
    for told in ("国际象棋", "意大利开局", "白方第三步走象。", "HTTP 404", "下一页", "heuristic", "words 0.6"):
        assert told in html
    assert "hush" not in html
    assert not list(finished.folder.path.glob(".*"))


def test_report_elsewhere(finished: Any, command: Command, tmp_path: Path) -> None:
    assert command("report", "chess", "--out", str(tmp_path / "r.html"), "--json")[0] == 0
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!doctype html>")
    code, _, err = command("report", "chess", "--out", str(tmp_path / "no" / "r.html"))
    assert code == 1
    assert "the report cannot be written: no such file or directory" in err


def test_what_is_read_for_the_report(finished: Any) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        run = read_run(db)
    assert list(run.relevant) == [False, True, True, True]
    assert [page.title for page in run.best] == ["意大利开局", "=SUM(1)"]  # no duplicate
    assert run.best[0].parent_url == HOME
    assert run.best[1].parent_url == OPENING
    assert [(h.host, h.fetched, h.relevant, h.failed, h.queued) for h in run.hosts] == [
        ("chess.example.org", 3, 2, 2, 2),
        ("blog.example.com", 1, 1, 0, 0),
    ]
    assert [q.url for q in run.queue] == [HOME + "next", HOME + "later"]
    assert (run.failed, run.refused, dict(run.not_stored)) == (1, 1, {"duplicate": 1})
    assert [(page.title, page.relevance) for page in run.results] == [("意大利开局", 0.612), ("=SUM(1)", 0.5)]
    assert [page.title for page in run.accepted] == ["=SUM(1)", "意大利开局"]  # nearest to the threshold first
    assert [page.title for page in run.rejected] == ["首页"]
    assert [list(host.curve) for host in run.hosts] == [[False, True, True], [True]]


def test_export_results_as_json_lines(finished: Any, command: Command) -> None:
    code, out, _ = command("export", "chess")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["url"] for line in lines] == [OPENING, OTHER]
    assert "意大利开局" in out


def test_export_all_as_csv(finished: Any, command: Command, tmp_path: Path) -> None:
    target = tmp_path / "出口.csv"
    code, out, _ = command("export", "chess", "--all", "--format", "csv", "--excel", "--out", str(target))
    assert (code, out) == (0, f"6 pages written to {target}\n")
    rows = list(csv.DictReader(io.StringIO(target.read_bytes().decode("utf-8-sig"))))
    assert len(rows) == 6
    assert rows[2]["title"] == "'=SUM(1)"
    assert rows[0]["fetched_at"] == "2026-09-21T14:13:20.000+00:00"
    assert not list(tmp_path.glob("*.part"))


def test_a_table_has_ten_fields_or_those_that_are_named(finished: Any, command: Command) -> None:
    head = "url,title,published,author,category,language,host,relevance,fetched_at,text"
    assert command("export", "chess", "--format", "csv")[1].splitlines()[0] == head
    assert command("export", "chess", "--format", "csv", "--fields", "title, url")[1].splitlines()[0] == "title,url"
    assert "content_digest" in command("export", "chess", "--format", "csv", "--fields", "all")[1].splitlines()[0]
    lines = command("export", "chess", "--fields", "url,relevance")[1].splitlines()
    assert [json.loads(line) for line in lines] == [
        {"url": OPENING, "relevance": 0.612},
        {"url": OTHER, "relevance": 0.5},
    ]
    code, _, err = command("export", "chess", "--fields", "url,titel")
    assert code == 2
    assert 'there is no field "titel"' in err
    assert 'Did you mean "title"?' in err


def test_parquet_has_types(finished: Any, command: Command, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    target = tmp_path / "pages.parquet"
    code, out, _ = command("export", "chess", "--all", "--format", "parquet", "--out", str(target))
    assert (code, out) == (0, f"6 pages written to {target}\n")
    table = parquet.read_table(target)
    types = {
        name: str(table.schema.field(name).type) for name in ("fetched_at", "relevance", "relevant", "depth", "text")
    }
    assert types == {
        "fetched_at": "timestamp[ms, tz=UTC]",
        "relevance": "double",
        "relevant": "bool",
        "depth": "int64",
        "text": "string",
    }
    assert str(table.schema.field("keywords").type).startswith("list<")
    rows = table.to_pylist()
    assert rows[1]["title"] == "意大利开局"
    assert rows[0]["fetched_at"].isoformat() == "2026-09-21T14:13:20+00:00"


def test_export_the_link_graph(finished: Any, command: Command, tmp_path: Path) -> None:
    with CrawlDb.open(finished.folder.db) as db, db.transaction() as connection:
        links = json.dumps([to_signed(url_key(OPENING)), to_signed(url_key(OTHER))])
        connection.execute("INSERT INTO page_links VALUES (?, ?)", (to_signed(url_key(HOME)), links))
    target = tmp_path / "links.gexf"
    code, out, err = command("export", "chess", "--all", "--format", "gexf", "--out", str(target), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"file": str(target), "format": "gexf", "pages": 4, "links": 2}
    graph = nx.read_gexf(target)
    assert {data["label"] for _, data in graph.nodes(data=True)} >= {"意大利开局", "=SUM(1)"}
    code, out, _ = command("export", "chess", "--all", "--format", "graphml", "--hosts")
    assert code == 0
    hosts = nx.parse_graphml(out)
    assert dict(hosts.edges) == {("chess.example.org", "blog.example.com"): {"weight": 1}}
    code, out, _ = command("export", "chess", "--format", "graphml", "--out", str(tmp_path / "results"))
    assert (code, out) == (0, f"2 pages with 0 links written to {tmp_path / 'results'}\n")


def test_hosts_are_for_graphs_only(finished: Any, command: Command) -> None:
    code, _, err = command("export", "chess", "--hosts")
    assert code == 2
    assert '--hosts: expected with --format graphml or gexf, found "jsonl".' in err


def test_export_to_nowhere_is_said(finished: Any, command: Command, tmp_path: Path) -> None:
    code, _, err = command("export", "chess", "--out", str(tmp_path / "no" / "x.jsonl"))
    assert code == 1
    assert "cannot be written: no such file or directory" in err
    assert command("export", "chess", "--format", "xml")[0] == 2


@pytest.mark.parametrize("sub", [("status",), ("report",), ("export",), ("explain",)])
def test_what_is_no_run_is_one_sentence(tmp_path: Path, command: Command, sub: tuple[str, ...]) -> None:
    more = ("https://example.org/",) if sub == ("explain",) else ()
    for place, content in (("empty", b""), ("text", b"not a database " * 100), ("foreign", None)):
        folder = tmp_path / place
        folder.mkdir()
        if content is None:
            connection = sqlite3.connect(folder / "crawl.db")
            connection.execute("CREATE TABLE t (x)")
            connection.close()
        else:
            (folder / "crawl.db").write_bytes(content)
        code, out, err = command(*sub, str(folder), *more)
        assert (code, out) == (1, "")
        assert "crawl.db" in err
        assert "Traceback" not in err
        assert err.count("\n") == 1
    assert command(*sub, str(tmp_path / "missing"), *more)[0] == 1


def test_a_damaged_database_is_said(finished: Any, command: Command) -> None:
    data = bytearray(finished.folder.db.read_bytes())
    for page in range(2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    finished.folder.db.write_bytes(data)
    code, _, err = command("status", "chess")
    assert code == 1
    assert "damaged" in err
    assert "Traceback" not in err


def test_snippets_end_at_words() -> None:
    assert snippet("a  b\nc") == "a b c"
    assert snippet("word " * 100, columns=22) == "word word word word …"
    assert snippet("字" * 100, columns=10) == "字" * 5 + " …"


def test_the_lines_of_a_run_are_completed_from_its_database(finished: Any, command: Command) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        store = JsonlStore(finished.folder.pages_jsonl)
        store.open()
        assert store.complete(db.pages) == 2
        assert store.complete(db.pages) == 0
        store.close()
    assert finished.folder.pages_jsonl.read_text("utf-8") == command("export", "chess")[1]
