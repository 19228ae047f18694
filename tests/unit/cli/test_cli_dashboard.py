"""The command ``focuscrawl dashboard``: what it says about wrong places and ports."""

from __future__ import annotations

import re
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from threading import Thread
from typing import Any

import pytest

from focuscrawl.dashboard.server import Dashboard

Command = Callable[..., tuple[int, str, str]]


def test_a_port_in_use_is_said(finished: Any, command: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = command("dashboard", str(finished.folder.path), "--port", str(port))
    assert code == 1
    assert err.startswith(f"127.0.0.1:{port}: ")
    assert "--port" in err


@pytest.mark.parametrize(("lang", "told"), [("en", "Dashboard: "), ("zh", "仪表盘：")])
def test_the_language_can_be_named(
    finished: Any, command: Command, monkeypatch: pytest.MonkeyPatch, lang: str, told: str
) -> None:
    served: list[str] = []
    until_closed = Dashboard.serve

    def serve(board: Dashboard) -> None:
        served.append(board.language)
        end = Thread(target=board.close)
        end.start()
        until_closed(board)
        end.join()

    monkeypatch.setattr(Dashboard, "serve", serve)
    code, out, _ = command("dashboard", str(finished.folder.path), "--port", "0", "--lang", lang)
    assert (code, served) == (0, [lang])
    assert out.startswith(told)


def test_a_run_of_a_newer_version_is_said(finished: Any, command: Command) -> None:
    with closing(sqlite3.connect(finished.folder.db)) as db, db:
        db.execute("UPDATE settings SET value = '99' WHERE name = 'schema_version'")
    db.close()
    code, _, err = command("dashboard", str(finished.folder.path), "--port", "0")
    assert code == 1
    assert "upgrade focuscrawl" in err


def test_a_damaged_run_is_said(finished: Any, command: Command) -> None:
    finished.folder.db.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    code, _, err = command("dashboard", str(finished.folder.path), "--port", "0")
    assert code == 1
    assert "crawl.db" in err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("nowhere",), 1, '"nowhere": no run'),
        (("--on", "http://example.org"), 2, "expected the URL of a fleet's Redis"),
        (("redis://127.0.0.1:1/0", "--on", "redis://127.0.0.1:2/0"), 2, "one crawl"),
    ],
)
def test_what_is_no_crawl_is_said(
    finished: Any, command: Command, arguments: tuple[str, ...], code: int, told: str
) -> None:
    ended, _, err = command("dashboard", *arguments, "--port", "0", "--wait", "0")
    assert ended == code
    assert told in err


def test_a_run_that_is_not_there_yet_is_waited_for(
    finished: Any, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = finished.folder.path
    aside = here.rename(here.with_name("aside"))
    looks: list[float] = []

    def begin(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            aside.rename(here)

    monkeypatch.setattr("focuscrawl.cli.dashboard.sleep", begin)
    with socket.socket() as taken:  # the port ends the command, once the run is found
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = command("dashboard", str(here), "--port", str(port), "--wait", "600")
    assert (code, len(looks)) == (1, 2)
    first, second, *_ = err.splitlines()
    assert first.startswith("There is no such run yet; waiting 600 s for it. ")
    assert second.startswith(f"127.0.0.1:{port}: ")


@pytest.mark.parametrize(
    ("language", "told", "fault"),
    [
        ("en", "--wait 60 waits longer.", r'"nowhere": no run of this name; .* topics with runs in crawls: [\w-]+\.'),
        ("zh", "--wait 60 可以等得更久。", '"nowhere"：没有叫这个名字的运行；.*crawls 里有运行的主题：[\\w-]+。'),
    ],
)
def test_while_waiting_it_is_said_what_to_do(
    finished: Any, command: Command, monkeypatch: pytest.MonkeyPatch, language: str, told: str, fault: str
) -> None:
    clock = iter((0.0, 1.0, 6.0))
    monkeypatch.setattr("focuscrawl.cli.dashboard.monotonic", lambda: next(clock))
    monkeypatch.setattr("focuscrawl.cli.dashboard.sleep", lambda _: None)
    code, _, err = command("dashboard", "nowhere", "--port", "0", "--lang", language)
    assert code == 1
    first, second = err.splitlines()
    assert first.endswith(told)
    assert re.fullmatch(fault, second)
