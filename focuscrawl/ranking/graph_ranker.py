"""Base of strategies that rank a link by its target's value in the link graph.

The score of a queued URL changes while the crawl goes on: each page that links to it adds to it, and so do pages
further up. Links of the page at hand are queued, or raised, as usual; others are told by `rescored`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from focuscrawl.graph.journal import PageLinks, pack, unpack
from focuscrawl.graph.keys import Ids, key_array
from focuscrawl.graph.links import Column, LinkGraph
from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.types import Explained, UrlKey, clip01

# A change that is told to the frontier: smaller ones seldom change an order, and each costs a write.
_STEP = 0.02
_MOST_TOLD = 64  # for one page; what is left is told with the next
_MEDIAN_OF = 512  # newly queued URLs


class RunningMedian:
    """Median of the last values."""

    def __init__(self, size: int = _MEDIAN_OF) -> None:
        self._values = np.zeros(size)
        self._count = 0
        self.value = 0.0

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in values; only the last ones count."""
        size = len(self._values)
        values = values[-size:]
        if not len(values):
            return
        self._values[(self._count + np.arange(len(values))) % size] = values
        self._count += len(values)
        self.value = float(np.median(self._values[: min(self._count, size)]))


class GraphRanker(Ranker):
    """Score = share of a scorer's value, if any, + share of ``x / (x + m)``.

    x is the target's value in the graph, m the running median of x over new URLs (docs/formulas.md C.3); without
    any value, the second part is 0.

    Parameters
    ----------
    graph
        Where pages are kept; shared with what works x out.
    part
        Name of the second part in explanations.
    scorer, scorer_share
        Scorer of the first part, which is the weight of a link too, and its share in [0, 1].
    """

    sweep = 0  # URLs looked at with each page, in turn, for strategies whose values may change anywhere

    def __init__(self, graph: LinkGraph, *, part: str, scorer: str = "", scorer_share: float = 0.0) -> None:
        self.graph = graph
        self._part = part
        self._scorer = scorer
        self._share = scorer_share if scorer else 0.0
        self.needs = (scorer,) if scorer else ()
        self.weights = {**({scorer: self._share} if self._share else {}), part: 1.0 - self._share}
        self.median = RunningMedian()
        self.pages = 0
        self._local = Column(np.float32)  # by number: the scorer's value a URL was queued with
        self._told = Column(np.float32)  # by number: the score the frontier has
        self._waiting: dict[int, None] = {}  # URLs whose value has changed, to be told
        self._at = 0  # of the sweep
        self._pending: Judged | None = None  # a page whose links are not known yet
        self._log: list[PageLinks] = []

    # ------------------------------------------------------------ the strategy's

    @abstractmethod
    def take_in(self, page: PageLinks) -> Ids:
        """Add a page to the graph; return the numbers of URLs whose value may have changed, its links left out."""

    @abstractmethod
    def values_of(self, numbers: Ids) -> NDArray[np.float64]:
        """Return x of URLs, at least 0."""

    # ------------------------------------------------------------------- ranking

    def observe(self, page: Judged) -> None:
        """Note a page; it is taken in with its links, by `rank`, or without, where none is to be followed."""
        self._finish()
        self._pending = page

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Take the page into the graph and return the score of each link."""
        local = [score.value for score in scores[self._scorer]] if self._scorer else []
        self.learn(page, links, local)
        numbers = self.graph.table.find(key_array([link.key for link in links]))
        x = self._x(numbers)
        inflow = self.squashed(x)
        out: list[Ranked] = []
        made: dict[tuple[float, float], Explained] = {}
        told = np.zeros(len(links), np.float32)
        for i, link in enumerate(links):
            pair = local[i] if local else 0.0, float(inflow[i])
            score = made.get(pair)
            if score is None:
                parts = {self._part: pair[1]} | ({self._scorer: pair[0]} if self._share else {})
                value = clip01(self._share * pair[0] + (1.0 - self._share) * pair[1])
                score = made[pair] = Explained(value, parts, self.reason(float(x[i])))
            told[i] = score.value
            out.append(Ranked(score, link.host))
        inside = numbers >= 0
        # The frontier keeps the higher one.
        np.maximum.at(self._told.all, numbers[inside], told[inside])
        return out

    def learn(self, page: Judged, links: Sequence[Link], weights: Sequence[float]) -> None:
        """Take the page into the graph with the links that are to be followed.

        Parameters
        ----------
        weights
            Relevance of each link in [0, 1]; empty for graphs without weights.
        """
        self._pending = None
        self._learn(self._page_links(page, key_array([link.key for link in links]), weights))

    def share_of(self, keys: Sequence[UrlKey]) -> NDArray[np.float64]:
        """Return ``x / (x + m)`` of URLs, in [0, 1]; 0 for unknown ones."""
        return self.squashed(self._x(self.graph.table.find(key_array(keys))))

    def reason(self, x: float) -> str:
        """Return the sentence that goes with a value."""
        return f"{self._part} {x:.3g}, median of new links {self.median.value:.3g}"

    def squashed(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return x / (x + m), in [0, 1]."""
        m = self.median.value
        below = x + m
        return np.divide(x, below, out=np.zeros(len(x)), where=below > 0.0)

    def rescored(self) -> dict[UrlKey, float]:
        """Return new scores of queued URLs, by key; what has not changed since the last call is left out."""
        self._finish()
        some = list(islice(self._waiting, _MOST_TOLD))
        for number in some:
            del self._waiting[number]
        ids = np.array(some, np.int32)
        if self.sweep:
            ids = np.concatenate((ids, self._swept()))
        if not len(ids):
            return {}
        ids = ids[~self.graph.fetched[ids]]
        score = self._score_of(ids)
        moved = np.flatnonzero(np.abs(score - self._told.all[ids]) >= _STEP)[:_MOST_TOLD]
        ids, score = ids[moved], np.clip(score[moved], 0.0, 1.0)
        self._told.all[ids] = score
        return dict(zip(self.graph.table.keys[ids].tolist(), score.tolist(), strict=True))

    # --------------------------------------------------------------------- state

    def journal(self) -> tuple[int, dict[str, object]] | None:
        """Return the pages since the last call and the number of those before them; None without any."""
        self._finish()
        if not self._log:
            return None
        log, self._log = self._log, []
        return self.pages - len(log), pack(log)

    def replay(self, parts: Sequence[Mapping[str, object]]) -> None:
        """Take up what `journal` returned, in order: the graph and all values are as they were."""
        for part in parts:
            for page in unpack(part):
                self._learn(page)
        self._log.clear()
        self._waiting.clear()
        # What the frontier was told is not known: at most one step beside what it would be told now.
        self._told.all[:] = self._score_of(np.arange(len(self.graph), dtype=np.int32))

    # ------------------------------------------------------------------- private

    def _score_of(self, ids: Ids) -> NDArray[np.float64]:
        return self._share * self._local.all[ids] + (1.0 - self._share) * self.squashed(self.values_of(ids))

    def _swept(self) -> Ids:
        """Return the next URLs in turn."""
        start = self._at if self._at < len(self.graph) else 0
        self._at = min(start + self.sweep, len(self.graph))
        return np.arange(start, self._at, dtype=np.int32)

    def _x(self, numbers: Ids) -> NDArray[np.float64]:
        if not len(self.graph):
            return np.zeros(len(numbers))
        return np.where(numbers >= 0, self.values_of(numbers), 0.0)

    def _finish(self) -> None:
        page, self._pending = self._pending, None
        if page is not None:
            self._learn(self._page_links(page, key_array([]), []))

    def _page_links(self, page: Judged, keys: NDArray[np.uint64], weights: Sequence[float]) -> PageLinks:
        """Return the page with the links to be followed, and with those to pages fetched already.

        What a link to a fetched page is worth is known: that page's relevance.
        """
        graph = self.graph
        all_keys = key_array([link.key for link in page.page.links])
        numbers = graph.table.find(all_keys)
        known = numbers >= 0
        known[known] = graph.fetched[numbers[known]]
        known &= ~np.isin(all_keys, keys)
        values = np.array(weights, np.float32)
        if self._scorer:
            values = np.concatenate((values, graph.relevance[numbers[known]]))
        own = page.key or page.page.key
        relevance = clip01(page.verdict.score.value)
        return PageLinks(own, page.page.key, relevance, np.concatenate((keys, all_keys[known])), values)

    def _learn(self, page: PageLinks) -> None:
        known = len(self.graph)
        changed = self.take_in(page)
        graph = self.graph
        self._local.grow(len(graph))
        self._told.grow(len(graph))
        source = graph.id_of(page.key)
        if page.other_key != page.key and source >= 0:
            graph.table.alias(page.other_key, source)
        numbers = graph.table.find(page.targets)
        inside = numbers >= 0
        if self._scorer:
            np.maximum.at(self._local.all, numbers[inside], page.weights[inside])
        self.median.add(self.values_of(numbers[numbers >= known]))
        self._waiting.update(dict.fromkeys(changed[~np.isin(changed, numbers)].tolist()))
        self._log.append(page)
        self.pages += 1
