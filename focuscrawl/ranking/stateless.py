"""What rankers that learn nothing have in common."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.ranking.groups import section_of
from focuscrawl.types import Explained, GroupKey, UrlKey

SEED_SCORE = Explained(1.0, reason="seed")
NO_WEIGHTS: Mapping[str, float] = MappingProxyType({})


class Stateless:
    """A ranker without learned state; `rank` is left to the strategy."""

    name = ""
    needs: tuple[str, ...] = ()
    weights: Mapping[str, float] = NO_WEIGHTS

    def observe(self, page: Judged) -> None:
        """Learn nothing."""

    def seed(self, key: UrlKey, url: str, host: str) -> Ranked:
        """Return the place of a seed: score 1, so that seeds are fetched first."""
        del key
        return Ranked(SEED_SCORE, section_of(url, host))

    def offsets(self) -> dict[GroupKey, float]:
        """Return no offsets: groups are equal."""
        return {}

    def snapshot(self) -> dict[str, object]:
        """Return nothing learned."""
        return {}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up nothing."""
        del state
