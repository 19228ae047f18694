"""Bound on the time one page may hold the event loop.

Reading a page is bounded by its size (`focuscrawl.page.tree`); a plug-in is not, nor is a fault that nobody has met.
A timer of the operating system counts the processor time of this process, so that a busy machine takes nothing from a
page, and its signal raises an error wherever Python is. It cannot break off a single call of C code (one parse, one
sort, one product of matrices), which ends before Python looks for signals; regular expressions look for them
themselves. What waits without computing, as for an answer of another server, takes no processor time and is not ended.
What a plug-in had begun stays as it is, as after an error that it raises.

What else would do it: a process a page costs a copy of the tree and of all that was learned, more than most pages
take. A thread that watches counts real time, and needs the interpreter's lock from the very code that holds it. A
tracing function makes every page slower. A limit of the operating system on processor time ends the process. Signals
reach the main thread only: in another one there is no limit, which the log says once.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import ParamSpec, TypeVar

logger = logging.getLogger(__name__)

TOO_SLOW = "too slow to read"
"""What the reasons of pages that were given up begin with."""
# Code that catches everything is told again.
_AGAIN_S = 1.0

_P = ParamSpec("_P")
_T = TypeVar("_T")


class TooSlowError(BaseException):
    """A page took too long; no `Exception`, which plug-ins and the nets around them may catch."""


class Watchdog:
    """Runs functions for at most so many seconds of processor time.

    Parameters
    ----------
    seconds
        Of user time of this process, all threads together; 0 is no limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._running = False

    def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what `function` returns.

        Raises
        ------
        TooSlowError
            If it took longer.
        """
        if not self._can_watch():
            return function(*args, **kwargs)
        handler = signal.signal(signal.SIGVTALRM, self._bark)
        timer = signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds, _AGAIN_S)
        try:
            try:
                self._running = True
                return function(*args, **kwargs)
            finally:
                self._running = False
        finally:
            # A signal may come on the way here, but no second one: it takes a second more.
            self._running = False
            signal.setitimer(signal.ITIMER_VIRTUAL, *timer)
            signal.signal(signal.SIGVTALRM, handler)

    def _bark(self, _signal: int, _frame: FrameType | None) -> None:
        if self._running:
            raise TooSlowError(f"{TOO_SLOW}: more than {self.seconds:g} s of processor time")

    def _can_watch(self) -> bool:
        if not self.seconds:
            return False
        if threading.current_thread() is threading.main_thread():
            # None: code that is no Python's, such as a profiler, has the signal.
            return signal.getsignal(signal.SIGVTALRM) is not None
        logger.warning("the crawl is not in the main thread of its process: no page is given up as too slow to read")
        self.seconds = 0.0
        return False
