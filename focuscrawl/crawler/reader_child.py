"""Reader of pages in a process of its own: ``python -P reader_child.py``.

It analyses pages and extracts their main content; what was learned stays in the process of the crawl. A request, on
standard input, and an answer, on standard output, are eight bytes of length and a tuple as `marshal` writes it
(`focuscrawl.page.packed`): the name of what is asked with its arguments, and what it gave, or why it gave nothing. The
first request brings the module path of the process that asks.
"""

from __future__ import annotations

import marshal
import os
import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from focuscrawl.crawler.reader_setup import Reader

OK, UNKNOWN, SLOW, FAULT = "ok", "unknown", "slow", "fault"
"""How an answer begins: a value, a page that is not held here, one that took too long, an error of a part."""

LENGTH = 8
_MOST_PAGES = 64  # whose trees are held; more are asked about than downloads are under way only after faults


def receive(stream: IO[bytes]) -> Any:
    """Return the next message, None at the end."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head, "big")
    data = stream.read(size)
    return marshal.loads(data) if len(data) == size else None  # noqa: S302 - of a program that is a part of this one


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message.

    Raises
    ------
    ValueError
        If it is no plain data.
    """
    data = marshal.dumps(message)
    stream.write(len(data).to_bytes(LENGTH, "big") + data)
    stream.flush()


class Desk:
    """Answers requests, and holds the pages that may be asked about again."""

    def __init__(self) -> None:
        self._reader: Reader | None = None
        self._pages: OrderedDict[int, Any] = OrderedDict()

    def answer(self, request: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the answer to a request."""
        name, *arguments = request
        if name == "use":
            return self._use(*arguments)
        if self._reader is None:
            return (UNKNOWN,)
        from focuscrawl.crawler.watchdog import TooSlowError
        from focuscrawl.errors import PLUGIN_FAULTS, PluginError

        work: Callable[..., Any] = getattr(self, f"_{name}")
        try:
            return work(*arguments)  # type: ignore[no-any-return]
        except TooSlowError as error:
            return SLOW, str(error)
        except PluginError as error:
            return FAULT, type(error).__name__, str(error)
        except PLUGIN_FAULTS as error:
            return FAULT, type(error).__name__, traceback.format_exc()

    def _use(self, path: list[str], setup: dict[str, Any]) -> tuple[Any, ...]:
        sys.path[:] = path
        try:
            from focuscrawl.crawler import garbage
            from focuscrawl.crawler.allocator import give_back_freed_memory
            from focuscrawl.crawler.reader_setup import Reader

            give_back_freed_memory()
            garbage.relax()
            self._reader = Reader(**setup)
        except Exception as error:
            return FAULT, type(error).__name__, str(error)
        return OK, None

    def _read(self, number: int, done: list[int], *page: Any) -> tuple[Any, ...]:
        for one in done:
            self._pages.pop(one, None)
        assert self._reader is not None
        analysis, row = self._reader.read(*page)
        self._pages[number] = analysis
        if len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        return OK, row

    def _extract(self, number: int, quick: bool) -> tuple[Any, ...]:
        assert self._reader is not None
        page = self._pages.get(number)
        return (UNKNOWN,) if page is None else (OK, self._reader.extract(page, quick=quick))

    def _markdown(self, number: int, text: str) -> tuple[Any, ...]:
        assert self._reader is not None
        page = self._pages.get(number)
        return (UNKNOWN,) if page is None else (OK, self._reader.markdown(page, text))


def main() -> None:
    """Answer until standard input ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # what a plug-in may print is no answer
    desk = Desk()
    while (request := receive(requests)) is not None:
        send(answers, desk.answer(request))


if __name__ == "__main__":
    main()
