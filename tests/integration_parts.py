"""Components of a project that does not fit together with focuscrawl."""

from __future__ import annotations

from scrapy.core.scheduler import Scheduler


class OtherScheduler(Scheduler):
    """A scheduler of somebody else."""
