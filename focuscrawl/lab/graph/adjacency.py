"""Directed graph of distinct edges as two arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Adjacency(Generic[Node]):
    """Nodes in order of first sight, and the edges between them by number."""

    nodes: list[Node]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]

    def over_targets(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each node the sum of the values of the nodes it links to."""
        return np.bincount(self.sources, values[self.targets], len(self.nodes)).astype(np.float64, copy=False)

    def over_sources(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each node the sum of the values of the nodes that link to it."""
        return np.bincount(self.targets, values[self.sources], len(self.nodes)).astype(np.float64, copy=False)

    @property
    def out_degree(self) -> NDArray[np.int64]:
        """Number of links of each node."""
        return np.bincount(self.sources, minlength=len(self.nodes))


def adjacency(edges: Iterable[tuple[Node, Node]]) -> Adjacency[Node]:
    """Return the graph of `edges`; repeated edges count once, those of a node to itself not at all."""
    numbers: dict[Node, int] = {}
    pairs: set[tuple[int, int]] = set()
    for source, target in edges:
        pair = numbers.setdefault(source, len(numbers)), numbers.setdefault(target, len(numbers))
        if pair[0] != pair[1]:
            pairs.add(pair)
    sources, targets = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return Adjacency(list(numbers), sources, targets)
