"""Look-ups of names, and the memory of those that do not exist."""

from __future__ import annotations

import asyncio
import logging

import pytest

from focuscrawl.crawler import names as names_module
from focuscrawl.crawler.names import LookUp, NameLookups, UnresolvedNames


def test_names_are_looked_up_a_few_at_a_time_and_once_for_all() -> None:
    started: list[str] = []

    async def test() -> None:
        answers: dict[str, asyncio.Future[bool]] = {}

        async def resolve(name: str) -> bool:
            started.append(name)
            answers[name] = asyncio.get_running_loop().create_future()
            return await answers[name]

        lookups = NameLookups(resolve, at_once=2, timeout_s=3600.0)
        asked = [asyncio.create_task(lookups.look_up(name)) for name in ("a", "b", "a", "c")]
        for _ in range(5):
            await asyncio.sleep(0)
        assert started == ["a", "b"]
        answers["a"].set_result(True)
        assert (await asked[0], await asked[2]) == (LookUp.FOUND, LookUp.FOUND)
        for _ in range(5):
            await asyncio.sleep(0)
        assert started == ["a", "b", "c"]
        answers["b"].set_result(False)
        assert await asked[1] is LookUp.MISSING
        assert lookups.is_found("a")
        assert not lookups.is_found("b")
        assert await lookups.look_up("a") is LookUp.FOUND
        assert started == ["a", "b", "c"]
        lookups.close()
        await asyncio.gather(*asked, return_exceptions=True)

    asyncio.run(test())


def test_a_resolver_that_never_answers_is_given_up_and_frees_its_place() -> None:
    async def test() -> None:
        async def resolve(name: str) -> bool:
            if name == "never":
                await asyncio.Event().wait()
            return True

        lookups = NameLookups(resolve, at_once=1, timeout_s=0.01)
        assert await asyncio.gather(lookups.look_up("never"), lookups.look_up("a")) == [LookUp.LATE, LookUp.FOUND]

    asyncio.run(test())


class Resolver:
    """Knows names, in whatever case; `asked` are those it was asked for."""

    def __init__(self, *known: str) -> None:
        self.known = set(known)
        self.asked: list[str] = []

    async def resolve(self, name: str) -> bool:
        self.asked.append(name)
        await asyncio.sleep(0)
        return name.lower() in self.known


def test_a_name_that_fails_while_names_that_resolved_fail_as_well_is_in_an_outage() -> None:
    resolver = Resolver("a", "b", "c", "d")

    async def test() -> None:
        lookups = NameLookups(resolver.resolve, at_once=8, timeout_s=3600.0)
        assert await lookups.look_up("before") is LookUp.MISSING  # nothing to compare it with
        assert [await lookups.look_up(name) for name in "abcd"] == [LookUp.FOUND] * 4
        known, resolver.known = resolver.known, set()
        resolver.asked.clear()
        assert await asyncio.gather(*map(lookups.look_up, ("x", "y"))) == [LookUp.OUTAGE, LookUp.OUTAGE]
        # One check for both, of names that are asked for in another spelling than caches know.
        assert resolver.asked == ["x", "y", "A", "B", "C"]
        assert await lookups.look_up("a") is LookUp.FOUND  # the resolver's cache has it
        resolver.known = known
        assert await lookups.look_up("x") is LookUp.MISSING
        assert resolver.asked[5:] == ["x", "D", "A", "B"]  # others than the last time

    asyncio.run(test())


def test_a_name_that_resolved_and_is_gone_makes_no_outage() -> None:
    resolver = Resolver("a", "b", "c")

    async def test() -> None:
        lookups = NameLookups(resolver.resolve, at_once=8, timeout_s=3600.0)
        for name in "abc":
            await lookups.look_up(name)
        resolver.known = {"b", "c"}
        assert await lookups.look_up("x") is LookUp.MISSING
        resolver.known = {"c"}
        assert await lookups.look_up("x") is LookUp.MISSING  # one of two
        resolver.known = set()
        assert await lookups.look_up("x") is LookUp.OUTAGE

    asyncio.run(test())


