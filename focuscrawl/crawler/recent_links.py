"""Approximate set of recently seen links, used to count how many links of a page are new."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.types import UrlKey

_GENERATION = 100_000  # links: about 7 MB


class RecentLinks:
    """The last links seen, between `generation` and twice as many.

    The frontier knows exactly which links are new, but not before they have been ranked, and in a fleet not even here.
    A link forgotten and seen again counts as new once more, which does no harm: others like it are seen more often.
    """

    def __init__(self, *, generation: int = _GENERATION) -> None:
        self._generation = generation
        self._young: set[UrlKey] = set()
        self._old: set[UrlKey] = set()

    def __contains__(self, key: object) -> bool:
        return key in self._young or key in self._old

    def count_new(self, keys: Iterable[UrlKey]) -> int:
        """Return how many different `keys` had not been seen, and remember them all."""
        keys = set(keys)
        new = len(keys - self._young - self._old)
        self._young |= keys
        if len(self._young) >= self._generation:
            self._old, self._young = self._young, set()
        return new
