"""iPageRank: PageRank of a surfer who starts at relevant pages and prefers relevant links (docs/formulas.md C.3).

With C the fetched pages, r_i the relevance of page i and w_ij that of its link to j::

    P_ij = (w_ij + eps) / sum over k in Out(i) of (w_ik + eps)     i fetched and with links, else 0
    x    = v + d * P^T x,     v_i = r_i for fetched pages, 0 for others

x_u is the expected number of visits of u by topical surfers; that of a queued URL is its inflow. It is kept up while
the graph grows, by forward push: an estimate p and a residual ρ for each URL with ρ = v + d P^T p - p, so that
x - p = (I - d P^T)^-1 ρ. A page moves its own residual on at once; of any other page, the residual is moved on when it
reaches theta times the number of its links. The work for a page is that of its own links plus a constant,
whatever the size of the graph, and sum |x - p| <= sum |ρ| / (1 - d).

With one injection for all URLs and equal weights the same system is PageRank 4.7 but for a common factor: spreading
the mass of pages without links evenly adds to v a multiple of itself.

References
----------
.. [1] Li Shengtao, thesis, 2002, 4.5.3, 5.2.7, 9.1 (the definition is this project's reconstruction).
.. [2] Zhang, Lofgren, Goel, *Approximate Personalized PageRank on Dynamic Graphs*, 2016.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.errors import ConfigError
from focuscrawl.graph.keys import Ids, key_array
from focuscrawl.graph.links import Column, GraphLimits, LinkGraph
from focuscrawl.types import UrlKey

# Links that pushes may walk for one page; what is left waits for the next. 20,000 take about 2 ms.
_MOST_WORK = 20_000
_TOLERANCE = 1e-13


@dataclass(frozen=True, slots=True)
class PushOptions:
    """Constants of C.3 with its defaults."""

    d: float = 0.85  # damping
    eps: float = 0.05  # weight that every link has besides its relevance: keeps tunnels alive
    theta: float = 0.005  # residual a link at which a page moves it on
    injection: float | None = None  # of every URL, instead of a page's relevance: the literal variant of 4.7

    def __post_init__(self) -> None:
        if not 0.0 <= self.d < 1.0:
            raise ConfigError(f"[ranking.options] d = {self.d!r}: expected a number in [0, 1)")
        if not (0.0 <= self.eps <= 1.0):
            raise ConfigError(f"[ranking.options] eps = {self.eps!r}: expected a number in [0, 1]")
        if not (0.0 < self.theta <= 1.0):
            raise ConfigError(f"[ranking.options] theta = {self.theta!r}: expected a number above 0, up to 1")


class IPageRank:
    """iPageRank of a growing crawl; see the module's docstring. `graph` is its own and has P_ij as weights."""

    def __init__(self, options: PushOptions | None = None, limits: GraphLimits | None = None) -> None:
        self.options = options or PushOptions()
        self.graph = LinkGraph(limits, weighted=True)
        self.walked = 0  # links walked by all pushes, each page's own links left out
        self._p = Column(np.float64)
        self._rho = Column(np.float64)
        self._v = Column(np.float64)
        self._queue: deque[int] = deque()

    # ------------------------------------------------------------------ reading

    @property
    def values(self) -> NDArray[np.float64]:
        """The estimate of x by number (`graph.table`), at least 0; a view."""
        return self._p.all

    def score(self, key: UrlKey) -> float:
        """Return the estimate of x for a URL, 0 for an unknown one."""
        number = self.graph.id_of(key)
        return max(0.0, float(self._p.all[number])) if number >= 0 else 0.0

    def normalized(self) -> dict[UrlKey, float]:
        """Return x divided by its sum, by URL key; all 0 when nothing is relevant."""
        total = float(self._p.all.sum())
        values = self._p.all / total if total > 0.0 else np.zeros(len(self.graph))
        return dict(zip(self.graph.table.keys.tolist(), values.tolist(), strict=True))

    def residual_mass(self) -> float:
        """Return sum |ρ|: the estimate's error is at most this over (1 - d)."""
        return float(np.abs(self._rho.all).sum())

    def exact(self) -> NDArray[np.float64]:
        """Return x by number, worked out from the rows in memory: O(links) a round, for tests and audits."""
        v, links = self._v.all, self.graph.edges()
        x = v.copy()
        # Each round leaves d times the error, in the sum of absolute values.
        for _ in range(1000):
            new = v + self.options.d * _passed_on(x, *links)
            change = np.abs(new - x).sum()
            x = new
            if change <= _TOLERANCE * max(1.0, x.sum()):
                break
        return x

    def drift(self) -> float:
        """Return the largest breach of the invariant ρ = v + d P^T p - p; meaningless once rows were dropped."""
        p = self._p.all
        rho = self._v.all + self.options.d * _passed_on(p, *self.graph.edges()) - p
        return float(np.abs(rho - self._rho.all).max(initial=0.0))

    # ----------------------------------------------------------------- learning

    def on_crawled(self, key: UrlKey, relevance: float, links: Mapping[UrlKey, float]) -> set[UrlKey]:
        """Take in a fetched page, or one fetched again; return the queued URLs whose value changed.

        Parameters
        ----------
        relevance
            Of the page, in [0, 1].
        links
            Relevance of the link in [0, 1] by the key of its target.
        """
        changed = self.crawled(key, relevance, key_array(list(links)), np.array(list(links.values()), np.float64))
        return set(self.graph.table.keys[changed].tolist())

    def crawled(
        self, key: UrlKey, relevance: float, targets: NDArray[np.uint64], weights: NDArray[np.floating[Any]]
    ) -> Ids:
        """As `on_crawled`, with links in two arrays and the numbers of the changed URLs as an answer."""
        o, graph = self.options, self.graph
        known = len(graph)
        source, ids = graph.number(key, targets)
        if source < 0:
            graph.unknown += 1
            return np.empty(0, np.int32)
        for column in (self._p, self._rho, self._v):
            column.grow(len(graph))
        if o.injection is not None:
            self._p.all[known:] = self._v.all[known:] = o.injection
        ids, shares = self._shares(source, ids, weights.astype(np.float64))
        p, rho, v = self._p.all, self._rho.all, self._v.all
        touched = [ids]
        if graph.degree[source]:
            before = graph.targets_of(source).copy()
            rho[before] -= o.d * p[source] * graph.weights_of(source)
            touched.append(before)
        injection = relevance if o.injection is None else o.injection
        # The page's own residual goes on at once, whatever theta says: its links are at hand.
        p[source] += rho[source] + injection - v[source]
        rho[source], v[source] = 0.0, injection
        graph.set_row(source, ids, shares, relevance=relevance, before_drop=self._push_last)
        rho[ids] += o.d * p[source] * shares
        changed = [self._absorb(part) for part in touched]
        changed += self._push()
        numbers: Ids = np.unique(np.concatenate(changed))
        return numbers

    # ------------------------------------------------------------------ private

    def _shares(self, source: int, ids: Ids, weights: NDArray[np.float64]) -> tuple[Ids, NDArray[np.float32]]:
        """Return distinct targets and their P_ij."""
        usable = (ids >= 0) & (ids != source)
        self.graph.unknown += int((ids < 0).sum())
        if not usable.all():
            ids, weights = ids[usable], weights[usable]
        distinct, first, which = np.unique(ids, return_index=True, return_inverse=True)
        if len(distinct) < len(ids):
            best = np.zeros(len(distinct))
            np.maximum.at(best, which, weights)
            order = np.argsort(first)
            ids, weights = distinct[order], best[order]
        weights = np.clip(weights, 0.0, 1.0) + self.options.eps
        total = weights.sum()
        if total <= 0.0:  # eps is 0 and no link is relevant: the surfer has nowhere to go
            return ids, np.zeros(len(ids), np.float32)
        return ids, (weights / total).astype(np.float32)

    def _absorb(self, ids: Ids) -> Ids:
        """Take in the residual of URLs without links; queue pages whose residual is large. Return the former."""
        p, rho, degree = self._p.all, self._rho.all, self.graph.degree
        links = degree[ids]
        ends: Ids = ids[links == 0]
        p[ends] += rho[ends]
        rho[ends] = 0.0
        pages = ids[links > 0]
        if len(pages):
            large = np.abs(rho[pages]) >= self.options.theta * degree[pages]
            self._queue.extend(pages[large].tolist())
        return ends

    def _push(self) -> list[Ids]:
        p, rho, graph, o = self._p.all, self._rho.all, self.graph, self.options
        degree = graph.degree
        changed: list[Ids] = []
        work = 0
        queue = self._queue
        while queue and work < _MOST_WORK:
            page = queue.popleft()
            links = int(degree[page])
            residual = np.float64(rho[page])  # no plain float: times 32-bit weights, that would be 32 bits
            if abs(residual) < o.theta * links:
                continue
            rho[page] = 0.0
            p[page] += residual
            if not links:
                continue
            work += links
            targets = graph.targets_of(page)
            rho[targets] += o.d * residual * graph.weights_of(page)
            changed.append(self._absorb(targets))
        self.walked += work
        return changed

    def _push_last(self, pages: Ids) -> None:
        """Move on the residuals of pages whose links are forgotten: what flows in later stays with them."""
        p, rho, graph = self._p.all, self._rho.all, self.graph
        for page in pages.tolist():
            residual = np.float64(rho[page])
            rho[page] = 0.0
            p[page] += residual
            rho[graph.targets_of(page)] += self.options.d * residual * graph.weights_of(page)
        ends = np.flatnonzero((graph.degree == 0) & (rho != 0.0))
        p[ends] += rho[ends]
        rho[ends] = 0.0


def _passed_on(values: NDArray[np.float64], sources: Ids, targets: Ids, weights: NDArray[np.float32]) -> Any:
    """Return for each URL the sum of what the pages that link to it pass on: P^T values."""
    return np.bincount(targets, weights=weights.astype(np.float64) * values[sources], minlength=len(values))
