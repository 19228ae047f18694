"""Pairs of nodes as a sparse matrix."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array

Node = TypeVar("Node", bound=Hashable)


def adjacency(edges: Iterable[tuple[Node, Node]]) -> tuple[list[Node], csr_array]:
    """Return the nodes in order of first sight, and their matrix: 1 where an edge leads from row to column.

    Repeated edges count once, those of a node to itself not at all.
    """
    numbers: dict[Node, int] = {}
    pairs: set[tuple[int, int]] = set()
    for source, target in edges:
        pair = numbers.setdefault(source, len(numbers)), numbers.setdefault(target, len(numbers))
        if pair[0] != pair[1]:
            pairs.add(pair)
    rows, columns = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    size = len(numbers)
    return list(numbers), csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
