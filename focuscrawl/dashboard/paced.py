"""Work that is repeated no oftener than its cost allows: a share of one core, whatever the size of the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Paced(Generic[T]):
    """A result that is made anew when it is old enough for what making it cost.

    Parameters
    ----------
    make
        Makes the result.
    every_s
        Age after which it may be made anew, at the least.
    share
        Share of one core that making it may take in the mean, in (0, 1].
    most_s
        Age at which it is made anew whatever it cost, for what costs much only now and then.
    clock, cpu
        Seconds that pass, and seconds of CPU that this thread has used.

    Attributes
    ----------
    spent_s
        Seconds of CPU that making it has taken in all.
    """

    def __init__(
        self,
        make: Callable[[], T],
        *,
        every_s: float,
        share: float,
        most_s: float = float("inf"),
        clock: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        self._make = make
        self._every_s = every_s
        self._share = share
        self._most_s = most_s
        self._clock = clock
        self._cpu = cpu
        self._due = float("-inf")
        self._expired = False
        self._result: T | None = None
        self.spent_s = 0.0

    def __call__(self) -> T:
        """Return the result, made anew where it is due."""
        if self._result is None or self._clock() >= self._due:
            began, self._expired = self._cpu(), False
            self._result = self._make()
            spent_s = self._cpu() - began
            self.spent_s += spent_s
            self._due = self._clock() + min(self._most_s, max(self._every_s, spent_s / self._share))
            if self._expired:  # by another thread: part of the result may be older than that
                self._due = float("-inf")
        return self._result

    def expire(self) -> None:
        """Have the result made anew the next time; one that is being made does not count."""
        self._expired = True
        self._due = float("-inf")

    @property
    def wait_s(self) -> float:
        """Seconds until it is due."""
        return max(0.0, self._due - self._clock())
