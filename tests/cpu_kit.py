"""A bound on CPU time: how long other processes keep the machine busy does not count."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooMuchCpu(AssertionError):
    """The code below `cpu_limit` took more than it may."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `TooMuchCpu` when the block takes more CPU time; regular expressions are broken off at once.

    The garbage collector rests meanwhile: what it takes depends on all that the tests before left behind, and what
    is raised while it runs is swallowed by its callbacks.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooMuchCpu(f"more than {seconds:g} s of CPU")

    collecting = gc.isenabled()
    gc.disable()
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if collecting:
            gc.enable()
