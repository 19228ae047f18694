"""Dispatch policies: which worker of a fleet gets a host.

Their names and what each needs are here; ``lua/assign.lua`` carries them out, when a worker asks for leases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from focuscrawl.errors import ConfigError

Policy = Literal["best-first", "round-robin", "weighted", "random", "least-loaded", "pick-2"]
BEST_FIRST: Policy = "best-first"


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A policy and one worker's part in it.

    ``best-first`` gives no host away: whoever asks gets the best that is ready. By the others each new host is given to
    a worker: ``round-robin``, ``weighted`` (in proportion to capacity, smoothly), ``random`` (with a probability in
    proportion to capacity), ``least-loaded`` (with the fewest hosts that are not empty), ``pick-2`` (the less loaded of
    two drawn at random). A worker none of whose hosts is ready takes another's. Hosts of a dead worker are given away
    again. All workers of a crawl should have the same.

    Parameters
    ----------
    capacity
        What this worker can take, in proportion to the others; with 0 it is given no hosts.
    seed
        Of the random policies: the same seed gives a host to the same worker, as long as they are the same.

    Raises
    ------
    ConfigError
        If there is no such policy, or the capacity is none.
    """

    policy: str = BEST_FIRST
    capacity: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.policy not in get_args(Policy):
            raise ConfigError(f'dispatch = "{self.policy}": unknown; known: {", ".join(get_args(Policy))}.')
        if not (math.isfinite(self.capacity) and self.capacity >= 0.0):
            raise ConfigError(f"capacity = {self.capacity}: expected a number, 0 or more.")

    @property
    def gives_hosts(self) -> bool:
        """Whether hosts are given to workers."""
        return self.policy != BEST_FIRST
