"""Look-ups of names, and the memory of those that do not exist."""

from __future__ import annotations

import asyncio

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


def test_a_name_is_looked_up_three_times_for_all_its_links() -> None:
    names = UnresolvedNames(pause_s=10.0)
    url = "http://gone.example/{}".format
    assert names.wait_s(url(1), now=0.0) == 0.0
    assert names.failed(url(1), now=0.0) == 20.0
    assert names.failed(url(2), now=5.0) == 15.0  # it was on its way: no second try
    assert names.wait_s(url(3), now=5.0) == 15.0
    assert names.failed(url(1), now=20.0) == 40.0
    assert not names.is_unknown(url(9))
    assert names.failed(url(1), now=60.0) is None
    assert names.is_unknown(url(9))
    assert names.wait_s(url(9), now=60.0) == 0.0
    # Through a proxy for http only, https names may not resolve where http ones need not.
    assert not names.is_unknown("https://gone.example/3")
    names.resolved(url(4))
    assert not names.is_unknown(url(5))


def gone(names: UnresolvedNames, *hosts: str) -> None:
    for host in hosts:
        for now in (0.0, 100.0, 200.0):
            names.failed(f"http://{host}/", now=now)


def test_a_domain_of_which_three_names_are_gone_is_not_asked_for_more() -> None:
    names = UnresolvedNames(pause_s=1.0)
    gone(names, "a.dead.co.uk", "b.dead.co.uk")
    assert not names.is_unknown("http://c.dead.co.uk/")
    gone(names, "c.dead.co.uk")
    assert names.is_unknown("http://d.dead.co.uk/")
    assert not names.is_unknown("http://other.co.uk/")
    # They exist more often than other names of a domain do.
    assert not names.is_unknown("http://dead.co.uk/")
    assert not names.is_unknown("http://www.dead.co.uk:8080/")


def test_other_names_of_a_domain_wait_for_what_becomes_of_three() -> None:
    names = UnresolvedNames(pause_s=1.0)
    for host in "abc":
        assert names.wait_s("http://x.example.com/", now=0.0) == 0.0
        names.failed(f"http://{host}.example.com/", now=0.0)
    assert names.wait_s("http://x.example.com/", now=0.0) == 4.0  # twice as long as the three
    assert not names.is_unknown("http://x.example.com/")
    assert names.wait_s("http://example.com/", now=0.0) == 0.0
    names.resolved("http://b.example.com/")
    assert names.wait_s("http://x.example.com/", now=0.0) == 0.0


def test_a_domain_that_has_a_name_may_have_more() -> None:
    names = UnresolvedNames(pause_s=1.0)
    gone(names, "a.example.com", "b.example.com", "c.example.com")
    names.resolved("http://www.example.com/")
    assert not names.is_unknown("http://d.example.com/")
    assert names.is_unknown("http://a.example.com/")
