"""Arguments that whoever starts a spider adds to those of its user."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.spiders.feed import FeedSpider
from focuscrawl.spiders.focused import FocusedSpider
from focuscrawl.spiders.recrawl import RecrawlSpider


@pytest.mark.parametrize("spider", [FocusedSpider, FeedSpider, RecrawlSpider])
def test_the_number_of_its_job_that_scrapyd_gives_every_spider_is_taken(
    spider: type[FocusedSpider], tmp_path: Path
) -> None:
    (tmp_path / "crawl.db").touch()
    made = spider.from_crawler(get_crawler(spider), _job="26", run=str(tmp_path))
    assert vars(made)["_job"] == "26"  # as in plain Scrapy
    assert made.arguments.run == str(tmp_path)
