"""Search for links beside a crawl, as in sitemaps, which keeps it from ending for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class LinksBeside:
    """Whether links may still come from beside a crawl.

    Parameters
    ----------
    patience_s
        Seconds that a crawl with nothing else to do waits for them.
    clock
        Gives monotonic seconds.
    """

    def __init__(self, patience_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience_s = patience_s
        self._clock = clock
        self._searches = 0
        self._idle_since: float | None = None  # None while the crawl has other work

    @contextmanager
    def search(self) -> Iterator[None]:
        """Count a block as a search."""
        self._searches += 1
        try:
            yield
        finally:
            self._searches -= 1

    def note(self, *, idle: bool) -> None:
        """Take note of whether the crawl has nothing else to do; for each turn of its loop."""
        if not (idle and self._searches):
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = self._clock()

    @property
    def may_come(self) -> bool:
        """Whether a search is under way that has not been waited for too long."""
        since = self._idle_since
        return self._searches > 0 and (since is None or self._clock() - since <= self._patience_s)
