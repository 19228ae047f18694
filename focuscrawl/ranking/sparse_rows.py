"""Rows of a few named values each, many of them at once times a vector of weights."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class SparseRows:
    """A matrix that grows by rows, its columns named; 12 bytes a value."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._places = array("i")  # columns of all values, row by row
        self._values = array("d")
        self._ends = array("q", [0])  # of the rows, after a 0

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def columns(self) -> int:
        """How many names are known."""
        return len(self._columns)

    def add(self, values: Iterable[tuple[str, float]]) -> int:
        """Add a row and return its number; a name may come several times, which adds up."""
        columns, places, numbers = self._columns, self._places, self._values
        for name, value in values:
            places.append(columns.setdefault(name, len(columns)))
            numbers.append(value)
        self._ends.append(len(places))
        return len(self._ends) - 2

    def times(self, weights: Mapping[str, float]) -> Floats:
        """Return the sum of values times weights of each row; a name without a weight counts nothing."""
        vector = np.zeros(len(self._columns) + 1)
        get = self._columns.get
        for name, weight in weights.items():
            place = get(name)
            if place is not None:
                vector[place] = weight
        if not len(self._places):
            return np.zeros(len(self))
        sums = np.concatenate(([0.0], np.cumsum(vector[self._all_places()] * np.frombuffer(self._values))))
        ends = np.frombuffer(self._ends, dtype=np.int64)
        sums_at_ends: Floats = sums[ends]
        return np.diff(sums_at_ends)

    def keep(self, rows: Places) -> None:
        """Keep some rows, which are numbered anew in the order given, and the names they have."""
        ends = np.frombuffer(self._ends, dtype=np.int64)
        starts, lengths = ends[:-1][rows], np.diff(ends)[rows]
        new_ends = np.concatenate(([0], np.cumsum(lengths)))
        chosen = np.repeat(starts - new_ends[:-1], lengths) + np.arange(new_ends[-1])
        used, places = np.unique(self._all_places()[chosen], return_inverse=True)
        values = np.frombuffer(self._values)[chosen]
        names = list(self._columns)
        self._columns = {names[old]: new for new, old in enumerate(used.tolist())}
        self._places = array("i", places.astype(np.intc).tobytes())
        self._values = array("d", values.tobytes())
        self._ends = array("q", new_ends.astype(np.int64).tobytes())

    def _all_places(self) -> NDArray[np.intc]:
        return np.frombuffer(self._places, dtype=np.intc)
