"""A crawl that ends, and one that goes on from its run folder: nothing that was learned is forgotten."""

from __future__ import annotations

from pathlib import Path

from crawl_kit import Crawled, crawl_here, topic_file
from site_kit import Site

from focuscrawl.ranking.apprentice import Apprentice
from focuscrawl.storage.crawldb import CrawlDb


def learned(done: Crawled) -> Apprentice:
    assert done.session is not None
    ranker = done.session.crawl.step.ranker
    assert isinstance(ranker, Apprentice)
    return ranker


def test_a_crawl_of_a_few_pages_leaves_all_it_has_learned(site: Site, tmp_path: Path) -> None:
    done = crawl_here(tmp_path / "run", topic=str(topic_file(tmp_path, site.url("/"))), pages=12)
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        saved = db.state("ranker")
    assert saved is not None
    assert saved["pages"] == 12
    assert saved["relevant"] == learned(done).relevant.snapshot()


def test_a_crawl_that_goes_on_knows_every_page_of_the_one_before(site: Site, tmp_path: Path) -> None:
    first = crawl_here(tmp_path / "run", topic=str(topic_file(tmp_path, site.url("/"))), pages=12)
    trials = sum(tally.trials for tally in learned(first).relevant.hosts.values())
    then = crawl_here(tmp_path / "run", pages=20)
    assert learned(then).snapshot()["pages"] == 20
    assert sum(tally.trials for tally in learned(then).relevant.hosts.values()) == trials + 8
