"""The frontier ``redis``: of one server, or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
    wait_per_page_s: float = 0.0,
) -> FleetFrontier:
    """Build the frontier; `location` is the URL of the server, or of several with commas between them.

    The parts of a crawl on several servers do not know of each other's links, so it does not wait for better ones.
    """
    several = len(servers_of(location)) > 1
    make = PartitionedFrontier if several else partial(RedisFrontier, wait_per_page_s=wait_per_page_s)
    return make(
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
