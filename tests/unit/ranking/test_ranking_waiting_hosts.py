"""Queues of hosts that wait to be looked at, beside a plain list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.waiting_hosts import WaitingHosts

HOSTS = [f"{name}.org" for name in "abcde"]
_puts = st.lists(st.tuples(st.sampled_from(HOSTS), st.integers(0, 4), st.integers(0, 1)), max_size=200)


def drained(hosts: WaitingHosts, queue: int) -> list[str]:
    out = []
    while hosts.first(queue) is not None:
        out.append(hosts.take(queue))
    return out


@given(_puts)
def test_a_host_has_the_place_it_was_given_last(puts: list[tuple[str, int, int]]) -> None:
    hosts, last = WaitingHosts(queues=2), dict[str, tuple[int, int, int]]()
    for number, (host, value, queue) in enumerate(puts):
        hosts.put(host, value, queue=queue)
        last[host] = (-value, number, queue)
    for queue in (0, 1):
        expected = sorted((place, host) for host, place in last.items() if place[2] == queue)
        assert drained(hosts, queue) == [host for _, host in expected]
    assert len(hosts) <= 2 * (2 * len(HOSTS) + 64 + 1)


def test_the_first_host_may_be_lowered_removed_or_put_aside_until_less_is_found() -> None:
    hosts = WaitingHosts(queues=1)
    for host, value in (("a.org", 0.9), ("b.org", 0.5), ("c.org", 0.4), ("d.org", 0.1)):
        hosts.put(host, value, queue=0)
    hosts.lower(0.3, queue=0)
    assert hosts.first(0) == ("b.org", 0.5)
    hosts.put_aside(0.2, queue=0)
    hosts.remove("c.org")
    assert hosts.first(0) == ("a.org", 0.3)
    assert list(hosts.returned(0.2)) == []
    assert list(hosts.returned(0.1)) == ["b.org"]
    hosts.put("b.org", 1.0, queue=0)
    assert drained(hosts, 0) == ["b.org", "a.org", "d.org"]
