"""PageRank of a whole graph at once (docs/formulas.md C.1; formulas 4.7 and 4.8; Brin and Page 1998)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, TypeVar

import numpy as np

from focuscrawl.lab.graph.adjacency import adjacency

Node = TypeVar("Node", bound=Hashable)
Form = Literal["4.7", "4.8"]

_ROUNDS = 200
_TOLERANCE = 1e-10


def pagerank(edges: Iterable[tuple[Node, Node]], d: float | None = None, form: Form = "4.7") -> dict[Node, float]:
    """Return the PageRank of each node that an edge names.

    ``4.7``: ``PR(A) = (1 - d) + d * sum PR(T) / C(T)``, d = 0.85 the damping; the sum over all nodes is their number.
    ``4.8``: ``PR(A) = (1 - d) * sum PR(T) / C(T) + d / (N - 1)``, d = 0.15 the probability of leaving; the sum is
    N / (N - 1). Both give the same vector once divided by its sum.

    Parameters
    ----------
    edges
        (source, target); repeated ones and links of a node to itself count for nothing.
    d
        In [0, 1]; the form's own default when None.

    Notes
    -----
    The rank of nodes without links is spread over all nodes, which neither formula says: without it no unique vector
    of constant sum exists.

    >>> ranks = pagerank([("A", "B"), ("A", "C"), ("B", "C"), ("C", "A")])
    >>> {node: round(rank, 6) for node, rank in ranks.items()}
    {'A': 1.163369, 'B': 0.644432, 'C': 1.192199}
    """
    graph = adjacency(edges)
    size = len(graph.nodes)
    if not size:
        return {}
    if form == "4.7":
        d = 0.85 if d is None else d
        follow, jump, start = d, 1.0 - d, 1.0
    else:
        d = 0.15 if d is None else d
        follow, jump, start = 1.0 - d, d / (size - 1) if size > 1 else 0.0, 1.0 / size
    degree = graph.out_degree
    dangling = degree == 0
    share = np.divide(1.0, degree, out=np.zeros(size), where=~dangling)
    ranks = np.full(size, start)
    for _ in range(_ROUNDS):
        new = follow * (graph.over_sources(ranks * share) + ranks[dangling].sum() / size) + jump
        change = float(np.abs(new - ranks).sum())
        ranks = new
        if change < _TOLERANCE * size:
            break
    return dict(zip(graph.nodes, ranks.tolist(), strict=True))
