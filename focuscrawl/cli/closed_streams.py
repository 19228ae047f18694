"""Standard streams that were closed before the command began, as by ``focuscrawl status RUN >&-``.

Python has None in their places, and the next file or socket that is opened gets their numbers.
"""

from __future__ import annotations

import os
import sys
from io import RawIOBase, TextIOBase
from typing import Any

from focuscrawl.errors import StoreError

_STREAMS = (0, 1, 2)


class ClosedOutput(TextIOBase):
    """Standard output of a command that has none: to write to it is an error, as nobody would read it."""

    @property
    def buffer(self) -> RawIOBase:
        """The same for bytes."""
        return _ClosedBytes()

    def write(self, text: str) -> int:
        """Raise StoreError."""
        del text
        raise _error()


class _ClosedBytes(RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        del data
        raise _error()


def stand_in_for_closed() -> None:
    """Put something in the place of closed streams: an empty input, `ClosedOutput`, and for errors what takes them."""
    lowest = os.open(os.devnull, os.O_RDWR)
    while lowest in _STREAMS:
        os.set_inheritable(lowest, True)
        lowest = os.dup(lowest)
    os.close(lowest)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    if sys.stderr is None:  # whoever closes it does not want to hear of errors
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")


def _error() -> StoreError:
    return StoreError("Standard output is closed, so nothing can be written there; lead it to a file, or to /dev/null.")
