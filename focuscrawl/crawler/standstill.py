"""Standstill: the time a crawl waits for hosts that want to be left alone, while no link comes to its end."""

from __future__ import annotations


class Standstill:
    """Sum of the waits since a link last came to its end; no wait counts longer than it was to last.

    A host that answers "in four minutes" to each request asks for no long wait, and for hours all the same.

    Parameters
    ----------
    patience_s
        Longest sum, in seconds.
    """

    __slots__ = ("_ended", "_patience_s", "_since", "_until", "_waited_s")

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._waited_s = 0.0
        self._since: float | None = None  # since when it waits
        self._until = 0.0
        self._ended = 0  # links of a fleet

    def waits(self, now: float, *, until: float) -> None:
        """Note that from now on everything waits, as far as is known until a Unix time."""
        if self._since is None:
            self._since = now
        self._until = until

    def goes_on(self, now: float) -> None:
        """Note that something is under way; a clock that jumps meanwhile adds nothing."""
        if self._since is not None:
            self._waited_s += max(0.0, min(now, self._until) - self._since)
            self._since = None

    def ended(self) -> None:
        """Note that a link has come to its end."""
        self._waited_s = 0.0
        self._since = None

    def counted(self, ended: int) -> None:
        """Take note of how many links have come to their end with all workers of a fleet."""
        if ended != self._ended:
            self._ended = ended
            self.ended()

    def is_worth(self, now: float, *, until: float) -> bool:
        """Tell whether to wait until a Unix time."""
        since = now if self._since is None else self._since
        return until <= now or self._waited_s + until - since <= self._patience_s
