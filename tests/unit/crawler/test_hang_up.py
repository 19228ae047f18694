"""Hang-up of a terminal and repeated SIGTERM, with real signals sent to this process."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator

import pytest

from focuscrawl.crawler.hang_up import end_in_order_on_hang_up, take_terminations_at_once_as_one


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


def test_terminations_at_once_are_one_and_a_later_one_is_the_second(received: list[int]) -> None:
    now_s, ordered = 0.0, []

    def at_once(number: int, _: object) -> None:
        ordered.append("at once")

    def in_order(number: int, _: object) -> None:
        ordered.append("in order")
        signal.signal(number, at_once)  # as Scrapy does

    async def crawl() -> None:
        nonlocal now_s
        signal.signal(signal.SIGTERM, in_order)
        take_terminations_at_once_as_one(lambda: now_s)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGTERM)
        assert ordered == ["in order"]
        now_s = 1.0
        signal.raise_signal(signal.SIGTERM)
        assert ordered == ["in order", "at once"]

    asyncio.run(crawl())


def test_a_termination_that_nobody_listens_for_stays_so(received: list[int]) -> None:
    async def crawl() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        take_terminations_at_once_as_one()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN

    asyncio.run(crawl())
