"""Hang-up of the terminal that a crawl was started from."""

from __future__ import annotations

import signal
from types import FrameType


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
