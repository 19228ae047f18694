"""Soft and hard focus (docs/formulas.md J.3; Chakrabarti, van den Berg, Dom 1999, *Focused Crawling*, 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, clip01


class NaiveSoftFocus(Ranker):
    """Probability that the page that holds the link is on the topic, as the judge gives it.

    Unlike ``best-first``, which takes the similarity of the page's words, it takes the verdict's own score. With hard
    focus the links of pages below the threshold are dropped: a crawl of that kind ends where no good page leads on.
    """

    name = "naive-soft-focus"

    def __init__(self, *, hard: bool = False) -> None:
        if not isinstance(hard, bool):
            raise ConfigError(f"[ranking.options] hard = {hard!r}: expected true or false")
        self.hard = hard

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the page's score for all its links."""
        del scores
        value = clip01(page.verdict.score.value)
        keep = page.verdict.relevant or not self.hard
        reason = "probability that the page that holds the link is on the topic"
        score = Explained(value, reason=reason if keep else f"{reason}, below the threshold")
        return [Ranked(score, link.host, keep=keep) for link in links]


def make_naive_soft_focus(
    topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None, hard: bool = False
) -> NaiveSoftFocus:
    """Return the strategy ``naive-soft-focus``; with `hard`, the hard focus of the same source."""
    del topic, seed, weights
    return NaiveSoftFocus(hard=hard)
