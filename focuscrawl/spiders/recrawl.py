"""Visits of the pages of a run: ``scrapy crawl recrawl -a run=…``."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focuscrawl.crawler.arguments import JOB
from focuscrawl.crawler.refresh_round import RefreshOptions
from focuscrawl.errors import ConfigError
from focuscrawl.spiders.focused import FocusedSpider
from focuscrawl.storage.run import RunFolder
from focuscrawl.topic.faults import did_you_mean

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_OWN = ("pages", "new", "allocation", "order", "period", "versions", "off_topic")
_KNOWN = ("run", "topic", "minutes", *_OWN)


class RecrawlSpider(FocusedSpider):
    """Asks again for the pages of a run that are due (docs/recrawl.md)."""

    name = "recrawl"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> RecrawlSpider:
        """Build the spider.

        Raises
        ------
        ConfigError
            With one sentence for each argument that is wrong, or if there is no run.
        """
        given_at = time.time()
        known = ", ".join(_KNOWN)
        faults = [
            f"-a {name}={value}: there is no such argument; known: {known}.{did_you_mean(name, _KNOWN)}"
            for name, value in kwargs.items()
            if name not in (*_KNOWN, JOB)
        ]
        run = str(kwargs.get("run") or "").strip()
        if not run:
            faults.append("-a run= is missing: name the run folder whose pages are to be visited again.")
        if faults:
            raise ConfigError("\n".join(faults))
        options = RefreshOptions.parse({name: kwargs.pop(name) for name in _OWN if name in kwargs})
        RunFolder.open(Path(run))
        spider = super().from_crawler(crawler, *args, **{"minutes": "0", **kwargs})
        assert isinstance(spider, RecrawlSpider)
        spider.refresh = replace(options, given_at=given_at)
        return spider
