"""Run folders: made, opened, found, refused."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from threading import Event, Thread

import pytest

from focuscrawl.errors import FrontierError, NoRunError, StoreError
from focuscrawl.storage.run import RunFolder, without_secrets
from focuscrawl.storage.runlock import RunLock, holder_of, lock_folder

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def started(base: Path, topic: str, now: datetime = NOON) -> RunFolder:
    run = RunFolder.create(base, topic, now=now)
    run.db.touch()
    return run


def test_a_new_run_lies_under_topic_and_utc_time(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "crawls", "chess", now=NOON.astimezone(timezone(timedelta(hours=8))))
    assert run.path == tmp_path / "crawls" / "chess" / "20261121T120000Z"
    assert run.path.is_dir()
    assert not run.resumed
    names = [p.name for p in (run.db, run.pages_jsonl, run.report, run.log, run.archive)]
    assert names == ["crawl.db", "pages.jsonl", "report.html", "run.log", "archive"]


def test_runs_of_one_second_do_not_share_a_folder(tmp_path: Path) -> None:
    runs = [started(tmp_path, "chess") for _ in range(11)]
    assert len({run.path for run in runs}) == 11
    assert runs[1].path.name == "20261121T120000Z-2"
    assert RunFolder.find("chess", base=tmp_path).path == runs[-1].path  # -11 is after -2


def test_an_existing_run_is_resumed(tmp_path: Path) -> None:
    run = started(tmp_path, "chess")
    assert RunFolder.open(run.path).resumed
    assert RunFolder.open_or_create(run.path).resumed


def test_a_named_folder_is_made_and_one_that_was_killed_early_is_taken(tmp_path: Path) -> None:
    run = RunFolder.open_or_create(tmp_path / "我的爬行" / "a")
    assert not run.resumed
    run.log.touch()  # killed before the database was there
    assert not RunFolder.open_or_create(run.path).resumed


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").touch()
    with pytest.raises(StoreError, match=r'no crawl\.db in it, but "thesis\.docx"; name a new or empty folder'):
        RunFolder.open_or_create(tmp_path)


def test_what_is_not_a_run_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such run folder"):
        RunFolder.open(tmp_path / "no")
    with pytest.raises(StoreError, match=r"not a run folder: there is no crawl\.db in it"):
        RunFolder.open(tmp_path)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StoreError, match="a run folder is expected, this is a file"):
        RunFolder.open(file)
    with pytest.raises(StoreError, match="a run folder is expected, this is a file"):
        RunFolder.open_or_create(file)
    with pytest.raises(StoreError, match="cannot be made here: not a directory"):
        RunFolder.create(file, "chess", now=NOON)


@pytest.mark.parametrize(("refused", "message"), [(os.R_OK, "cannot be read"), (os.W_OK, "cannot be written")])
def test_missing_rights_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: int, message: str) -> None:
    # Rights cannot be taken from a superuser, so the system's answer is what is replaced.
    run = started(tmp_path, "chess")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != refused)
    with pytest.raises(StoreError, match=message):
        RunFolder.open(run.path)


def test_reading_needs_no_right_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = started(tmp_path, "chess")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert RunFolder.find(str(run.path)).path == run.path


def test_find_takes_paths_topics_and_latest(tmp_path: Path) -> None:
    base = tmp_path / "crawls"
    started(base, "chess", NOON - timedelta(days=1))
    chess = started(base, "chess")
    tea = started(base, "tea", NOON + timedelta(hours=1))
    RunFolder.create(base, "chess", now=NOON + timedelta(days=9))  # no database: not a run yet
    assert RunFolder.find("latest", base=base).path == tea.path
    assert RunFolder.find("chess", base=base).path == chess.path
    assert RunFolder.find(str(base / "chess"), base=base).path == chess.path
    assert RunFolder.find(str(base), base=base).path == tea.path
    assert RunFolder.find(str(tea.path), base=base).path == tea.path
    assert RunFolder.find(str(tea.db), base=base).path == tea.path


def test_find_knows_the_runs_of_a_demo(tmp_path: Path) -> None:
    started(tmp_path, "chess", NOON - timedelta(days=1))
    for name, minute in (("focused", 2), ("breadth-first", 1)):
        run = tmp_path / "demo" / "20260101T000000Z" / name
        run.mkdir(parents=True)
        (run / "crawl.db").write_bytes(b"")
        os.utime(run / "crawl.db", (NOON.timestamp() + minute,) * 2)
    newest = tmp_path / "demo" / "20260101T000000Z" / "focused"
    assert RunFolder.find("latest", base=tmp_path).path == newest
    assert RunFolder.find("demo", base=tmp_path).path == newest
    assert RunFolder.find(str(newest.parent), base=tmp_path).path == newest


def test_no_run_is_meant_by_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started(tmp_path / "crawls", "chess")
    monkeypatch.chdir(tmp_path / "crawls")
    with pytest.raises(NoRunError, match="no run is named"):
        RunFolder.find("")


def test_find_names_what_there_is(tmp_path: Path) -> None:
    started(tmp_path, "chess")
    with pytest.raises(StoreError, match=r'"ches": no run of this name.*: chess\. Did you mean "chess"'):
        RunFolder.find("ches", base=tmp_path)
    with pytest.raises(StoreError, match="no run here yet"):
        RunFolder.find("latest", base=tmp_path / "none")


def test_a_folder_of_the_working_directory_does_not_hide_a_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(tmp_path / "crawls", "chess")
    (tmp_path / "chess").mkdir()
    monkeypatch.chdir(tmp_path)
    assert RunFolder.find("chess").path.resolve() == run.path


def test_secrets_are_not_saved() -> None:
    given = {
        "http_proxy": "http://me:pw@proxy:8080",
        "FOCUSCRAWL_FRONTIER_URL": "redis://:pw@127.0.0.1:6379/0",
        "REDIS_URL": "rediss+sentinel://one/main?sentinel_password=x&db=1&ssl_password=y",
        "SOME_PASSWORD": "x",
        "apiKey": "x",
        "seeds": ["https://u:p@example.org/", "https://example.org/@name"],
        "nested": {"session_token": "x", "pages": 5},
        "COOKIES_ENABLED": False,
        "HTTPAUTH_ENABLED": "0",
        "author": "a",
        "tokenizer": "ngram",
        "AUTH_TOKEN": "",
    }
    assert without_secrets(given) == {
        "http_proxy": "http://***@proxy:8080",
        "FOCUSCRAWL_FRONTIER_URL": "redis://***@127.0.0.1:6379/0",
        "REDIS_URL": "rediss+sentinel://one/main?sentinel_password=***&db=1&ssl_password=***",
        "SOME_PASSWORD": "***",
        "apiKey": "***",
        "seeds": ["https://***@example.org/", "https://example.org/@name"],
        "nested": {"session_token": "***", "pages": 5},
        "COOKIES_ENABLED": False,
        "HTTPAUTH_ENABLED": "0",
        "author": "a",
        "tokenizer": "ngram",
        "AUTH_TOKEN": "",
    }


@pytest.mark.parametrize(
    "name", ["pages.jsonl", "run.log", "crawl.lock", "crawl.db", "crawl.db-wal", "control.jsonl", "archive/a.warc.gz"]
)
def test_a_folder_with_links_in_it_is_not_written_to(tmp_path: Path, name: str) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    run = started(tmp_path, "chess")
    (run.path / name).parent.mkdir(exist_ok=True)
    (run.path / name).unlink(missing_ok=True)
    os.symlink(mine, run.path / name)
    with pytest.raises(StoreError, match=r"is a link, a pipe or a device; a run folder holds files of its own only"):
        RunFolder.open_or_create(run.path)
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_pipe_in_a_run_folder_does_not_hold_the_crawl(tmp_path: Path) -> None:
    run = started(tmp_path, "chess")
    os.mkfifo(run.path / "pages.jsonl")
    with pytest.raises(StoreError, match="is a link, a pipe or a device"):
        RunFolder.open(run.path)


def test_the_run_folder_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    run = started(tmp_path / "disk", "chess")
    os.symlink(tmp_path / "disk", tmp_path / "crawls")
    assert RunFolder.open(tmp_path / "crawls" / "chess" / run.path.name).resumed


def test_who_looks_for_the_process_of_a_run_keeps_no_crawl_from_beginning(tmp_path: Path) -> None:
    lock = tmp_path / "crawl.lock"
    assert holder_of(lock) is None
    first = RunLock(lock)
    assert first.acquire() is None
    assert (holder_of(lock), RunLock(lock).acquire()) == (os.getpid(), os.getpid())
    first.release()
    assert holder_of(lock) is None
    stop = Event()

    def look() -> None:
        while not stop.is_set():
            holder_of(lock)

    looking = Thread(target=look)
    looking.start()
    try:
        for _ in range(200):
            begun = RunLock(lock)
            assert begun.acquire() is None
            begun.release()
    finally:
        stop.set()
        looking.join()


def test_a_lock_that_a_full_disk_does_not_take_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("focuscrawl.storage.runlock.os.write", full)
        with pytest.raises(FrontierError, match="no space left on device"):
            lock_folder(tmp_path)
    lock_folder(tmp_path).release()  # there is room again, and the process goes on
