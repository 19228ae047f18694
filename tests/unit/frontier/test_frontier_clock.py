"""A clock that is set while no crawl runs: a run that goes on waits no longer than it would have."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Outcome, Settlement
from focuscrawl.types import digest64

BEGIN = 1_790_000_000.0


def entry(number: int, host: str) -> Entry:
    url = f"http://{host}/{number}"
    return Entry(url, digest64(url), host, 0.5)


@pytest.mark.parametrize("passed", [-200_000.0, -1.0, 0.0, 1.0])
def test_a_run_goes_on_after_the_clock_was_set_back(passed: float, tmp_path: Path) -> None:
    now = BEGIN
    path = tmp_path / "crawl.db"

    async def first() -> None:
        frontier = SqliteFrontier(path, clock=lambda: now, delay_s=5.0)
        await frontier.open()
        await frontier.push(
            [entry(1, "a.example"), entry(2, "a.example"), entry(1, "held.example"), entry(1, "b.example")]
        )
        leases = await frontier.lease(9, worker="w", per_host=1, lease_s=60.0)
        assert len(leases) == 3
        done, held, later = sorted(
            leases, key=lambda lease: ["a.example", "held.example", "b.example"].index(lease.entry.host)
        )
        await frontier.settle([Settlement(done, Outcome.DONE)])
        await frontier.release([held])
        await frontier.set_host("held.example", hold_until=now + 100.0)
        await frontier.release([later], delay_s=50.0)
        await frontier.close()

    async def second() -> list[tuple[float, str]]:
        nonlocal now
        frontier = SqliteFrontier(path, clock=lambda: now, delay_s=5.0)
        await frontier.open()
        found = []
        begun = now
        while (ready := await frontier.next_ready_at()) is not None:
            now = max(now, ready)
            for lease in await frontier.lease(9, worker="w", per_host=1, lease_s=60.0):
                found.append((now - begun, lease.entry.host))
                await frontier.settle([Settlement(lease, Outcome.DONE)])
        await frontier.close()
        return found

    asyncio.run(first())
    now += passed
    waited = max(passed, 0.0)
    assert asyncio.run(second()) == [
        (5.0 - waited, "a.example"), (50.0 - waited, "b.example"), (100.0 - waited, "held.example")
    ]  # fmt: skip