def test_a_failure_beside_a_success_needs_no_check() -> None:
    resolver = Resolver("a", "b")

    async def test() -> None:
        lookups = NameLookups(resolver.resolve, at_once=8, timeout_s=3600.0)
        await lookups.look_up("a")
        assert await asyncio.gather(*map(lookups.look_up, ("b", "x"))) == [LookUp.FOUND, LookUp.MISSING]
        assert resolver.asked == ["a", "b", "x"]

    asyncio.run(test())


def test_names_that_wait_for_their_place_in_an_outage_are_not_looked_up() -> None:
    resolver = Resolver("a")

    async def test() -> None:
        lookups = NameLookups(resolver.resolve, at_once=1, timeout_s=3600.0)
        await lookups.look_up("a")
        resolver.known.clear()
        assert await asyncio.gather(*map(lookups.look_up, "wxyz")) == [LookUp.OUTAGE] * 4
        assert resolver.asked == ["a", "w", "A"]

    asyncio.run(test())


def test_a_name_is_looked_up_three_times_for_all_its_links() -> None:
    names = UnresolvedNames(pause_s=10.0)
    url = "http://gone.example/{}".format
    assert names.wait_s(url(1), now=0.0) == 0.0
    assert names.failed(url(1), now=0.0) == 20.0
    assert names.failed(url(2), now=5.0) == 15.0  # it was on its way: no second try
    assert names.wait_s(url(3), now=5.0) == 15.0
    assert names.failed(url(1), now=20.0) == 40.0
    assert not names.is_unknown(url(9), now=60.0)
    assert names.failed(url(1), now=60.0) is None
    assert names.is_unknown(url(9), now=60.0)
    assert names.wait_s(url(9), now=60.0) == 0.0
    # Through a proxy for http only, https names may not resolve where http ones need not.
    assert not names.is_unknown("https://gone.example/3", now=60.0)
    names.resolved(url(4))
    assert not names.is_unknown(url(5), now=60.0)


def gone(names: UnresolvedNames, *hosts: str) -> None:
    for host in hosts:
        for now in (0.0, 100.0, 200.0):
            names.failed(f"http://{host}/", now=now)


def test_a_domain_of_which_three_names_are_gone_is_not_asked_for_more() -> None:
    names = UnresolvedNames(pause_s=1.0)
    gone(names, "a.dead.co.uk", "b.dead.co.uk")
    assert not names.is_unknown("http://c.dead.co.uk/", now=200.0)
    gone(names, "c.dead.co.uk")
    assert names.is_unknown("http://d.dead.co.uk/", now=200.0)
    assert not names.is_unknown("http://other.co.uk/", now=200.0)
    # They exist more often than other names of a domain do.
    assert not names.is_unknown("http://dead.co.uk/", now=200.0)
    assert not names.is_unknown("http://www.dead.co.uk:8080/", now=200.0)


def test_other_names_of_a_domain_wait_for_what_becomes_of_three() -> None:
    names = UnresolvedNames(pause_s=1.0)
    for host in "abc":
        assert names.wait_s("http://x.example.com/", now=0.0) == 0.0
        names.failed(f"http://{host}.example.com/", now=0.0)
    assert names.wait_s("http://x.example.com/", now=0.0) == 4.0  # twice as long as the three
    assert not names.is_unknown("http://x.example.com/", now=0.0)
    assert names.wait_s("http://example.com/", now=0.0) == 0.0
    names.resolved("http://b.example.com/")
    assert names.wait_s("http://x.example.com/", now=0.0) == 0.0


def test_a_domain_that_has_a_name_may_have_more() -> None:
    names = UnresolvedNames(pause_s=1.0)
    gone(names, "a.example.com", "b.example.com", "c.example.com")
    names.resolved("http://www.example.com/")
    assert not names.is_unknown("http://d.example.com/", now=200.0)
    assert names.is_unknown("http://a.example.com/", now=200.0)


