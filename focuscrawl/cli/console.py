"""Output of the commands: plain text and tables for people, JSON for programs.

Texts of pages are cleaned of control characters first: a title must not move the cursor or colour the terminal.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import RawIOBase, StringIO
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import StoreError, os_reason
from focuscrawl.report.markup import clean
from focuscrawl.types import plain_json

if TYPE_CHECKING:
    from rich.table import Table

_LEAST = 14  # columns that are left to a name: fewer would break every word
_WIDE = 120  # columns written when the output is not a terminal: nothing there says how wide it may be


class ReaderGone(Exception):  # noqa: N818 - not an error: whoever read our output has enough
    """Standard output was closed by its reader."""


def one_line(text: str) -> str:
    """Return `text` on one line, without characters that act on a terminal.

    >>> one_line("a\\x1b[31m  b\\n c")
    'a[31m b c'
    """
    return " ".join(clean(text).split())


def print_json(data: object) -> None:
    """Write `data` as JSON for programs: UTF-8, Chinese as it is."""
    write_text(plain_json(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)) + "\n")


def write_text(text: str) -> None:
    """Write to standard output: to a terminal in its encoding, to files and programs as UTF-8, whatever the locale."""
    write_bytes(text.encode(_encoding(), "replace"))


def _encoding() -> str:
    """Return a terminal's own encoding where Chinese can be written in it, as in GBK or Big5, else UTF-8."""
    if not sys.stdout.isatty():
        return "utf-8"
    encoding = sys.stdout.encoding
    try:
        "中文".encode(encoding)
    except UnicodeEncodeError:  # of the C locale, in which Chinese must not fail
        return "utf-8"
    return encoding


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output.

    Raises
    ------
    ReaderGone
        If nobody reads them any more.
    StoreError
        If they cannot be written, as on a full disk.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error
    except OSError as error:
        raise StoreError(f"Standard output cannot be written: {os_reason(error)}.") from error


class Output(RawIOBase):
    """Standard output as a file of bytes."""

    def writable(self) -> bool:
        """Return True, as a file that can be written does."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes as `write_bytes` does."""
        write_bytes(bytes(data))
        return len(data)


def print_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Write names and values in two columns."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(name), Text(one_line(value)))
    _print(table)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "") -> None:
    """Write a table; a column named with a leading ``>`` is set to the right.

    Where the terminal is too narrow, cells of the other columns are folded, down to 14 columns each. A table that is
    still wider is left to the terminal to wrap: no figure and no name is left out.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", title_style="bold", pad_edge=False)
    for name, *cells in zip(columns, *rows, strict=True):
        right, head = name.startswith(">"), name.removeprefix(">")
        widest = max(cell_len(one_line(cell)) for cell in (head, *cells))
        table.add_column(
            head,
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold",
            min_width=widest if right else min(widest, _LEAST),
        )
    for row in rows:
        table.add_row(*[Text(one_line(cell)) for cell in row])
    _print(table, least=sum(column.min_width or 0 for column in table.columns) + 3 * len(columns) - 1)


def print_line(text: str = "") -> None:
    """Write one line for people; long ones are left to the terminal to wrap."""
    write_text(one_line(text) + "\n")


def warn(text: str) -> None:
    """Write sentences to standard error; what they quote of strangers' files does not act on a terminal."""
    text = clean(text)
    with suppress(OSError):
        stream = sys.stderr
        stream.write(text.encode(stream.encoding or "utf-8", "replace").decode(stream.encoding or "utf-8") + "\n")


def _print(table: Table, *, least: int = 0) -> None:
    from rich.console import Console  # 40 ms that --help and --json need not wait for

    terminal = sys.stdout.isatty()
    text = StringIO()
    # Files and pipes get a fixed width, so that results can be compared.
    width = shutil.get_terminal_size((_WIDE, 24)).columns if terminal else _WIDE
    width = max(width, least)
    Console(
        file=text, force_terminal=terminal, no_color=None if terminal else True, width=width, highlight=False
    ).print(table)
    lines = text.getvalue().splitlines()
    write_text("".join(f"{line.rstrip()}\n" for line in lines))
