"""When a host is asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import NO_SUCH_HOST, FetchFailure
from focuscrawl.crawler.frontier_loop import FrontierLoop, LoopHooks, LoopOptions
from focuscrawl.crawler.host_backoff import HostBackoff
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.records import Entry, Lease, Outcome, Settlement
from focuscrawl.types import digest64

NOW = 1000.0


class Hosts:
    """A host care over a real loop and frontier, and what it gave up."""

    def __init__(self, *, delay_s: float = 0.0) -> None:
        async def nothing(*_: Any) -> None: ...

        config = FocusConfig(host_backoff_s=10.0, max_hold_s=60.0)
        options = LoopOptions(concurrency=9, buffer=0, per_host=9, lease_s=60.0)
        hooks = LoopHooks(lambda: None, lambda _: 99, nothing, lambda _: None, lambda _: None, lambda: True)
        self.frontier = MemoryFrontier(clock=lambda: NOW)
        self.task = FrontierLoop(self.frontier, options, hooks, clock=lambda: NOW)
        self.given_up: list[tuple[str, str, bool]] = []
        self.slots: list[tuple[str, float]] = []
        self.care = HostBackoff(
            self.task,
            config,
            self._give_up,
            delay_s=delay_s,
            raise_slot=lambda host, delay: self.slots.append((host, delay)),
            clock=lambda: NOW,
        )

    def _give_up(
        self, lease: Lease, outcome: Outcome, reason: str, *, status: int = 0, url: str = "", host_failed: bool = False
    ) -> None:
        self.given_up.append((outcome.value, reason, host_failed))
        self.task.settle(Settlement(lease, outcome))

    @property
    def holds(self) -> dict[str, tuple[float | None, float | None]]:
        return self.task._holds

    async def lease(self, url: str = "http://a.example/") -> Lease:
        """Return a lease of a URL that the task has handed out; the loop itself does not run."""
        await self.frontier.push([Entry(url, digest64(url), url.split("/")[2], 0.5)])
        (lease,) = await self.frontier.lease(1, worker="", per_host=9, lease_s=60.0)
        self.task._buffer.append(lease)
        taken = self.task.take()
        assert taken is lease
        return lease

    async def returned(self) -> None:
        """Give back what was released, as the loop would, at once."""
        for lease, _ in self.task._releases:
            await self.frontier.release([lease])
        self.task._releases.clear()


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def test_one_failure_is_the_urls_matter_more_are_the_hosts() -> None:
    hosts = Hosts()
    for wait_s in (None, 10.0, 20.0, 40.0, 60.0, 60.0):  # doubled, up to the longest hold
        hosts.holds.clear()
        hosts.care.back_off("a.example")
        assert hosts.holds == ({} if wait_s is None else {"a.example": (None, NOW + wait_s)})
    hosts.care.answered("a.example")
    hosts.holds.clear()
    hosts.care.back_off("a.example")
    assert hosts.holds == {}


def test_a_url_comes_back_five_times_with_not_now() -> None:
    async def test() -> None:
        hosts = Hosts()
        fate = FetchFailure(Outcome.FAILED, "HTTP 429", 429, wait_s=500.0)
        for _ in range(5):
            lease = await hosts.lease()
            hosts.care.fate(lease, fate)
            assert hosts.task._releases == [(lease, 10.0)]
            assert hosts.holds == {"a.example": (None, NOW + 60.0)}  # no host has itself left alone for ever
            await hosts.returned()
        hosts.care.fate(await hosts.lease(), fate)
        assert hosts.given_up == [("refused", "HTTP 429", False)]

    run(test)


def test_a_fate_without_a_wait_is_final_and_one_lease_has_one_end() -> None:
    async def test() -> None:
        hosts = Hosts()
        lease = await hosts.lease()
        hosts.care.fate(lease, FetchFailure(Outcome.FAILED, "timed out", host_failed=True))
        assert hosts.given_up == [("failed", "timed out", True)]
        hosts.care.fate(lease, FetchFailure(Outcome.FAILED, "HTTP 503", 503, host_failed=True, wait_s=5.0))
        hosts.care.fate(lease, FetchFailure(Outcome.FAILED, NO_SUCH_HOST))
        assert hosts.task._releases == []
        assert hosts.holds == {}

    run(test)


def test_a_name_that_does_not_resolve_is_looked_up_three_times_for_all_its_links() -> None:
    async def test() -> None:
        hosts = Hosts()
        gone = FetchFailure(Outcome.FAILED, NO_SUCH_HOST, no_such_host=True)
        for n, delay_s in ((1, 20.0), (2, 40.0)):
            lease = await hosts.lease(f"http://gone.example/{n}")
            assert not hosts.care.refuses(lease)
            hosts.care.fate(lease, gone)
            assert hosts.task._releases == [(lease, delay_s)]
            await hosts.returned()
        hosts.care.fate(await hosts.lease("http://gone.example/1"), gone)
        assert hosts.care.refuses(await hosts.lease("http://gone.example/2"))
        assert hosts.given_up == [("refused", NO_SUCH_HOST, False)] * 2
        # Through a proxy for http only, https names may not resolve where http ones need not.
        other = await hosts.lease("https://gone.example/3")
        assert not hosts.care.refuses(other)
        hosts.care.answered("gone.example", "http://gone.example/4")
        assert not hosts.care.refuses(await hosts.lease("http://gone.example/5"))

    run(test)


def test_other_fetches_count_towards_the_delay_and_robots_txt_can_raise_it() -> None:
    hosts = Hosts(delay_s=2.0)
    hosts.care.count_fetch("a.example")
    assert hosts.holds.pop("a.example") == (None, NOW + 2.0)
    hosts.care.raise_delay("a.example", 1.0)
    assert hosts.holds == {}
    hosts.care.raise_delay("a.example", 7.0)
    assert hosts.holds.pop("a.example") == (7.0, None)
    assert hosts.slots == [("a.example", 7.0)]
    hosts.care.count_fetch("a.example", own=True)
    assert hosts.holds == {"a.example": (None, NOW + 14.0)}
    assert (hosts.care.delay_of("a.example"), hosts.care.delay_of("b.example")) == (7.0, 2.0)
    free = Hosts()
    free.care.count_fetch("a.example")
    assert free.holds == {}
