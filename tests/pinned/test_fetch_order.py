"""The same replay gives the same order of fetching; see `fetch_order` for how to record a change that is meant."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from fetch_order import CRAWLS, FetchOrder, PinnedCrawl, crawl, difference, load, make_webs, path_of

from focuscrawl.lab.simulate.recorded import RecordedWeb


@pytest.fixture(scope="module")
def webs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RecordedWeb]:
    return make_webs(tmp_path_factory.mktemp("webs"))


@pytest.mark.parametrize("pinned", CRAWLS, ids=lambda pinned: pinned.strategy)
def test_a_crawl_fetches_in_the_recorded_order(pinned: PinnedCrawl, webs: dict[str, RecordedWeb]) -> None:
    assert json.loads(path_of(pinned).read_text(encoding="utf-8"))["crawl"] == asdict(pinned), "recorded otherwise"
    told = difference(load(pinned), crawl(pinned, webs))
    assert not told, f"{pinned.strategy}: {told}. If that is meant: python tests/pinned/fetch_order.py"


def test_the_crawls_differ_and_are_long_enough_to_tell() -> None:
    orders = [load(pinned) for pinned in CRAWLS]
    assert len({order.digest for order in orders}) == len(CRAWLS)
    assert all(order.fetched > 200 for order in orders)


def test_the_first_difference_is_told() -> None:
    pages = [f"h.test/{n}" for n in range(65)]
    recorded = FetchOrder.of(pages)
    assert difference(recorded, pages) == ""
    early = [*pages[:4], pages[5], pages[4], *pages[6:]]
    assert difference(recorded, early) == "fetch 5 of 65 was h.test/4 and is now h.test/5"
    late = [*pages[:47], "h.test/other", *pages[48:]]
    assert difference(recorded, late).startswith("fetches 1 to 40 are as recorded; 41 to 50 are now h.test/40,")
    assert difference(recorded, pages[:-1]) == "65 pages were fetched and 64 are now; the last of these is h.test/63"
