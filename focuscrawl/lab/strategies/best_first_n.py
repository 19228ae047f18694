"""Best-first search in batches (BFSN; docs/formulas.md J.2; Menczer et al. 2004, Topical Web Crawlers, 3.1).

The N best queued URLs are fetched before the links they bring compete: less greedy with a larger N. Links found in a
batch form a group that stands behind all others until the batch is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.ranking.baselines import BestFirst
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, GroupKey

_BEHIND = -1.0


class BestFirstN(BestFirst):
    """Relevance of the page that holds the link, N pages at a time.

    Where fewer than N URLs are queued, the batch is over when they are used up.
    """

    def __init__(self, batch: int, *, name: str) -> None:
        if not (isinstance(batch, int) and 1 <= batch <= 1_000_000):
            raise ConfigError(f"[ranking.options] batch = {batch!r}: expected a whole number from 1 to 1,000,000")
        self.name = name
        self.batch = batch
        self._number = 0
        self._left = batch
        self._changed: dict[GroupKey, float] = {self._group: _BEHIND}

    @property
    def _group(self) -> GroupKey:
        return f"batch|{self._number}"

    def observe(self, page: Judged) -> None:
        """Count a page. One found in this batch shows that all older ones are used up: it begins the next."""
        if page.group == self._group:
            self._begin()
        self._left -= 1

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the page's relevance for all its links, which wait for the next batch."""
        group = self._group
        return [Ranked(ranked.score, group) for ranked in super().rank(page, links, scores)]

    def offsets(self) -> dict[GroupKey, float]:
        """Return the groups of links that wait, or wait no longer: after its last page, a batch's links compete."""
        if self._left <= 0:
            self._begin()
        changed, self._changed = self._changed, {}
        return changed

    def snapshot(self) -> dict[str, object]:
        """Return where the batch stands."""
        return {"number": self._number, "left": self._left}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        number, left = state.get("number"), state.get("left")
        if isinstance(number, int) and isinstance(left, int):
            # The batch begins anew where it stood; later ones are run through again, which lets their links go.
            self._number, self._left = number, min(left, self.batch)
            self._changed = {self._group: _BEHIND}

    def _begin(self) -> None:
        self._changed[self._group] = 0.0
        self._number += 1
        self._left = self.batch
        self._changed[self._group] = _BEHIND


def make_best_first(
    topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None, batch: int = 1
) -> BestFirst:
    """Return the strategy ``best-first``; `batch` is N."""
    del topic, seed, weights
    return BestFirst() if batch == 1 else BestFirstN(batch, name=BestFirst.name)


def make_best_first_256(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> BestFirstN:
    """Return the strategy ``best-first-256``: N as large as in the literature."""
    del topic, seed, weights
    return BestFirstN(256, name="best-first-256")
