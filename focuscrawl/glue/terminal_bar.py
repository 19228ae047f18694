"""Bar on a terminal: how much of the budget is used, and the last find; what is logged goes above it, unbroken."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

from focuscrawl.report.markup import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

_BAR_COLUMNS = 24
_NARROW = 80  # columns of a terminal below which the bar itself is left out


def is_terminal(stream: TextIO) -> bool:
    """Tell whether a bar can stand on `stream`: a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM", "").lower() not in ("", "dumb", "unknown")


class _Replacing:
    """Stream in which what its encoding lacks is replaced, and of which nobody need know when it is gone."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding or "utf-8"

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            self._stream.write(text.encode(self.encoding, "replace").decode(self.encoding))
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()


class TerminalBar:
    """Two lines at the foot of a terminal; they are drawn anew in place, and leave nothing behind.

    Parameters
    ----------
    stream
        The terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.file_proxy import FileProxy
        from rich.live import Live

        self._stream = stream
        file = cast("TextIO", _Replacing(stream))
        self._console = Console(file=file, force_terminal=True, highlight=False, legacy_windows=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
        self._above = FileProxy(self._console, file)
        self._handlers: list[tuple[logging.StreamHandler[Any], Any]] = []

    def open(self) -> None:
        """Begin; from now on handlers of the log that write to the terminal write above the bar."""
        for handler in logging.root.handlers:
            if isinstance(handler, logging.StreamHandler) and handler.stream is self._stream:
                self._handlers.append((handler, handler.setStream(cast("Any", self._above))))
        self._live.start()

    def close(self) -> None:
        """Take the bar away, and give the handlers their terminal back."""
        self._live.stop()
        for handler, stream in self._handlers:
            handler.setStream(stream)
        self._handlers.clear()

    def show(self, line: str, *, done: int, goal: int, find: str = "") -> None:
        """Draw: `done` of `goal` (0 for no budget), a line about it, and the last find."""
        self._live.update(self._drawn(line, done, goal, find), refresh=True)

    def _drawn(self, line: str, done: int, goal: int, find: str) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        text = Text(clean(line), no_wrap=True, overflow="ellipsis")
        first: RenderableType = text
        if goal and self._console.width >= _NARROW:
            row = Table.grid(padding=(0, 1), expand=True)
            row.add_column(width=_BAR_COLUMNS)
            row.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
            row.add_row(ProgressBar(total=goal, completed=min(done, goal), width=_BAR_COLUMNS), text)
            first = row
        if not find:
            return first
        return Group(first, Text(" ".join(clean(find).split()), style="dim", no_wrap=True, overflow="ellipsis"))
