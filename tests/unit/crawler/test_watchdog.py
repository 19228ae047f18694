"""Watchdog: what takes too much processor time is ended, and nothing else is."""

from __future__ import annotations

import logging
import re
import signal
import threading
import time
from contextlib import suppress

import pytest

from focuscrawl.crawler import watchdog
from focuscrawl.crawler.watchdog import TooSlowError, Watchdog


def spin() -> None:
    while True:
        pass


def test_what_ends_in_time_returns_its_result() -> None:
    assert Watchdog(60.0).run(divmod, 7, 2) == (3, 1)


def test_what_does_not_end_is_ended() -> None:
    with pytest.raises(TooSlowError, match=r"^too slow to read: more than 0\.05 s of processor time$"):
        Watchdog(0.05).run(spin)


def test_nets_for_errors_do_not_catch_it() -> None:
    def caught() -> None:
        while True:
            with suppress(Exception):
                spin()

    with pytest.raises(TooSlowError):
        Watchdog(0.05).run(caught)


def test_code_that_catches_everything_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "_AGAIN_S", 0.05)
    times = []

    def stubborn() -> None:
        with suppress(BaseException):
            spin()
        times.append(1)
        spin()

    with pytest.raises(TooSlowError):
        Watchdog(0.05).run(stubborn)
    assert times == [1]


def test_a_regular_expression_is_broken_off() -> None:
    with pytest.raises(TooSlowError):
        Watchdog(0.05).run(re.match, "(a+)+$", "a" * 60 + "b")  # would take years


def test_each_page_has_the_whole_time() -> None:
    def half() -> None:
        end = time.thread_time() + 0.06
        while time.thread_time() < end:
            pass

    dog = Watchdog(0.4)
    for _ in range(10):
        dog.run(half)


def test_waiting_takes_no_processor_time() -> None:
    event = threading.Event()
    assert Watchdog(0.05).run(event.wait, 0.2) is False


@pytest.mark.parametrize("function", [spin, int])
def test_signal_and_timer_are_as_before(function: type[int]) -> None:
    heard = []

    def handler(*_: object) -> None:
        heard.append(1)

    before = signal.signal(signal.SIGVTALRM, handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, 500.0, 7.0)
    try:
        with suppress(TooSlowError):
            Watchdog(0.05).run(function)
        assert signal.getsignal(signal.SIGVTALRM) is handler
        left, interval = signal.getitimer(signal.ITIMER_VIRTUAL)
        assert 400.0 < left <= 501.0
        assert interval == 7.0
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    assert not heard


def test_outside_the_main_thread_there_is_no_limit_and_the_log_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    dog, results = Watchdog(0.001), []

    def work() -> None:
        results.extend(dog.run(sum, range(2_000_000)) for _ in range(2))

    with caplog.at_level(logging.WARNING):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert results == [1999999000000] * 2
    assert [record.message for record in caplog.records] == [
        "the crawl is not in the main thread of its process: no page is given up as too slow to read"
    ]


def test_no_limit_sets_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "setitimer", None)
    assert Watchdog(0.0).run(divmod, 7, 2) == (3, 1)
