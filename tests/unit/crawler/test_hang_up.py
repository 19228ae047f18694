"""Hang-up of a terminal, with real signals sent to this process."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from focuscrawl.crawler.hang_up import end_in_order_on_hang_up


@pytest.fixture
def received() -> Iterator[list[int]]:
    """Return the signals that came where SIGTERM is listened for; the process has its own handlers back afterwards."""
    numbers: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, lambda number, _: numbers.append(number))
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


def test_hang_ups_end_a_process_in_order_however_many_come(received: list[int]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    end_in_order_on_hang_up()
    signal.raise_signal(signal.SIGHUP)
    signal.raise_signal(signal.SIGHUP)
    assert received == [signal.SIGTERM]


def test_a_hang_up_that_is_ignored_stays_so(received: list[int]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    end_in_order_on_hang_up()
    signal.raise_signal(signal.SIGHUP)
    assert received == []
