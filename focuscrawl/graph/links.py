"""The link graph of a crawl in compact arrays: pages and URLs by number, the links of each fetched page as one row.

A URL costs about 60 bytes, a link 4, or 8 with a weight. Both are bounded: beyond `GraphLimits.urls`, URLs stay
unknown; when `GraphLimits.links` are reached, the older half of the rows is dropped. What was counted of them stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.graph.keys import Ids, KeyTable, key_array
from focuscrawl.types import UrlKey

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class GraphLimits:
    """Bounds of memory. The defaults take about 110 MB when full."""

    urls: int = 1_000_000
    links: int = 6_000_000


class Column:
    """An array that grows at its end, at a constant cost an item."""

    __slots__ = ("_data", "size")

    def __init__(self, dtype: Any) -> None:
        self._data: NDArray[Any] = np.zeros(256, dtype=dtype)
        self.size = 0

    @property
    def all(self) -> NDArray[Any]:
        """What is in use; a view."""
        return self._data[: self.size]

    @property
    def nbytes(self) -> int:
        """Bytes reserved."""
        return self._data.nbytes

    def grow(self, size: int) -> None:
        """Let it have `size` items, new ones 0."""
        if size > len(self._data):
            bigger = np.zeros(max(size, len(self._data) * 3 // 2), dtype=self._data.dtype)
            bigger[: self.size] = self.all
            self._data = bigger
        elif size > self.size:
            self._data[self.size : size] = 0
        self.size = max(size, self.size)

    def append(self, values: NDArray[Any]) -> None:
        """Add items at the end."""
        start = self.size
        self.grow(start + len(values))
        self._data[start : self.size] = values

    def cut(self, size: int) -> None:
        """Forget all but the first `size` items."""
        self.size = size


class LinkGraph:
    """Fetched pages, the URLs they link to, and the links between them.

    Parameters
    ----------
    limits
        Bounds of memory.
    weighted
        Whether links have weights (`weights_of`).
    """

    def __init__(self, limits: GraphLimits | None = None, *, weighted: bool = False) -> None:
        self.limits = limits or GraphLimits()
        self.table = KeyTable(self.limits.urls)
        self.weighted = weighted
        self.version = 0  # changes when rows move, and numbers of rows with them
        self.dropped_rows = 0
        self.unknown = 0  # links to URLs beyond the limit
        self._row_of = Column(np.int32)  # by URL: number of its row + 1, 0 without
        self._degree = Column(np.int32)
        self._in_links = Column(np.int32)
        self._fetched = Column(np.bool_)
        self._relevance = Column(np.float32)
        self._row_source = Column(np.int32)  # by row, in order of fetching
        self._row_start = Column(np.int32)
        self._targets = Column(np.int32)
        self._weights = Column(np.float32)

    def __len__(self) -> int:
        return len(self.table)

    # ------------------------------------------------------------------ reading

    @property
    def degree(self) -> NDArray[np.int32]:
        """Links in the row of each URL; 0 for URLs not fetched and for pages whose row was dropped."""
        return self._degree.all

    @property
    def in_links(self) -> NDArray[np.int32]:
        """Fetched pages that link to each URL."""
        return self._in_links.all

    @property
    def fetched(self) -> NDArray[np.bool_]:
        """Whether each URL has been fetched."""
        return self._fetched.all

    @property
    def relevance(self) -> NDArray[np.float32]:
        """Relevance of each page in [0, 1], 0 for URLs not fetched."""
        return self._relevance.all

    @property
    def rows(self) -> int:
        """Rows in memory, replaced ones included."""
        return self._row_source.size

    @property
    def link_count(self) -> int:
        """Links in memory, those of replaced rows included."""
        return self._targets.size

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        columns = [value for value in vars(self).values() if isinstance(value, Column)]
        return self.table.nbytes + sum(column.nbytes for column in columns)

    def id_of(self, key: UrlKey) -> int:
        """Return the number of a URL, -1 when it is not known."""
        return int(self.table.find(key_array([key]))[0])

    def targets_of(self, number: int) -> Ids:
        """Return the numbers a page links to; a view."""
        start, end = self._span(number)
        return self._targets.all[start:end]

    def weights_of(self, number: int) -> NDArray[np.float32]:
        """Return the weights of a page's links, as `targets_of`."""
        start, end = self._span(number)
        return self._weights.all[start:end]

    def block(self, first: int, links: int) -> tuple[int, Rows, NDArray[np.int32], Ids]:
        """Return rows from number `first` on, up to about so many `links`.

        Returns
        -------
        end, sources, starts, targets
            Number of the next row; for each row the page and where its links begin in `targets`. Rows that were
            replaced and rows without links are left out.
        """
        starts = self._row_start.all
        if first >= len(starts):
            return first, np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32)
        begin = int(starts[first])
        end = max(first + 1, int(np.searchsorted(starts, begin + links)))
        stop = int(starts[end]) if end < len(starts) else self._targets.size
        sources = self._row_source.all[first:end]
        offsets = starts[first:end] - begin
        lengths = np.diff(np.append(offsets, stop - begin))
        valid = (self._row_of.all[sources] == np.arange(first + 1, end + 1)) & (lengths > 0)
        targets = self._targets.all[begin:stop]
        if not valid.all():
            targets = targets[np.repeat(valid, lengths)]
            sources, lengths = sources[valid], lengths[valid]
            offsets = np.concatenate(([0], np.cumsum(lengths)))[:-1]
        return end, sources, offsets.astype(np.int32), targets

    def edges(self) -> tuple[Ids, Ids, NDArray[np.float32]]:
        """Return all links in memory as (sources, targets, weights), replaced rows left out; weights 1 without."""
        _, sources, starts, targets = self.block(0, self._targets.size + 1)
        lengths = np.diff(np.append(starts, len(targets)))
        weights = (
            np.concatenate([self.weights_of(int(i)) for i in sources])
            if self.weighted and len(sources)
            else np.ones(len(targets), np.float32)
        )
        return np.repeat(sources, lengths), targets, weights

    # ------------------------------------------------------------------ writing

    def number(self, source: UrlKey, targets: NDArray[np.uint64]) -> tuple[int, Ids]:
        """Return the numbers of a page and of the URLs it links to, new ones made; -1 beyond the limit."""
        ids = self.table.add(np.concatenate((key_array([source]), targets)))
        count = len(self.table)
        for column in (self._row_of, self._degree, self._in_links, self._fetched, self._relevance):
            column.grow(count)
        return int(ids[0]), ids[1:]

    def set_row(
        self,
        source: int,
        targets: Ids,
        weights: NDArray[np.float32] | None = None,
        *,
        relevance: float,
        before_drop: Callable[[Rows], None] | None = None,
    ) -> None:
        """Give a page its relevance and its links, which replace earlier ones.

        Parameters
        ----------
        source, targets
            Numbers; `targets` distinct, without `source` and without -1.
        before_drop
            Is told of the pages whose rows are dropped to make room, while the rows are still there.
        """
        if self._targets.size + len(targets) > self.limits.links:
            self._drop(len(targets), before_drop)
        if self._row_of.all[source]:
            self._in_links.all[self.targets_of(source)] -= 1
        self._fetched.all[source] = True
        self._relevance.all[source] = relevance
        self._degree.all[source] = len(targets)
        self._row_source.append(np.array([source], np.int32))
        self._row_start.append(np.array([self._targets.size], np.int32))
        self._row_of.all[source] = self._row_source.size
        self._targets.append(targets)
        if self.weighted:
            assert weights is not None
            self._weights.append(weights)
        self._in_links.all[targets] += 1

    # ------------------------------------------------------------------ private

    def _span(self, number: int) -> tuple[int, int]:
        row = int(self._row_of.all[number])
        if not row:
            return 0, 0
        start = int(self._row_start.all[row - 1])
        return start, start + int(self._degree.all[number])

    def _drop(self, room: int, before_drop: Callable[[Rows], None] | None) -> None:
        """Drop the older half of the links, and rows that were replaced."""
        row_of, degree = self._row_of.all, self._degree.all
        sources, starts = self._row_source.all.copy(), self._row_start.all.copy()
        valid = row_of[sources] == np.arange(1, len(sources) + 1)
        cut = self._targets.size - max(0, min(self.limits.links // 2, self.limits.links - room))
        old = sources[valid & (starts < cut)]
        if before_drop is not None and len(old):
            before_drop(old)
        row_of[old], degree[old] = 0, 0
        self.dropped_rows += len(old)
        kept = valid & (starts >= cut)
        sources, starts = sources[kept], starts[kept]
        lengths = degree[sources]
        places = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)))[:-1], lengths) + np.arange(lengths.sum())
        for column in (self._targets, self._weights)[: 1 + self.weighted]:
            moved = column.all[places]
            column.cut(0)
            column.append(moved)
        for column, values in (
            (self._row_source, sources),
            (self._row_start, np.concatenate(([0], np.cumsum(lengths)))[:-1]),
        ):
            column.cut(0)
            column.append(values)
        row_of[sources] = np.arange(1, len(sources) + 1)
        self.version += 1