def test_a_name_that_does_not_exist_is_looked_up_again_after_minutes_and_then_later_each_time() -> None:
    names, url = UnresolvedNames(pause_s=2.0), "http://gone.example/"
    assert [names.failed(url, now=now) for now in (0.0, 4.0, 12.0)] == [4.0, 8.0, None]
    assert names.is_unknown(url, now=311.0)
    assert not names.is_unknown(url, now=312.0)
    assert names.wait_s(url, now=312.0) == 0.0
    assert names.failed(url, now=312.0) is None  # one look-up is enough
    assert names.is_unknown(url, now=911.0)
    assert not names.is_unknown(url, now=912.0)
    look_ups = 0
    for minute in range(16, 30 * 24 * 60):
        if not names.is_unknown(url, now=60.0 * minute):
            names.failed(url, now=60.0 * minute)
            look_ups += 1
    assert look_ups == 36  # in a month: one a day, and a few before


def test_a_dead_domain_is_looked_up_by_one_name_after_minutes() -> None:
    names = UnresolvedNames(pause_s=1.0)
    names.resolved("http://other.example/")
    gone(names, "a.example.com", "b.example.com", "c.example.com")
    assert names.is_unknown("http://d.example.com/", now=499.0)
    assert not names.is_unknown("http://d.example.com/", now=500.0)
    assert names.failed("http://d.example.com/", now=500.0) == 2.0
    assert names.is_unknown("http://e.example.com/", now=1099.0)
    assert not names.is_unknown("http://e.example.com/", now=1100.0)


def test_in_an_outage_names_that_were_not_met_before_wait_longer_each_time(caplog: pytest.LogCaptureFixture) -> None:
    names = UnresolvedNames(pause_s=2.0)
    names.resolved("http://www.met.com/")
    with caplog.at_level(logging.INFO):
        assert names.outage(now=100.0) == 2.0
        assert names.outage(now=101.0) == 1.0  # of the same outage: no new evidence
        assert names.wait_s("http://new.example/", now=101.0) == 1.0
        assert names.wait_s("http://met.com/", now=101.0) == 0.0
        assert names.wait_s("http://192.0.2.1:8080/", now=101.0) == 0.0
        assert names.wait_s("http://new.example/", now=102.0) == 0.0
        assert names.outage(now=102.0) == 4.0
        names.resolved("http://met.com/2")  # a page of a known host says nothing of the resolver
        assert names.wait_s("http://new.example/", now=102.0) == 4.0
        now = 106.0
        for _ in range(40):
            now += names.outage(now=now)
        assert names.outage(now=now) == 60.0
        names.found("http://new.example/")
    assert not names.is_unknown("http://new.example/", now=now)
    assert names.wait_s("http://newer.example/", now=now) == 0.0
    assert [record.message for record in caplog.records] == [
        "no host name resolves at present: links to hosts that were not met before wait",
        "host names resolve again",
    ]


def test_without_a_pause_an_outage_is_waited_for_all_the_same() -> None:
    names = UnresolvedNames(pause_s=0.0)
    assert names.outage(now=0.0) > 0.0


def test_names_of_several_domains_that_fail_before_anything_was_reached_are_in_an_outage() -> None:
    names, times = UnresolvedNames(pause_s=1.0), (0.0, 100.0, 200.0)
    for now in times:
        last = [names.failed(f"http://{host}.example/", now=now) for host in "ab"]
    assert last == [None, None]  # two may be written wrong
    names = UnresolvedNames(pause_s=1.0)
    for now in times:
        last = [names.failed(f"http://{host}.example/", now=now) for host in "abc"]
    assert last == [1.0, 1.0, 1.0]
    assert not any(names.is_unknown(f"http://{host}.example/", now=200.0) for host in "abc")
    names.resolved("http://d.example/")
    assert names.failed("http://a.example/", now=300.0) is None


def test_names_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_module, "_MAX_NAMES", 3)
    names = UnresolvedNames(pause_s=1.0)
    names.resolved("http://other.example/")
    for letter in "abcd":
        gone(names, f"{letter}.example")
    assert [names.is_unknown(f"http://{letter}.example/", now=200.0) for letter in "abcd"] == [False, True, True, True]
