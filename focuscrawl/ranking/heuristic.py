"""The fixed-weight mix of everything known of a link before it is fetched; it learns nothing.

The score is a weighted sum of parts in [0, 1], the weights sum to 1, and both are shown by ``focuscrawl explain``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link, PageKind
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.ranking.groups import section_of
from focuscrawl.ranking.series import page_series
from focuscrawl.scoring.metadata import shown
from focuscrawl.scoring.own_words import OwnWords
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.listing import in_heading, listing_sign
from focuscrawl.topic.term_memory import Terms
from focuscrawl.types import Explained, clip01

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "words": 0.50,  # topic words of the link itself: text, title, URL
        "quality": 0.20,  # the URL looks like a page, not like a file, a log-in or a calendar (scorer)
        "other_host": 0.10,  # the link leaves its host
        "hub": 0.05,  # topic words in the title of the page that holds the link
        "around": 0.05,  # topic words beside the link
        "rw": 0.05,  # words related to the topic in or around the link (scorer)
        "content": 0.05,  # the link stands outside navigation, header, footer and side bar
    }
)
"""What each part is worth, sum 1; docs/strategies.md gives the reasons.

The link's own words outweigh all the rest together but quality, so that the rest only orders the links of one class.
It does so in few steps on purpose: between links of equal score the frontier keeps the order of discovery, which
spreads a crawl over hosts; a finely graded tail (such as the parent's similarity) would hold it on one.
"""

_OWN_PARTS = frozenset({"words", "other_host", "hub", "around", "content", "parent"})
"""Parts worked out here; all other names are scorers. ``parent`` (relevance of the page) has no weight by default."""

# What stands on a listing that the topic names was put there for it; a link that says so itself says more.
_LISTED = 0.6
_MACHINERY = 0.3  # quality below which a URL is of a site's machinery, or a calendar's
# A topic word of weight 1 leaves a fifth of the doubt, a second one a fifth of that: the first says the most.
_CERTAINTY = 0.8


def graded(terms: Terms, weights: Mapping[str, float]) -> float:
    """Return how much the topic words `terms` say, in [0, 1): 1 - product of (1 - 0.8 * weight).

    >>> [round(graded(t, {"chess": 1.0, "rook": 0.5}), 2) for t in ((), ("rook",), ("chess",), ("chess", "rook"))]
    [0.0, 0.4, 0.8, 0.88]
    """
    doubt = 1.0
    for term in terms:
        doubt *= 1.0 - _CERTAINTY * weights.get(term, 1.0)
    return 1.0 - doubt


@dataclass(frozen=True, slots=True)
class Weighed:
    """A link's score, and what it would be without the topic words of the link's text."""

    score: Explained
    without_anchor: float
    named: bool = False  # the link's label, or the last step of its path, holds nothing but topic words


class Heuristic(Ranker):
    """Fixed-weight mix of link evidence.

    Parameters
    ----------
    topic
        The topic whose words are looked for.
    weights
        Weights by part that replace the default ones; the name of a scorer adds its value as a part. They are scaled
        to sum 1.
    """

    name = "heuristic"

    def __init__(self, topic: TopicModel, *, weights: Mapping[str, float] | None = None) -> None:
        self._topic = topic
        mixed = {**WEIGHTS, **(weights or {})}
        for part, weight in mixed.items():
            if not (isinstance(weight, int | float) and math.isfinite(weight) and weight >= 0.0):
                raise ConfigError(f"[scorers.{part}] weight = {weight!r}: expected a number of at least 0")
        total = math.fsum(mixed.values())
        if total <= 0.0:
            raise ConfigError("[scorers]: the weights of strategy heuristic are all 0; one must be positive")
        self.weights = {part: weight / total for part, weight in mixed.items() if weight > 0.0}
        self.needs = tuple(part for part in self.weights if part not in _OWN_PARTS)
        self._known: dict[Terms, float] = {}  # grades of combinations of topic words; there are few
        self._own = OwnWords(topic)
        self._word_weights = {**topic.own_words, **topic.weights}

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the weighted sum for each link; ``parts`` leaves out what is 0."""
        quality = scores.get("quality")
        places: dict[tuple[int, str], Ranked] = {}
        out: list[Ranked] = []
        for i, (link, weighed) in enumerate(zip(links, self.weigh(page, links, scores), strict=True)):
            group = section_of(link.url, link.host)
            place = places.get((id(weighed), group))
            if place is None:
                # Links of one score have the same quality, so they are refused or queued together.
                place = places[id(weighed), group] = Ranked(
                    weighed.score, group, keep=not is_file(quality, i), without_anchor=weighed.without_anchor
                )
            out.append(place)
        return out

    def weigh(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Weighed]:
        """Return the weighted sum alone; links of the same evidence share one object."""
        here = page.page
        matches = self._topic.link_matcher.of(links)
        own_words = self._own
        title = self._topic.matcher.in_tokens(here.title_tokens) + own_words.in_text(here.title_tokens)
        of_page = {"hub": self._grade(title), "parent": page.topicality}
        of_page = {part: value for part, value in of_page.items() if value > 0.0 and part in self.weights}
        series, numbered = page_series(here.url)
        all_listed = numbered or here.kind is PageKind.HUB
        # Many blogs show the posts of a tag one after the other: by its text such a page is one of several bodies, and
        # only its address or its headings say that it is an index.
        listing = self._own.naming(page.anchor, series) if all_listed or listing_sign(here) else ()
        listed_value = _LISTED * self._named_grade(listing) if listing else 0.0
        blocks = here.blocks
        quality = scores.get("quality")
        columns = [(part, scores[part]) for part in self.needs]
        # Many links of a page have the same evidence: they share one score.
        shared: dict[tuple[object, ...], Weighed] = {}
        out: list[Weighed] = []
        for i, link in enumerate(links):
            text = matches.text[i] + own_words.in_text(link.text_tokens)
            # Words in an address of the machinery are those of a page that it shares, prints or asks to log in for.
            machinery = quality is not None and is_machinery(quality[i].value)
            url = () if machinery else matches.url[i] + own_words.in_url(link.url_tokens)
            own = text, matches.title[i], url
            named = bool(text or url) and own_words.name(link, page_series(link.url)[0])
            content = not (0 <= link.block < len(blocks) and blocks[link.block].boilerplate)
            other_host = link.host != here.host
            values = [column[i].value for _, column in columns]
            # Of posts shown one after the other the titles are listed; dates and other tags stand beside them.
            listed = listed_value if listing and not other_host and (all_listed or in_heading(link)) else 0.0
            key = (own, named, matches.around[i], content, other_host, listed, *values)
            weighed = shared.get(key)
            if weighed is None:
                parts = {part: value for (part, _), value in zip(columns, values, strict=True) if value > 0.0}
                parts.update(of_page)
                terms = tuple(dict.fromkeys(own[0] + own[1] + own[2]))
                words = self._named_grade(terms) if named else self._grade(terms)
                found = {
                    "words": max(words, listed),
                    "around": self._grade(matches.around[i]),
                    "content": float(content),
                    "other_host": float(other_host),
                }
                parts.update({part: v for part, v in found.items() if v > 0.0 and part in self.weights})
                value = bare = self._sum(parts)
                if text and "words" in parts:
                    rest = max(listed, self._grade(tuple(dict.fromkeys(own[1] + own[2]))))
                    bare = clip01(value - self.weights["words"] * (parts["words"] - rest))
                score = Explained(
                    value, parts, _reason(terms, parts, named=named, listing=listing if listed > words else ())
                )
                weighed = shared[key] = Weighed(score, bare, named)
            out.append(weighed)
        return out

    def mixed(self, features: Mapping[str, float]) -> float:
        """Return the weighted sum of those features that are parts of the score, not held to [0, 1]."""
        weights = self.weights
        return math.fsum(weights.get(name, 0.0) * value for name, value in features.items())

    def _sum(self, parts: Mapping[str, float]) -> float:
        weights = self.weights
        return clip01(math.fsum(weights[part] * value for part, value in parts.items()))

    def _named_grade(self, terms: Terms) -> float:
        """Return the grade of a link that holds nothing but topic words: no accident, so half the doubt goes."""
        return 0.5 + 0.5 * graded(terms, self._topic.weights)

    def _grade(self, terms: Terms) -> float:
        if not terms:
            return 0.0
        value = self._known.get(terms)
        if value is None:
            value = self._known[terms] = graded(terms, self._word_weights)
        return value


def make_heuristic(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> Heuristic:
    """Return the strategy ``heuristic``; `seed` is not used."""
    del seed
    return Heuristic(topic, weights=weights)


def is_machinery(quality: float) -> bool:
    """Tell whether a URL of this quality is of a site's machinery or a calendar; 0 says that it is a file."""
    return 0.0 < quality < _MACHINERY


def is_file(quality: Sequence[Explained] | None, index: int) -> bool:
    """Tell whether the URL names something that is no page. A scorer that failed gives 0 too, but without parts."""
    return quality is not None and quality[index].value == 0.0 and bool(quality[index].parts)


def _reason(terms: Terms, parts: Mapping[str, float], *, named: bool, listing: Terms) -> str:
    if listing:
        return f"on a listing that the topic names: {shown(listing)}"
    if named:
        return f"named by the topic: {shown(terms)}"
    if terms:
        return f"topic word in the link: {shown(terms)}"
    if "around" in parts:
        return "topic word beside the link"
    if "hub" in parts:
        return "topic word in the title of the page that holds the link"
    return "no topic word in or around the link"
