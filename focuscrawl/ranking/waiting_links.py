"""Links that wait in the frontier, with what the models read of them, so that their scores follow what is learned.

The frontier moves all links of a group when something is learned of the group. What the models say of the link itself,
by its features and words, is worked out when the link is found, mostly before there was anything to learn from: the
first dozen pages of a blog name all its posts. So every few pages all links that wait are scored anew, at once: arrays
make that a millisecond for thousands of links.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from focuscrawl.ranking.link_model import LinkModel, word_values
from focuscrawl.ranking.sparse_rows import Floats, SparseRows
from focuscrawl.types import GroupKey, UrlKey

_ROUNDING = 1e-9
_LEFT_ALLOWED = 1_000  # links that have left, kept until tidying is worth it


class WaitingLinks:
    """See the module's docstring.

    Parameters
    ----------
    most
        Links known at once, about 0.5 kB each; beyond, the better half is kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows: dict[UrlKey, int] = {}
        self._ahead: set[UrlKey] = set()  # called up, and not fetched yet: they are not to be scored anew
        self._keys: list[UrlKey] = []  # by row, as all that follows
        self._waits = bytearray()
        self._fixed = array("d")
        self._scores = array("d")
        self._group = array("i")
        self._evidence_of = array("i")
        self._text, self._path = SparseRows(), SparseRows()
        self._groups: dict[GroupKey, int] = {}
        self._evidence = SparseRows()  # features, one row for all links of a page that share them

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def groups(self) -> Set[GroupKey]:
        """Groups of the links, and of some that have left."""
        return self._groups.keys()

    def score(self, key: UrlKey) -> float:
        """Return the score that a link must surpass to be worth noting, -1 for one that is not known."""
        row = self._rows.get(key)
        if row is not None:
            return self._scores[row]
        return math.inf if key in self._ahead else -1.0

    def evidence(self, features: Mapping[str, float]) -> int:
        """Take note of features that links share, and return their number for `add`: good until the next page."""
        return self._evidence.add(features.items())

    def add(
        self,
        key: UrlKey,
        *,
        fixed: float,
        score: float,
        evidence: int,
        group: GroupKey,
        text: Sequence[str],
        path: Sequence[str],
    ) -> None:
        """Take note of a link that was queued, or queued with a better score.

        Parameters
        ----------
        key
            Of the link.
        fixed
            Part of its score that nothing learned changes, in [0, 1].
        score
            Its local score in [0, 1].
        evidence
            Number of its features.
        group
            Its group in the frontier.
        text, path
            Words of its text, and of its URL after the host.
        """
        row = self._rows.get(key)
        if row is not None:
            self._waits[row] = 0
        self._rows[key] = len(self._keys)
        self._keys.append(key)
        self._waits.append(1)
        self._fixed.append(fixed)
        self._scores.append(score)
        self._group.append(self._groups.setdefault(group, len(self._groups)))
        self._evidence_of.append(evidence)
        self._text.add(word_values(text))
        self._path.add(word_values(path))

    def leave(self, keys: Iterable[UrlKey]) -> None:
        """Forget links: they are fetched, or wait behind all others."""
        for key in keys:
            row = self._rows.pop(key, None)
            if row is not None:
                self._waits[row] = 0
            self._ahead.discard(key)

    def call_up(self, keys: Iterable[UrlKey]) -> None:
        """Leave the raised scores of links alone until they are fetched, also where a page links to them again."""
        for key in keys:
            self.leave([key])
            self._ahead.add(key)

    def log_odds(self, model: LinkModel, hub_model: LinkModel, shares: Mapping[GroupKey, float]) -> Floats:
        """Return what the models say of each row, the one of pages by the share of its group, else that of hubs."""
        self._tidy()
        of_page, of_hub = self._by(model), self._by(hub_model)
        share = self._of_groups(shares, otherwise=1.0)
        return share * of_page + (1.0 - share) * of_hub

    def fixed(self) -> Floats:
        """Return the fixed part of the score of each row."""
        return np.array(self._fixed)

    def take(
        self, scores: Floats, offsets: Mapping[GroupKey, float], *, least: float, first: int
    ) -> dict[UrlKey, float]:
        """Take new scores by row, and return those of links that wait which are to be told to the frontier.

        Parameters
        ----------
        scores
            Local scores, in [0, 1].
        offsets
            Of the groups.
        least
            Change of a score that is told of any link. The others keep the score they have, so that small steps add up.
        first
            How many links, those with the highest priorities, are told by any change: their order counts.
        """
        waits = np.frombuffer(self._waits, dtype=np.uint8) > 0
        moved = np.abs(scores - np.array(self._scores))
        priorities = np.where(waits, scores + self._of_groups(offsets, otherwise=0.0), -np.inf)
        told = waits & (moved >= least)
        ahead = np.argpartition(-priorities, first)[:first] if len(priorities) > first else slice(None)
        told[ahead] = (waits & (moved > _ROUNDING))[ahead]
        changed: dict[UrlKey, float] = {}
        for row in np.flatnonzero(told).tolist():
            changed[self._keys[row]] = self._scores[row] = float(scores[row])
        return changed

    def _of_groups(self, values: Mapping[GroupKey, float], *, otherwise: float) -> Floats:
        """Return the value of each row's group."""
        of_group = np.array([values.get(group, otherwise) for group in self._groups])
        by_row: Floats = of_group[np.array(self._group, dtype=np.intc)]
        return by_row

    def _by(self, model: LinkModel) -> Floats:
        features, text, path = model.weights()
        of_evidence = self._evidence.times(features)
        return of_evidence[np.array(self._evidence_of, dtype=np.intc)] + self._text.times(text) + self._path.times(path)

    def _tidy(self) -> None:
        """Drop the rows of links that have left, and the worse half of too many."""
        rows: NDArray[np.intp] = np.flatnonzero(np.frombuffer(self._waits, dtype=np.uint8))
        if len(rows) <= self._most and len(self._keys) <= 2 * len(rows) + _LEFT_ALLOWED:
            return
        if len(rows) > self._most:
            order = np.argsort(-np.array(self._scores)[rows], kind="stable")
            rows = np.sort(rows[order[: self._most // 2]])
        self._keys = [self._keys[row] for row in rows.tolist()]
        self._rows = {key: row for row, key in enumerate(self._keys)}
        self._waits = bytearray(b"\1" * len(rows))
        self._fixed = array("d", np.array(self._fixed)[rows].tobytes())
        self._scores = array("d", np.array(self._scores)[rows].tobytes())
        used, group = np.unique(np.array(self._group, dtype=np.intc)[rows], return_inverse=True)
        names = list(self._groups)
        self._groups = {names[old]: new for new, old in enumerate(used.tolist())}
        self._group = array("i", group.astype(np.intc).tobytes())
        kept, evidence = np.unique(np.array(self._evidence_of, dtype=np.intc)[rows], return_inverse=True)
        self._evidence.keep(kept.astype(np.intp))
        self._evidence_of = array("i", evidence.astype(np.intc).tobytes())
        self._text.keep(rows)
        self._path.keep(rows)
