"""Boosted trees kept as plain numbers: read from JSON, applied with numpy.

Every comparison of every tree is made for all lines at once. Each leaves of its tree the leaves that are still open, a
bit each; the bits that all comparisons of a tree leave are one leaf (QuickScorer: Lucchese et al., SIGIR 2015, with
both outcomes of a comparison as masks).
"""

from __future__ import annotations

import gzip
import json
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

MAX_LEAVES = 16
"""Leaves a tree may have: their bits fill one small integer."""
_ROWS = 256  # lines done at a time: what is between fits in the processor's cache
_LEAF_OF = np.zeros(1 << MAX_LEAVES, np.uint8)
_LEAF_OF[1 << np.arange(MAX_LEAVES)] = np.arange(MAX_LEAVES)


class Forest:
    """Sum of trees, through the logistic function.

    Parameters
    ----------
    data
        ``base``, ``features`` (their number), and for each tree lists ``feature`` and ``threshold`` of its comparisons
        (true when not greater), ``value`` of its leaves, and ``path``: for each leaf a list of comparison numbers,
        ``~number`` where the comparison has to fail.

    Raises
    ------
    ValueError
        If the lists of a tree do not fit together, a tree has more leaves than `MAX_LEAVES`, or asks for a feature
        that is not there.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        trees = data["trees"]
        self.base = float(data["base"])
        self.features = int(data["features"])
        splits = max((len(tree["feature"]) for tree in trees), default=0) or 1
        leaves = max((len(tree["value"]) for tree in trees), default=0) or 1
        if leaves > MAX_LEAVES:
            raise ValueError(f"a tree has {leaves} leaves; at most {MAX_LEAVES} are handled")
        count = len(trees)
        feature = np.zeros((splits, count), np.int64)
        threshold = np.zeros((splits, count), np.float32)
        whole = (1 << MAX_LEAVES) - 1
        met = np.full((splits, count), whole, np.uint16)
        failed = np.full((splits, count), whole, np.uint16)
        value = np.zeros((count, leaves), np.float32)
        open_at_first = np.zeros(count, np.uint16)
        for at, tree in enumerate(trees):
            own = len(tree["feature"])
            if len(tree["threshold"]) != own or len(tree["path"]) != len(tree["value"]) or not tree["value"]:
                raise ValueError(f"tree {at}: lists of different length")
            feature[:own, at] = tree["feature"]
            threshold[:own, at] = tree["threshold"]
            value[at, : len(tree["value"])] = tree["value"]
            open_at_first[at] = (1 << len(tree["value"])) - 1
            for leaf, steps in enumerate(tree["path"]):
                bit = 1 << leaf
                for step in steps:
                    number = step if step >= 0 else ~step
                    if number >= own:
                        raise ValueError(f"tree {at}: a path asks for comparison {number} of {own}")
                    closing = failed if step >= 0 else met
                    closing[number, at] &= whole ^ bit
        if count and int(feature.max()) >= self.features:
            raise ValueError(f"a tree asks for feature {int(feature.max())} of {self.features}")
        self._feature = feature
        self._threshold = threshold[:, :, None]
        self._met, self._differs = met[:, :, None], (met ^ failed)[:, :, None]
        self._open = open_at_first[:, None]
        self._value = value.ravel()
        self._offset = (np.arange(count, dtype=np.int64) * leaves)[:, None]

    def probabilities(self, rows: Floats) -> Floats:
        """Return for each row of `rows` a probability; quickest for an array whose columns are contiguous."""
        columns = rows.T
        out = np.empty(len(rows), np.float32)
        for start in range(0, len(out), _ROWS):
            part = np.ascontiguousarray(columns[:, start : start + _ROWS])
            left = np.repeat(self._open, part.shape[1], axis=1)
            for feature, threshold, met, differs in zip(
                self._feature, self._threshold, self._met, self._differs, strict=True
            ):
                failed = part[feature] > threshold
                left &= (failed * differs) ^ met
            total = self._value[_LEAF_OF[left] + self._offset].sum(axis=0) if len(self._value) else 0.0
            out[start : start + _ROWS] = 1.0 / (1.0 + np.exp(-(total + self.base)))
        return out


def load_forests(name: str) -> tuple[dict[str, Any], list[Forest]]:
    """Return what the packaged model `name` says of itself, and its forests, one a stage."""
    data = json.loads(gzip.decompress((files("focuscrawl.extraction") / name).read_bytes()))
    return {key: value for key, value in data.items() if key != "stages"}, [Forest(stage) for stage in data["stages"]]
