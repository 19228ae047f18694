"""status, report and export on the run folders of several workers of a fleet."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.run_settings import RunSettings, record_start, record_stop
from focuscrawl.storage.unsettled import begin_worker

Command = Callable[..., tuple[int, str, str]]
START = 1_790_000_000.0


def page(key: int, at: float, outcome: str = "done", **fields: object) -> PageRecord:
    url = f"https://chess.example.org/{key}"
    relevant = outcome == "done"
    given = {"relevance": 0.5, "threshold": 0.3} if relevant else {"reason": "timeout"}
    return PageRecord(
        key, url, url, "chess.example.org", START + at, 200, outcome=outcome, relevant=relevant, **(given | fields)  # type: ignore[arg-type]
    )  # fmt: skip


def write_worker(folder: Path, *records: PageRecord, stopped: bool = True, topic: str = "chess") -> str:
    with CrawlDb.open(folder / "crawl.db") as db:
        RunSettings(
            topic=topic, title="国际象棋", strategy="heuristic", overrides={"FOCUSCRAWL_FRONTIER_URL": "redis://h:1/0"}
        ).save(db)
        begin_worker(db, folder.name, "e", settled=None)
        with db.transaction() as connection:
            connection.executemany(PAGES.insert, map(PAGES.to_row, records))
        record_start(db, at=START - 1)
        if stopped:
            record_stop(db, "exhausted", at=START + 60)
    return str(folder)


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two workers: a page only the second could fetch, and one that both have."""
    monkeypatch.chdir(tmp_path)
    return (
        write_worker(Path("one"), page(1, 1, text="白方"), page(2, 2, "failed"), page(3, 3, title="old")),
        write_worker(Path("two"), page(3, 5, title="new"), page(2, 4)),
    )


def test_pages_of_all_workers_are_exported_once_in_the_order_of_fetching(
    workers: tuple[str, str], command: Command
) -> None:
    code, out, err = command("export", *workers)
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(int(line["key"], 16), line["text"], line["title"]) for line in lines] == [
        (1, "白方", ""), (2, "", ""), (3, "", "new"),
    ]  # fmt: skip
    assert command("export", *reversed(workers))[1] == out
    assert command("export", workers[0], "one/crawl.db")[1] == command("export", "one")[1]  # named twice


def test_status_counts_pages_once_and_names_the_folders(workers: tuple[str, str], command: Command) -> None:
    code, out, _ = command("status", *workers, "--json")
    assert code == 0
    status = json.loads(out)
    assert (status["pages"], status["relevant"], status["failed"], status["queued"]) == (3, 3, 0, None)
    assert (status["run"], status["runs"]) == ("one, two", ["one", "two"])
    assert (status["stop_reason"], status["ended_at"], status["process"]) == ("exhausted", START + 60, None)
    text = command("status", *workers)[1]
    assert "one, two" in text
    assert "not kept with these pages: it is in redis://h:1/0" in text
    assert "runs" not in json.loads(command("status", "one", "--json")[1])


def test_a_worker_without_an_end_is_told(workers: tuple[str, str], command: Command) -> None:
    out = command("status", *workers, write_worker(Path("three"), stopped=False))[1]
    assert "no: a worker is running, or was killed and not resumed yet" in " ".join(out.split())


def test_the_report_of_several_goes_into_the_working_directory(workers: tuple[str, str], command: Command) -> None:
    code, out, _ = command("report", *workers)
    assert (code, out) == (0, "Report written to report.html\n")
    html = Path("report.html").read_text("utf-8")
    assert html.count('<h3><a href="https://chess.example.org/3"') == 1
    assert html.count('href="https://chess.example.org/3"') == 3  # best, just accepted, all
    assert ">new<" in html
    assert ">old<" not in html
    assert not Path("one/report.html").exists()


def test_what_does_not_belong_together_is_refused(workers: tuple[str, str], command: Command) -> None:
    tea = write_worker(Path("other"), topic="tea")
    code, out, err = command("export", workers[0], tea)
    assert (code, out) == (1, "")
    assert 'other: it is about "tea", one about "chess"; name run folders of one crawl.' in err
    code, _, err = command("status", workers[0], "postgresql://h/db")
    assert code == 1
    assert "name it alone" in err
