"""HITS, hubs and authorities (docs/formulas.md C.2; Kleinberg 1998): of a whole graph, and while it grows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from focuscrawl.graph.links import Column, LinkGraph
from focuscrawl.lab.graph.adjacency import adjacency

Node = TypeVar("Node", bound=Hashable)

_ROUNDS = 100
_TOLERANCE = 1e-8
_RELEVANT_FROM = 0.5


def hits(edges: Iterable[tuple[Node, Node]], *, rounds: int = _ROUNDS) -> tuple[dict[Node, float], dict[Node, float]]:
    """Return hubs and authorities of each node that an edge names, each of sum 1; all 0 without edges.

    Hubs first, as the source has it: ``h(p) = sum a(q)`` over the links of p, then ``a(p) = sum h(r)`` over the pages
    that link to p, both of length 1 after each round.

    >>> hubs, authorities = hits([("A", "B"), ("A", "C"), ("B", "C"), ("C", "A")])
    >>> [round(hubs[n], 3) for n in "ABC"], [round(authorities[n], 3) for n in "ABC"]
    ([0.618, 0.382, 0.0], [0.0, 0.382, 0.618])
    """
    graph = adjacency(edges)
    hub = authority = np.ones(len(graph.nodes))
    for _ in range(rounds):
        new_hub = _unit(graph.over_targets(authority))
        new_authority = _unit(graph.over_sources(new_hub))
        change = float(np.abs(new_hub - hub).sum() + np.abs(new_authority - authority).sum())
        hub, authority = new_hub, new_authority
        if change < _TOLERANCE:
            break
    return _shares(graph.nodes, hub), _shares(graph.nodes, authority)


class GrowingHits:
    """Authorities of a growing crawl by power iteration in slices.

    The pages that count as hubs are the relevant ones and those that link to a relevant one; authorities are all they
    link to. A round reads all rows of the graph, some at each call of `advance`, and starts from the last one's
    result: the iteration goes on while the graph grows, and never starts anew.
    """

    def __init__(self, graph: LinkGraph) -> None:
        self.graph = graph
        self.rounds = 0
        self._now = Column(np.float64)  # authorities as of the last round, sum of squares 1
        self._next = Column(np.float64)
        self._row = 0
        self._version = graph.version
        self._norm = 0.0  # what the hubs of the last round were divided by, so that new pages are on one scale

    @property
    def authorities(self) -> NDArray[np.float64]:
        """By number of the graph, in [0, 1]; a view."""
        return self._now.all

    def grown(self, source: int) -> None:
        """Give URLs that a new page links to a value until the next round: the page's hub value."""
        known = self._now.size
        self._now.grow(len(self.graph))
        self._next.grow(len(self.graph))
        targets = self.graph.targets_of(source)
        if not len(targets):
            return
        if not self._norm:  # the first pages: all hubs are equal
            self._now.all[targets] = 1.0 / np.sqrt(len(self.graph))
        elif self._counts(source, targets):
            fresh = targets[targets >= known]
            self._now.all[fresh] = float(self._now.all[targets].sum()) / self._norm

    def advance(self, links: int) -> bool:
        """Read about `links` links; return whether a round came to its end."""
        graph = self.graph
        if graph.version != self._version:  # rows have moved
            self._version, self._row = graph.version, 0
            self._next.all[:] = 0.0
        self._row, sources, starts, targets = graph.block(self._row, links)
        if len(sources):
            lengths = np.diff(np.append(starts, len(targets)))
            relevance = graph.relevance
            leads = np.logical_or.reduceat(relevance[targets] >= _RELEVANT_FROM, starts)
            counted = leads | (relevance[sources] >= _RELEVANT_FROM)
            hubs = np.where(counted, np.add.reduceat(self._now.all[targets], starts), 0.0)
            np.add.at(self._next.all, targets, np.repeat(hubs, lengths))
        if self._row < graph.rows:
            return False
        length = float(np.sqrt(np.square(self._next.all).sum()))
        if length > 0.0:
            self._now.all[:] = self._next.all / length
            self._norm = length
            self.rounds += 1
        self._next.all[:] = 0.0
        self._row = 0
        return length > 0.0

    def _counts(self, source: int, targets: NDArray[np.int32]) -> bool:
        relevance = self.graph.relevance
        return bool(relevance[source] >= _RELEVANT_FROM or (relevance[targets] >= _RELEVANT_FROM).any())


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.sqrt(np.square(values).sum()))
    return values / length if length > 0.0 else np.zeros(len(values))


def _shares(nodes: list[Node], values: NDArray[np.float64]) -> dict[Node, float]:
    total = float(values.sum())
    return dict(zip(nodes, (values / total if total > 0.0 else np.zeros(len(nodes))).tolist(), strict=True))
