"""Fish-search: a school that feeds where it finds something and dies where it does not (docs/formulas.md J.11).

A relevant page gives its links the full *depth* again and sends the first of them to the front; any other page passes
on one less than its own, and links without any left are not followed. Of each page only so many links are preferred.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained

_LEFT = "left"  # what a link carries of its depth, as a share of the full one
_AHEAD = 1.5  # of the width, that go to the front from a relevant page
_FIRST = Explained(1.0, reason="among the first links of a relevant page")
_SECOND = Explained(0.5, reason="among the first links of its page")
_REST = Explained(0.0, reason="not among the first links of its page")
_DEAD = Explained(0.0, reason="too far from a relevant page")


class FishSearch(Ranker):
    """Fish-search (De Bra and Post 1994) with the judge's verdict for "relevant".

    Parameters
    ----------
    width
        Links of a page that are preferred; half as many more where it is relevant.
    depth
        Links that may be followed without meeting a relevant page.
    """

    name = "fish-search"

    def __init__(self, *, width: int = 10, depth: int = 4) -> None:
        for option, value in (("width", width), ("depth", depth)):
            if not (isinstance(value, int) and 1 <= value <= 1_000):
                raise ConfigError(f"[ranking.options] {option} = {value!r}: expected a whole number from 1 to 1000")
        self.width = width
        self.depth = depth

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return 1, 0.5 or 0 by a link's place on its page; refuse those whose depth is used up."""
        del scores
        relevant = page.verdict.relevant
        left = self.depth if relevant else round(page.inherited.get(_LEFT, 1.0) * self.depth) - 1
        ahead = int(_AHEAD * self.width) if relevant else 0
        passed_on = {_LEFT: left / self.depth}
        out: list[Ranked] = []
        for place, link in enumerate(links):
            if left <= 0:
                out.append(Ranked(_DEAD, link.host, keep=False))
                continue
            score = _FIRST if place < ahead else _SECOND if place < ahead + self.width else _REST
            out.append(Ranked(score, link.host, inherit=passed_on))
        return out


def make_fish_search(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    width: int = 10,
    depth: int = 4,
) -> FishSearch:
    """Return the strategy ``fish-search``."""
    del topic, seed, weights
    return FishSearch(width=width, depth=depth)
