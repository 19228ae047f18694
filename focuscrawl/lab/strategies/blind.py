"""Strategies that ignore what pages are about: depth-first, random, forward-link, location (docs/formulas.md J.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, clip01, draw

_MANY_LINKS = 50  # of a page, that count half
_MAX_DEPTH = 1000  # scale of depth-first; deeper pages are all as deep as this


class DepthFirst(Ranker):
    """Deep pages first; equal depths in order of discovery (J.1)."""

    name = "depth-first"

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return one score for all links of the page."""
        del scores
        depth = page.depth + 1
        score = Explained(min(depth, _MAX_DEPTH) / _MAX_DEPTH, reason=f"{depth} links from a seed")
        return [Ranked(score, link.host) for link in links]


class Random(Ranker):
    """A number drawn for each URL from the crawl's seed: the same on every worker (J.1)."""

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return a draw for each link."""
        del page, scores
        return [Ranked(Explained(draw(self._seed, link.key, "random"), reason="drawn"), link.host) for link in links]


class ForwardLinks(Ranker):
    """Links of pages with many links first: n / (n + 50); what their targets have is not known yet (J.1)."""

    name = "forward-link"

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return one score for all links of the page."""
        del scores
        count = len(page.page.links)
        score = Explained(count / (count + _MANY_LINKS), reason=f"the page that holds the link has {count} links")
        return [Ranked(score, link.host) for link in links]


class Location(Ranker):
    """URLs with few slashes first, then those of .com hosts and those with "home" in them (J.1).

    The score is 0.8 / (1 + slashes in the path) + 0.1 for .com + 0.1 for "home".
    """

    name = "location"
    weights: Mapping[str, float] = MappingProxyType({"few slashes": 0.8, ".com": 0.1, "home": 0.1})

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return a score for each link by its URL alone."""
        del page, scores
        return [Ranked(self.place(link.url, link.host), link.host) for link in links]

    def place(self, url: str, host: str) -> Explained:
        """Return the score of a URL in normal form."""
        path = url.partition("://")[2].partition("?")[0].partition("/")[2].rstrip("/")
        slashes = path.count("/") + bool(path)
        parts = {
            "few slashes": 1.0 / (1 + slashes),
            ".com": float(host.partition(":")[0].endswith(".com")),
            "home": float("home" in url),
        }
        value = sum(self.weights[part] * value for part, value in parts.items())
        return Explained(clip01(value), parts, f"{slashes} steps below the top of its host")


def make_depth_first(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> DepthFirst:
    """Return the strategy ``depth-first``."""
    del topic, seed, weights
    return DepthFirst()


def make_random(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> Random:
    """Return the strategy ``random``."""
    del topic, weights
    return Random(seed=seed)


def make_forward_link(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> ForwardLinks:
    """Return the strategy ``forward-link``."""
    del topic, seed, weights
    return ForwardLinks()


def make_location(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> Location:
    """Return the strategy ``location``."""
    del topic, seed, weights
    return Location()
