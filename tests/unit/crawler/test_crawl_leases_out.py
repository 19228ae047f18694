"""Leases that were handed out: each is ended once, few are parked, and lost ones are told by their renewals."""

from __future__ import annotations

from focuscrawl.crawler.leases_out import LeasesOut
from focuscrawl.records import Entry, Lease


def lease(token: int) -> Lease:
    return Lease(Entry(f"http://a.example/{token}", token, "a.example", 0.5), token, 0.0, 1, 0.5)


def test_a_lease_is_ended_once_and_another_with_its_token_never() -> None:
    out = LeasesOut(concurrency=1)
    out.add(one := lease(1))
    assert one in out
    assert not out.end(lease(1))
    assert out.end(one)
    assert not out.end(one)
    assert len(out) == 0


def test_eight_leases_a_place_may_be_parked_until_one_of_them_ends() -> None:
    out = LeasesOut(concurrency=1)
    leases = [lease(token) for token in range(9)]
    for one in leases:
        out.add(one)
    assert [out.park(one) for one in leases] == [True] * 8 + [False]
    out.end(leases[0])
    out.unpark(leases[1])
    assert out.parked == 6


def test_a_lease_renewed_too_often_is_lost() -> None:
    out = LeasesOut(concurrency=1)
    out.add(old := lease(1))
    for _ in range(8):
        assert out.renewed() == []
    out.add(lease(2))
    assert out.renewed() == [old]
