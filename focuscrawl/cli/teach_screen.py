"""Questions in a terminal: a page shown with the topic's words marked, and one key for the answer."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from io import StringIO
from select import select
from typing import TYPE_CHECKING
from unicodedata import normalize

from focuscrawl.cli import console
from focuscrawl.topic.word_finder import word_finder
from focuscrawl.wording.base import Say
from focuscrawl.wording.teach import NO_TITLE, PROMPT

if TYPE_CHECKING:
    import re2
    from rich.text import Text

    from focuscrawl.teaching.candidates import Candidate

_LINES = 14
"""Lines of text shown of a page: with title, address and keys they fit a terminal of 24."""
_CHARS = 4_000
_WIDTH = 100
_LOOK_S = 0.5


class Key(StrEnum):
    """Answer to a question."""

    YES = "y"
    NO = "n"
    SKIP = "s"
    UNDO = "u"
    QUIT = "q"


def show_page(page: Candidate, words: Sequence[str], say: Say, *, head: str) -> None:
    """Write a page for a person: address, title, the beginning of its own text, with the topic's words marked."""
    from rich.console import Console
    from rich.text import Text

    terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size((_WIDTH, 24)).columns if terminal else _WIDTH
    out = StringIO()
    screen = Console(
        file=out,
        force_terminal=terminal,
        no_color=None if terminal else True,
        width=min(columns, _WIDTH),
        highlight=False,
    )
    title, paragraphs = console.one_line(page.title), list(_paragraphs(page.text[:_CHARS]))
    marks = word_finder(words, "\n".join((title, *paragraphs)))
    body = Text("\n").join(_marked(line, marks, plain=not terminal) for line in paragraphs)
    lines = body.wrap(screen, screen.width)
    screen.print()
    screen.print(Text(head, style="dim"))
    screen.print(Text(console.one_line(page.url), style="cyan", overflow="fold"))
    heading = _marked(title or say(NO_TITLE), marks, plain=not terminal)
    heading.stylize("bold")
    screen.print(heading)
    for line in lines[:_LINES]:
        screen.print(line)
    if len(lines) > _LINES:
        screen.print(Text("…", style="dim"))
    console.write_text("".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines()))


def ask_key(say: Say) -> Key:
    """Return the key that was pressed; the end of the input is to quit.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    console.write_text(say(PROMPT))
    while True:
        pressed = _pressed()
        if pressed is None:
            console.print_line()
            return Key.QUIT
        key = normalize("NFKC", pressed).strip().lower()[:1]
        if key in set(Key):
            console.print_line(key)
            return Key(key)


def _pressed() -> str | None:
    """Return a key of the terminal, or a line of an input that is none; None at its end."""
    if not sys.stdin.isatty():
        return sys.stdin.readline() or None
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSANOW)  # flushing would lose a key pressed before the question was there
        while not select([handle], [], [], _LOOK_S)[0]:
            pass  # a Ctrl-C that came just before the waiting began is noticed here, it would wait for a key
        data = os.read(handle, 16)  # one key, with what a function key sends after it
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
    return data.decode("utf-8", "ignore") if data and data != b"\x04" else None


def _paragraphs(text: str) -> Iterable[str]:
    return (line for raw in text.splitlines() if (line := console.one_line(raw)))


def _marked(line: str, marks: re2._Regexp[str] | None, *, plain: bool) -> Text:
    """Return a line with the topic's words in another colour, or in brackets where there are no colours."""
    from rich.text import Text

    if marks is None:
        return Text(line)
    if plain:
        return Text(marks.sub(lambda found: f"[{found[0]}]", line))
    text = Text(line)
    for found in marks.finditer(line):
        text.stylize("bold yellow", *found.span())
    return text
