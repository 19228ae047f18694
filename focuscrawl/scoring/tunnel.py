"""RWB: RW with a second and a third chance, so that a crawl can pass through off-topic pages (docs/formulas.md B.7).

Source: Li 2002 (Li Shengtao, 2002, formula 4.6), after Yi, Sundaresan and Huang (WebDB 2000).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.scoring.base import LinkScorer
from focuscrawl.scoring.relevance import (
    AGGREGATES,
    RW_THRESHOLD,
    TOP_K,
    LinkRelatedness,
    aggregate,
    check_relatedness_options,
)
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, draw

Chance = Literal["rw", "page", "random", "none"]
"""What a score comes from: the metadata, the page's text, a draw, or none of them."""
# d: the share of below-threshold links that get no second chance (B.7).
RWB_BOOST = 0.7
# With the maximum any page that holds one topic word would score 1, so the page is judged by its ten best words.
PAGE_AGG, PAGE_K = "topk", 10


def rwb(
    raw: float, page: Callable[[], float], *, p1: float, p2: Callable[[], float], c: float, d: float
) -> tuple[float, Chance]:
    """Return RWB and the chance it comes from (B.7).

    Parameters
    ----------
    raw
        Relatedness of the link's metadata (B.5), in [0, 1].
    page, p2
        Called only when needed: relatedness of the page that holds the link, and the second draw; both in [0, 1].
    p1
        First draw, in [0, 1). A link below the threshold gets its second chance if ``p1 >= d``; the third chance is
        inside the second, so an off-topic link of an off-topic page passes with probability ``(1-d)*(1-c)``.
    c, d
        Relevance threshold and boost threshold, in [0, 1].
    """
    if raw >= c:
        return raw, "rw"
    if p1 >= d:
        value = page()
        if value >= c:
            return value, "page"
        return p2(), "random"
    return 0.0, "none"


class RwbScorer(LinkScorer):
    """RWB of every link of a page; draws are bound to (seed, URL key), so every worker and replay agrees."""

    name = "rwb"
    repeatable = True

    def __init__(
        self,
        *,
        seed: int = 0,
        c: float = RW_THRESHOLD,
        d: float = RWB_BOOST,
        agg: str = "max",
        k: int = TOP_K,
        agg_text: str = PAGE_AGG,
        k_text: int = PAGE_K,
    ) -> None:
        check_relatedness_options("rwb", c=c, agg=agg, k=k)
        if not (isinstance(d, int | float) and 0.0 <= d <= 1.0):
            raise ConfigError(f"[scorers.rwb] d = {d!r}: expected a number in [0, 1]")
        if agg_text not in AGGREGATES:
            raise ConfigError(f"[scorers.rwb] agg_text = {agg_text!r}: expected one of {', '.join(AGGREGATES)}")
        if not (isinstance(k_text, int) and k_text >= 1):
            raise ConfigError(f"[scorers.rwb] k_text = {k_text!r}: expected a whole number of at least 1")
        self.seed: int = seed
        self.c, self.d = c, d
        self.agg_text, self.k_text = agg_text, k_text
        self._relatedness = LinkRelatedness(agg=agg, k=k)

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        """Return RWB of each link; the reason starts with ``rw:``, ``page:``, ``random:`` or ``none:``."""
        text: list[float] = []  # relatedness of the page, worked out when the first link needs it

        def page_relatedness() -> float:
            if not text:
                text.append(self._of_page(page, topic))
            return text[0]

        known: dict[tuple[float, str], Explained] = {}
        out: list[Explained] = []
        for link, pair in zip(links, self._relatedness.raw(links, topic), strict=True):
            raw, word = pair
            p1 = draw(self.seed, link.key, "p1") if raw < self.c else 0.0
            if raw >= self.c or p1 < self.d:
                found = known.get(pair)  # no chance drawn: nothing but the words decides
                if found is None:
                    known[pair] = found = self._by_words(raw, word)
            else:
                found = self._with_chances(raw, p1, link, page_relatedness)
            out.append(found)
        return out

    def _by_words(self, raw: float, word: str) -> Explained:
        if raw >= self.c:
            return Explained(raw, {"raw": raw}, f'rw: "{word}" is related to the topic')
        return Explained(0.0, {"raw": raw} if raw else {}, "none: no related word and no second chance drawn")

    def _with_chances(self, raw: float, p1: float, link: Link, page: Callable[[], float]) -> Explained:
        value, chance = rwb(raw, page, p1=p1, p2=lambda: draw(self.seed, link.key, "p2"), c=self.c, d=self.d)
        parts = {"raw": raw, "p1": p1, "page": page()}
        if chance == "random":
            parts["p2"] = value
            return Explained(value, parts, "random: third chance, the page is not on the topic either")
        return Explained(value, parts, f"{chance}: second chance, the page's text is on the topic")

    def _of_page(self, page: PageAnalysis, topic: TopicModel) -> float:
        related = topic.related
        words = set(page.tokens)
        values = [related[t] for t in related.keys() & words]
        # Words that are not related count 0, but only the mean and a short top list would see them.
        if self.agg_text == "mean":
            values.extend([0.0] * (len(words) - len(values)))
        elif self.agg_text == "topk":
            values.extend([0.0] * min(self.k_text, len(words) - len(values)))
        return aggregate(values, agg=self.agg_text, k=self.k_text)


def make_rwb(
    *,
    seed: int = 0,
    c: float = RW_THRESHOLD,
    d: float = RWB_BOOST,
    agg: str = "max",
    k: int = TOP_K,
    agg_text: str = PAGE_AGG,
    k_text: int = PAGE_K,
) -> RwbScorer:
    """Return the scorer ``rwb``; `seed` is the crawl's."""
    return RwbScorer(seed=seed, c=c, d=d, agg=agg, k=k, agg_text=agg_text, k_text=k_text)
