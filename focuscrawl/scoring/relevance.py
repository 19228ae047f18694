"""RW: how related the words of a link's metadata are to the topic (docs/formulas.md B.5; Li 2002, formula 4.5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from heapq import nlargest

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.scoring.base import LinkScorer
from focuscrawl.scoring.metadata import NOTHING
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.link_matches import LinkMatches
from focuscrawl.types import Explained

# The source's own border between near-synonyms (50-100 %) and distant words (0-50 %).
RW_THRESHOLD = 0.5
AGGREGATES = ("max", "mean", "topk")
TOP_K = 3
_NO_WORD = (0.0, "")


def aggregate(values: Collection[float], *, agg: str = "max", k: int = TOP_K) -> float:
    """Return the largest of `values`, their mean, or the mean of the k largest; 0.0 for none (B.5).

    A mean that rounding lifts above the largest value is brought back to it.

    >>> [round(aggregate([0.9, 0.4, 0.05], agg=agg, k=2), 6) for agg in AGGREGATES]
    [0.9, 0.45, 0.65]
    """
    if not values:
        return 0.0
    largest = max(values)
    if agg == "max":
        return largest
    top = values if agg == "mean" else nlargest(k, values)
    return min(largest, math.fsum(top) / len(top))


def metadata_tokens(link: Link) -> tuple[str, ...]:
    """Return M(url): the tokens of all metadata of `link` (B)."""
    return link.text_tokens + link.surrounding_tokens + link.title_tokens + link.url_tokens + link.extra_url_tokens


_MAX_REMEMBERED = 20_000


class LinkRelatedness:
    """Raw relatedness of the links of a page, with the words it comes from; shared by ``rw`` and ``rwb``.

    A topic word found by the matcher (a phrase, or a part of a URL token) counts as a word of M(url) with R = 1.
    """

    def __init__(self, *, agg: str, k: int) -> None:
        self.agg = agg
        self.k = k
        self._topic: TopicModel | None = None
        self._words: frozenset[str] = frozenset()
        self._known: dict[tuple[str, ...], tuple[float, str]] = {}

    def raw(self, links: Sequence[Link], topic: TopicModel) -> list[tuple[float, str]]:
        """Return (raw, strongest word) for each link; the word is '' where raw is 0."""
        matches = topic.link_matcher.of(links)
        if self.agg == "max":
            return self._largest(links, topic, matches)
        return [self._aggregated(link, i, topic, matches) for i, link in enumerate(links)]

    def _largest(self, links: Sequence[Link], topic: TopicModel, matches: LinkMatches) -> list[tuple[float, str]]:
        if self._topic is not topic:
            self._topic, self._words, self._known = topic, frozenset(topic.related), {}
        if len(self._known) > _MAX_REMEMBERED:
            self._known = {}
        known, best = self._known, self._best
        out: list[tuple[float, str]] = []
        for i, link in enumerate(links):
            terms = matches.text[i] or matches.title[i] or matches.url[i] or matches.around[i]
            if terms:
                out.append((1.0, terms[0]))
                continue
            top = best(link.surrounding_tokens)  # hardly ever the same twice: not remembered
            for tokens in (link.text_tokens, link.url_tokens, link.title_tokens, link.extra_url_tokens):
                if tokens:
                    other = known.get(tokens)
                    if other is None:
                        other = known[tokens] = best(tokens)
                    if other[0] > top[0]:
                        top = other
            out.append(top)
        return out

    def _best(self, tokens: tuple[str, ...]) -> tuple[float, str]:
        words = self._words
        if not tokens or words.isdisjoint(tokens):
            return _NO_WORD
        related = self._topic.related if self._topic else {}
        # Ties go to the alphabetically first word, whatever the order of the set.
        return min(((related[t], t) for t in words.intersection(tokens)), key=_strongest_first)

    def _aggregated(self, link: Link, i: int, topic: TopicModel, matches: LinkMatches) -> tuple[float, str]:
        get = topic.related.get
        values = {t: get(t, 0.0) for t in metadata_tokens(link)}
        for terms in (matches.text[i], matches.title[i], matches.url[i], matches.around[i]):
            values.update(dict.fromkeys(terms, 1.0))
        raw = aggregate(values.values(), agg=self.agg, k=self.k)
        return (raw, min(((v, t) for t, v in values.items()), key=_strongest_first)[1]) if raw > 0.0 else (0.0, "")


class RwScorer(LinkScorer):
    """RW of every link of a page: the aggregate of R(t) over the words of its metadata if it reaches `c`, else 0 (B.5).

    Words that R does not have count 0.
    """

    name = "rw"
    repeatable = True

    def __init__(self, *, c: float = RW_THRESHOLD, agg: str = "max", k: int = TOP_K) -> None:
        check_relatedness_options("rw", c=c, agg=agg, k=k)
        self.c = c
        self._relatedness = LinkRelatedness(agg=agg, k=k)

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        """Return RW of each link; ``parts["raw"]`` is there where it is not 0."""
        del page
        known: dict[tuple[float, str], Explained] = {(0.0, ""): NOTHING}
        out: list[Explained] = []
        for pair in self._relatedness.raw(links, topic):
            found = known.get(pair)
            if found is None:
                raw, word = pair
                reason = f'"{word}" is {"related" if raw >= self.c else "little related"} to the topic'
                found = known[pair] = Explained(raw if raw >= self.c else 0.0, {"raw": raw}, reason)
            out.append(found)
        return out


def check_relatedness_options(scorer: str, *, c: float, agg: str, k: int) -> None:
    """Raise `ConfigError` for options outside their range."""
    if not (isinstance(c, int | float) and 0.0 <= c <= 1.0):
        raise ConfigError(f"[scorers.{scorer}] c = {c!r}: expected a number in [0, 1]")
    if agg not in AGGREGATES:
        raise ConfigError(f"[scorers.{scorer}] agg = {agg!r}: expected one of {', '.join(AGGREGATES)}")
    if not (isinstance(k, int) and k >= 1):
        raise ConfigError(f"[scorers.{scorer}] k = {k!r}: expected a whole number of at least 1")


def make_rw(*, seed: int = 0, c: float = RW_THRESHOLD, agg: str = "max", k: int = TOP_K) -> RwScorer:
    """Return the scorer ``rw``; `seed` is not used."""
    del seed
    return RwScorer(c=c, agg=agg, k=k)


def _strongest_first(pair: tuple[float, str]) -> tuple[float, str]:
    return (-pair[0], pair[1])
