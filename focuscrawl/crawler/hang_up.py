"""Signals that end a crawl: hang-up of the terminal that it was started from, and repeated SIGTERM."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from time import monotonic
from types import FrameType

_AT_ONCE_S = 1.0


def end_in_order_on_hang_up() -> None:
    """Have SIGHUP end this process as SIGTERM does, where it would kill it; for the main thread.

    Where it is ignored, as under ``nohup``, it stays so.
    """
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    del number, frame
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the shell sends another, and a second SIGTERM would mean at once
    signal.raise_signal(signal.SIGTERM)


def take_terminations_at_once_as_one(clock: Callable[[], float] = monotonic) -> None:
    """Have a SIGTERM within a second of the first say no more than that; for the main thread, with a loop running.

    ``timeout`` of coreutils sends one to the process and one to its group, systemd one to each process of a service and
    a parent may send its own on. Scrapy takes the second for an order to end at once, without a report.
    """
    loop, first = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM)
    if not callable(first):
        return
    began_s: float | None = None
    second: Callable[[int, FrameType | None], object] | None = None

    def take(number: int, frame: FrameType | None) -> None:
        nonlocal began_s
        if began_s is None:
            began_s = clock()
            loop.call_soon_threadsafe(begin, number)  # not here: this handler stays until all at once have come
        elif second is not None and clock() - began_s >= _AT_ONCE_S:
            second(number, frame)

    def begin(number: int) -> None:
        nonlocal second
        first(number, None)
        following = signal.getsignal(signal.SIGTERM)  # the handler has put another in its own place
        second = following if callable(following) else None
        signal.signal(signal.SIGTERM, take)

    signal.signal(signal.SIGTERM, take)
