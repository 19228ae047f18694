"""The frontier ``redis``: of one server, or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from focuscrawl.frontier.dispatch import BEST_FIRST
from focuscrawl.frontier.fleet import FleetFrontier
from focuscrawl.frontier.partitioned import PartitionedFrontier
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_url import servers_of


def factory(
    *,
    location: str,
    clock: Callable[[], float] | None = None,
    max_attempts: int = 3,
    delay_s: float = 0.0,
    crawl: str = "crawl",
    connection: Mapping[str, Any] | None = None,
    dispatch: str = BEST_FIRST,
    capacity: float = 1.0,
    seed: int = 0,
) -> FleetFrontier:
    """Build the frontier; `location` is the URL of the server, or of several with commas between them."""
    several = len(servers_of(location)) > 1
    return (PartitionedFrontier if several else RedisFrontier)(
        location,
        crawl=crawl,
        clock=clock,
        max_attempts=max_attempts,
        delay_s=delay_s,
        connection=connection,
        dispatch=dispatch,
        capacity=capacity,
        seed=seed,
    )
