r"""What a page costs the strategies by link analysis, early in a crawl and late.

The web is made while it is crawled: each page has 110 links, 33 of them to URLs not seen before, 60 that repeat on all
pages of its host, the rest to any URL known; three pages in ten are relevant. CPU time of learning a page and scoring
its links and those further down that have changed, links made beforehand, by thousands of pages.

    python benchmarks/graph_scale.py [--pages 100000] [--strategies ipagerank,pagerank,hits,backlink] \
        [--urls 4000000 --links 12000000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from focuscrawl.graph.journal import PageLinks
from focuscrawl.graph.links import GraphLimits
from focuscrawl.lab.strategies.link_analysis import make_backlink, make_hits, make_pagerank
from focuscrawl.ranking.graph_ranker import GraphRanker
from focuscrawl.ranking.ipagerank import make_ipagerank

LINKS, NEW, MENU = 110, 33, 60
MAKERS = {"ipagerank": make_ipagerank, "pagerank": make_pagerank, "hits": make_hits, "backlink": make_backlink}
_MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads numbers over the keys


class Web:
    """Makes pages by number, each fetched from what is known."""

    def __init__(self, hosts: int = 1000) -> None:
        self.rng = np.random.default_rng(1)
        self.menus = np.arange(hosts * MENU).reshape(hosts, MENU)
        self.known = hosts * MENU

    def page(self, weighted: bool) -> PageLinks:
        rng = self.rng
        fresh = np.arange(self.known, self.known + NEW)
        self.known += NEW
        menu = self.menus[rng.integers(len(self.menus))]
        numbers = np.unique(np.concatenate((fresh, menu, rng.integers(0, self.known, LINKS - NEW - MENU))))
        keys = numbers.astype(np.uint64) * _MIX
        source = int(rng.integers(0, self.known)) * int(_MIX) % 2**64
        relevance = float(rng.random() < 0.3) * rng.random()
        weights = (rng.random(len(keys)) ** 4).astype(np.float32) if weighted else np.empty(0, np.float32)
        return PageLinks(source, source, relevance, keys, weights)


def measure(name: str, pages: int, **limits: int) -> None:
    """Crawl `pages` pages and print the cost of some thousands of them."""
    ranker: GraphRanker = MAKERS[name](None, **limits)  # type: ignore[operator]  # none of them looks at the topic
    web = Web()
    spent, slowest = [0.0], 0.0
    for number in range(1, pages + 1):
        page = web.page(bool(ranker.needs))
        started = time.process_time()
        ranker._learn(page)
        ranker.share_of(page.targets)
        ranker.rescored()
        took = time.process_time() - started
        spent[-1] += took
        slowest = max(slowest, took)
        ranker._log.clear()
        if number % 1000 == 0:
            spent.append(0.0)
    shown = sorted({n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if n <= pages // 1000} | {pages // 1000})
    costs = "  ".join(f"{n},000: {spent[n - 1]:.3f}" for n in shown)
    graph = ranker.graph
    print(
        f"{name:10} ms a page at {costs}; slowest {slowest * 1e3:.0f} ms; {len(graph):,} URLs, "
        f"{graph.link_count:,} links, {graph.nbytes / 2**20:.0f} MB; {graph.dropped_rows:,} rows dropped",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--strategies", default=",".join(MAKERS))
    parser.add_argument("--urls", type=int, default=GraphLimits().urls, help="most URLs of the graph")
    parser.add_argument("--links", type=int, default=GraphLimits().links, help="most links of the graph")
    options = parser.parse_args()
    for name in options.strategies.split(","):
        measure(name, options.pages, urls=options.urls, links=options.links)


if __name__ == "__main__":
    main()
