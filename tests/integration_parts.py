"""Components of a project that does not fit together with focuscrawl."""

from __future__ import annotations

from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request


class OtherScheduler(Scheduler):
    """A scheduler of somebody else."""


class DropsOddPages:
    """A middleware that ignores requests."""

    def process_request(self, request: Request) -> None:
        """Ignore pages with an odd number."""
        if request.url[-1] in "13579":
            raise IgnoreRequest("an odd page")
