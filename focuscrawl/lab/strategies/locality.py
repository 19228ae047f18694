"""Intelligent crawling by linkage and sibling locality (docs/formulas.md J.5; Aggarwal, Al-Garawi, Yu 2001).

With P(C) the share of relevant pages so far, an event E seen before a page is fetched has the interest ratio
I(C, E) = P(C|E) / P(C). Four kinds of events count the same: words of the page that links (content), tokens of the
URL, whether the page that links is relevant (link), and how many of the page's other links, fetched already, are
relevant (sibling). Priority = sum of ln I.

The sibling part changes while siblings are fetched: it is the offset of the group of links that one page holds. A URL
found on several pages is a sibling of the links of the first.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from focuscrawl.page.model import Link
from focuscrawl.page.urls import url_tokens
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, GroupKey, UrlKey

_MIN_PAGES = 20  # judged before any ratio counts
_SIGNIFICANCE = 2.0  # standard deviations
_LEAST, _MOST = 0.05, 20.0  # of a ratio
_SPAN = math.log(_MOST) - math.log(_LEAST)
_EVENTS = 4000  # words, URL tokens, groups of siblings that are counted; the rarest are forgotten
_WORDS = 200  # distinct words of a page that count
_PARENTS = 5000  # pages whose words are known
_KINDS = ("content", "url", "link", "sibling")


def interest_ratio(given: float, base: float) -> float:
    """Return I(C, E) = P(C|E) / P(C), in [0.05, 20]; 1 when nothing is relevant so far.

    >>> round(interest_ratio(0.3, 0.1), 6), round(interest_ratio(6 / 10, 0.25), 6)
    (3.0, 2.4)
    """
    return min(_MOST, max(_LEAST, given / base)) if base > 0.0 else 1.0


class Events:
    """Counts of events of one kind, all and with a relevant page."""

    def __init__(self) -> None:
        self.counts: dict[str, list[int]] = {}  # name -> [pages, relevant pages]

    def add(self, names: Iterable[str], relevant: bool) -> None:
        """Count a page with these events."""
        counts = self.counts
        for name in names:
            count = counts.setdefault(name, [0, 0])
            count[0] += 1
            count[1] += relevant
        if len(counts) > 2 * _EVENTS:
            kept = sorted(counts.items(), key=lambda item: (-item[1][0], item[0]))[:_EVENTS]
            self.counts = dict(kept)

    def log_ratio(self, names: Iterable[str], base: float) -> float:
        """Return ln of the product of the ratios of significant events, in [ln 0.05, ln 20]."""
        if not 0.0 < base < 1.0:
            return 0.0
        total = 0.0
        deviation = math.sqrt(base * (1.0 - base))
        for name in names:
            count = self.counts.get(name)
            if count is None:
                continue
            pages, relevant = count
            given = relevant / pages
            if abs(given - base) * math.sqrt(pages) >= _SIGNIFICANCE * deviation:
                total += math.log(interest_ratio(given, base))
        return min(math.log(_MOST), max(math.log(_LEAST), total))


class Locality(Ranker):
    """See the module's docstring."""

    name = "locality"

    def __init__(self) -> None:
        self.weights = dict.fromkeys(_KINDS, 0.25)
        self.pages = 0
        self.relevant = 0
        self.words, self.url_tokens, self.parents, self.siblings = Events(), Events(), Events(), Events()
        self._words_of: OrderedDict[UrlKey, tuple[frozenset[str], bool]] = OrderedDict()
        self._changed: dict[GroupKey, float] = {}

    @property
    def base(self) -> float:
        """P(C), 0 before enough pages are judged: no ratio counts then."""
        return self.relevant / self.pages if self.pages >= _MIN_PAGES else 0.0

    def observe(self, page: Judged) -> None:
        """Count a page with what was known of it before it was fetched."""
        relevant = page.verdict.relevant
        self.pages += 1
        self.relevant += relevant
        self.url_tokens.add(set(url_tokens(page.page.url)), relevant)
        parent = self._words_of.get(page.parent) if page.parent is not None else None
        if parent is not None:
            words, parent_relevant = parent
            self.words.add(words, relevant)
            self.parents.add([_parent_event(parent_relevant)], relevant)
        if page.group.startswith("siblings|"):
            self.siblings.add([page.group], relevant)
            self._changed[page.group] = 0.25 * self._sibling_log_ratio(page.group) / _SPAN
        words = frozenset(list(dict.fromkeys(page.page.content_tokens))[:_WORDS])
        self._words_of[page.key or page.page.key] = words, relevant
        if len(self._words_of) > _PARENTS:
            self._words_of.popitem(last=False)

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the sum of the four kinds, each scaled to [0, 1] with 0.5 for a ratio of 1."""
        del scores
        base = self.base
        own = page.key or page.page.key
        words = self._words_of[own][0] if own in self._words_of else frozenset()
        content = _scaled(self.words.log_ratio(sorted(words), base))
        linkage = _scaled(self.parents.log_ratio([_parent_event(page.verdict.relevant)], base))
        group = f"siblings|{own:016x}"
        known: dict[tuple[str, ...], Ranked] = {}
        out: list[Ranked] = []
        for link in links:
            ranked = known.get(link.url_tokens)
            if ranked is None:
                url = _scaled(self.url_tokens.log_ratio(sorted(set(link.url_tokens)), base))
                # What siblings say is in the group's offset: nothing yet, or it is too late for this page.
                parts = {"content": content, "url": url, "link": linkage, "sibling": 0.5}
                value = math.fsum(0.25 * part for part in parts.values())
                strongest = max(("content", "url", "link"), key=lambda kind: abs(parts[kind] - 0.5))
                reason = f"interest ratios; the strongest is {strongest}" if base else "too few pages for ratios"
                ranked = known[link.url_tokens] = Ranked(Explained(value, parts, reason), group)
            out.append(ranked)
        return out

    def offsets(self) -> dict[GroupKey, float]:
        """Return the sibling parts that changed."""
        changed, self._changed = self._changed, {}
        return changed

    def snapshot(self) -> dict[str, object]:
        """Return the counts; the words of pages whose links are queued are left out."""
        return {
            "pages": self.pages,
            "relevant": self.relevant,
            **{name: dict(events.counts) for name, events in self._events().items()},
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        pages, relevant = state.get("pages"), state.get("relevant")
        self.pages = pages if isinstance(pages, int) else 0
        self.relevant = relevant if isinstance(relevant, int) else 0
        for name, events in self._events().items():
            saved = state.get(name)
            if isinstance(saved, Mapping):
                events.counts = {str(key): [int(count[0]), int(count[1])] for key, count in saved.items()}

    def _events(self) -> dict[str, Events]:
        return {"words": self.words, "urls": self.url_tokens, "parents": self.parents, "siblings": self.siblings}

    def _sibling_log_ratio(self, group: GroupKey) -> float:
        pages, relevant = self.siblings.counts.get(group, (0, 0))
        return math.log(interest_ratio(relevant / pages, self.base)) if pages else 0.0


def _parent_event(relevant: bool) -> str:
    return "relevant" if relevant else "other"


def _scaled(log_ratio: float) -> float:
    return (log_ratio - math.log(_LEAST)) / _SPAN


def make_locality(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> Locality:
    """Return the strategy ``locality``."""
    del topic, seed, weights
    return Locality()
