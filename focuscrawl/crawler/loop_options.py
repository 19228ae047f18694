"""Options of the frontier loop."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """Options of the frontier loop."""

    concurrency: int  # requests the downloader takes at once
    buffer: int  # leases held ready beside them
    per_host: int  # leases of one host at once
    lease_s: float
    patience_s: float = math.inf  # longest wait for hosts when nothing else is left to do, as of `Standstill`
    worker: str = "crawler"
