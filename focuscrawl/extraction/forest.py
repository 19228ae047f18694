"""Boosted trees kept as plain numbers: read from JSON, applied with numpy.

A tree of at most L leaves has L-1 comparisons. All comparisons of all trees are made at once; a leaf is reached when
every comparison on its path comes out as the path says, which is one matrix product.
"""

from __future__ import annotations

import gzip
import json
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_ROWS = 512  # lines done at a time, so that memory stays small on long pages


class Forest:
    """Sum of trees, through the logistic function.

    Parameters
    ----------
    data
        ``base``, and for each tree lists ``feature`` and ``threshold`` of its comparisons (true when not greater),
        ``value`` of its leaves, and ``path``: for each leaf a list of comparison numbers, ``~number`` where the
        comparison has to fail.

    Raises
    ------
    ValueError
        If the lists of a tree do not fit together.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        trees = data["trees"]
        self.base = float(data["base"])
        self.features = int(data["features"])
        splits = max((len(tree["feature"]) for tree in trees), default=0) or 1
        leaves = max((len(tree["value"]) for tree in trees), default=0) or 1
        count = len(trees)
        feature = np.zeros((count, splits), np.int64)
        threshold = np.full((count, splits), np.inf, np.float32)
        path = np.zeros((count, splits, leaves), np.float32)
        needed = np.full((count, leaves), np.inf, np.float32)
        value = np.zeros((count, leaves), np.float32)
        for at, tree in enumerate(trees):
            own = len(tree["feature"])
            if len(tree["threshold"]) != own or len(tree["path"]) != len(tree["value"]):
                raise ValueError(f"tree {at}: lists of different length")
            feature[at, :own] = tree["feature"]
            threshold[at, :own] = tree["threshold"]
            value[at, : len(tree["value"])] = tree["value"]
            for leaf, steps in enumerate(tree["path"]):
                needed[at, leaf] = sum(step >= 0 for step in steps)
                for step in steps:
                    path[at, step if step >= 0 else ~step, leaf] = 1.0 if step >= 0 else -1.0
        if count and int(feature.max()) >= self.features:
            raise ValueError(f"a tree asks for feature {int(feature.max())} of {self.features}")
        self._feature = feature.ravel()
        self._threshold = threshold.ravel()
        self._path = path
        self._needed = needed[:, None, :]
        self._value = value
        self._shape = (count, splits)

    def probabilities(self, rows: Floats) -> Floats:
        """Return for each row of `rows` a probability."""
        out = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _ROWS):
            part = rows[start : start + _ROWS]
            met = (part[:, self._feature] <= self._threshold).astype(np.float32)
            by_tree = met.reshape(len(part), *self._shape).transpose(1, 0, 2)
            reached = np.matmul(by_tree, self._path) == self._needed
            total = np.matmul(reached.astype(np.float32), self._value[:, :, None]).sum(axis=(0, 2))
            out[start : start + _ROWS] = 1.0 / (1.0 + np.exp(-(total + self.base)))
        return out


def load_forests(name: str) -> tuple[dict[str, Any], list[Forest]]:
    """Return what the packaged model `name` says of itself, and its forests, one a stage."""
    data = json.loads(gzip.decompress((files("focuscrawl.extraction") / name).read_bytes()))
    return {key: value for key, value in data.items() if key != "stages"}, [Forest(stage) for stage in data["stages"]]
