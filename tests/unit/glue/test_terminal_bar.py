"""The bar on a terminal: in place, beside logs that stay whole."""

from __future__ import annotations

import io
import logging

import pytest

from focuscrawl.glue.terminal_bar import TerminalBar, is_terminal


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return Terminal()


def test_lines_of_the_log_stay_whole_above_the_bar(terminal: Terminal) -> None:
    handler = logging.StreamHandler(terminal)
    logging.root.addHandler(handler)
    bar = TerminalBar(terminal)
    try:
        bar.open()
        bar.show("30 of 100 pages", done=30, goal=100, find="last find: 茶")
        logging.getLogger("crawl").warning("a [host] is down: %s", "x" * 20)
        bar.show("31 of 100 pages", done=31, goal=100)
        bar.close()
        assert handler.stream is terminal
    finally:
        logging.root.removeHandler(handler)
    written = terminal.getvalue()
    assert f"a [host] is down: {'x' * 20}\n" in written
    assert written.index("30 of 100") < written.index("is down") < written.index("31 of 100")
    assert "茶" in written


def test_a_title_cannot_move_the_cursor(terminal: Terminal) -> None:
    bar = TerminalBar(terminal)
    bar.open()
    bar.show("1 page", done=1, goal=0, find="\x1b[2Jgone\x07")
    bar.close()
    assert "\x1b[2J" not in terminal.getvalue()
    assert "\x07" not in terminal.getvalue()


def test_a_narrow_terminal_gets_the_line_alone(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    bar = TerminalBar(terminal)
    bar.open()
    bar.show("x" * 60, done=5, goal=10)
    bar.close()
    assert "━" not in terminal.getvalue()
    assert "x" * 39 + "…" in terminal.getvalue()


def test_a_terminal_that_is_gone_does_not_stop_the_crawl(terminal: Terminal) -> None:
    bar = TerminalBar(terminal)
    bar.open()
    terminal.close()
    bar.show("1 page", done=1, goal=10)
    bar.close()


@pytest.mark.parametrize(("term", "can"), [("xterm-256color", True), ("dumb", False), ("", False)])
def test_where_a_bar_can_stand(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, term: str, can: bool) -> None:
    monkeypatch.setenv("TERM", term)
    assert is_terminal(terminal) is can
    assert not is_terminal(io.StringIO())
