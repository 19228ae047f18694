"""Signals of the literature as features of links that the models of `apprentice` learn from (see link_signals.py)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from focuscrawl.lab.strategies.locality import Events
from focuscrawl.page.model import Link
from focuscrawl.ranking.apprentice import Apprentice
from focuscrawl.ranking.base import Judged
from focuscrawl.ranking.heuristic import Heuristic, Weighed
from focuscrawl.ranking.ipagerank import make_ipagerank
from focuscrawl.ranking.series import target_section
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, HostKey, UrlKey

_STEP = 0.1  # features are rounded to it: links of the same evidence share one score
_KEPT = 5_000  # pages and sections that signals know


class Signal(ABC):
    """Features of links, in [0, 1], that may be learned from judged pages."""

    needs: tuple[str, ...] = ()  # scorers whose values it reads

    def observe(self, page: Judged) -> None:  # noqa: B027 - most learn nothing
        """Learn from a judged page, before its links are ranked."""

    @abstractmethod
    def features(
        self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]
    ) -> list[Mapping[str, float]]:
        """Return the features of each link by name."""


class Scores(Signal):
    """Values of scorers as they are."""

    def __init__(self, *scorers: str) -> None:
        self.needs = scorers

    def features(
        self,
        page: Judged,  # noqa: ARG002 - the parent's
        links: Sequence[Link],
        scores: Mapping[str, Sequence[Explained]],
    ) -> list[Mapping[str, float]]:
        """Return the scorers' values."""
        return [{name: scores[name][i].value for name in self.needs} for i in range(len(links))]


class Inflow(Signal):
    """Inflow of topical surfers into the target (docs/formulas.md C.3)."""

    needs = ("rwb",)

    def __init__(self, topic: TopicModel) -> None:
        self._graph = make_ipagerank(topic)

    def observe(self, page: Judged) -> None:
        """Note the page."""
        self._graph.observe(page)

    def features(
        self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]
    ) -> list[Mapping[str, float]]:
        """Return the inflow beside the median of new links."""
        self._graph.learn(page, links, [score.value for score in scores["rwb"]])
        shares = self._graph.share_of([link.key for link in links])
        return [{"inflow": float(share)} for share in shares]


class PageWords(Signal):
    """Prediction from the words of the page that holds the link to its children (after Chakrabarti et al. 2002).

    Interest ratios of the words (`Events`), 0.5 where they say nothing.
    """

    def __init__(self) -> None:
        self._events = Events()
        self._words: OrderedDict[UrlKey, list[str]] = OrderedDict()
        self._pages = 0
        self._relevant = 0

    def observe(self, page: Judged) -> None:
        """Count the words of the page that led here, and keep the page's own."""
        relevant = page.verdict.leads
        self._pages += 1
        self._relevant += relevant
        above = self._words.get(page.parent) if page.parent is not None else None
        if above is not None:
            self._events.add(above, relevant)
        self._words[page.key or page.page.key] = list(dict.fromkeys(page.page.content_tokens))[:200]
        if len(self._words) > _KEPT:
            self._words.popitem(last=False)

    def features(
        self,
        page: Judged,
        links: Sequence[Link],
        scores: Mapping[str, Sequence[Explained]],  # noqa: ARG002 - the parent's
    ) -> list[Mapping[str, float]]:
        """Return one value for all links of the page."""
        base = self._relevant / self._pages if self._pages >= 20 else 0.0
        ratio = self._events.log_ratio(self._words.get(page.key or page.page.key, ()), base)
        return [{"page_words": 0.5 + ratio / (2.0 * math.log(20.0))}] * len(links)


class Types(Signal):
    """Where in its site a link leads from what kind of page: down, up, level, across, or to another host."""

    def features(
        self,
        page: Judged,
        links: Sequence[Link],
        scores: Mapping[str, Sequence[Explained]],  # noqa: ARG002 - the parent's
    ) -> list[Mapping[str, float]]:
        """Return one feature that is 1 for the type of the link, and one for it with the kind of the page."""
        here, kind = _directory(page.page.url), page.page.kind.value
        known = {name: {name: 1.0, f"{name} {kind}": 1.0} for name in ("out", "home", "level", "down", "up", "across")}
        return [known[_type_of(link, page.page.host, here)] for link in links]


class Clusters(Signal):
    """Rate of relevant pages in the target's site cluster: its host and first directory, drawn to host and crawl."""

    def __init__(self) -> None:
        self._counts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def observe(self, page: Judged) -> None:
        """Count a page for its cluster, its host and the crawl."""
        for name in ("", page.page.host, _cluster(page.page.url)):
            count = self._counts[name]
            count[0] += 1.0
            count[1] += page.verdict.leads

    def features(
        self,
        page: Judged,  # noqa: ARG002 - the parent's
        links: Sequence[Link],
        scores: Mapping[str, Sequence[Explained]],  # noqa: ARG002 - the parent's
    ) -> list[Mapping[str, float]]:
        """Return the rate of each link's cluster."""
        return [{"cluster": self._rate(link.host, _cluster(link.url))} for link in links]

    def _rate(self, host: HostKey, cluster: str) -> float:
        rate = 0.0
        for name, drawn in (("", 0.0), (host, 4.0), (cluster, 2.0)):
            pages, relevant = self._counts.get(name, (0.0, 0.0))
            rate = (relevant + drawn * rate) / (pages + drawn) if pages + drawn else 0.0
        return rate


class Successors(Signal):
    """Successor representation of sections (Dayan 1993): how much relevance a section's pages lead to, in the end.

    M(p) is the discounted number of pages of each section met after one of section p, learned by temporal differences;
    its product with the sections' rates of relevant pages is the value.
    """

    discount, rate, most = 0.7, 0.1, 32

    def __init__(self) -> None:
        self._section_of: OrderedDict[UrlKey, str] = OrderedDict()
        self._rows: OrderedDict[str, dict[str, float]] = OrderedDict()
        self._worth: dict[str, tuple[float, float]] = {}

    def observe(self, page: Judged) -> None:
        """Move the row of the section that led here."""
        section = target_section(page.page.url)
        pages, relevant = self._worth.get(section, (1.0, 0.0))
        self._worth[section] = pages + 1.0, relevant + page.verdict.leads
        self._section_of[page.key or page.page.key] = section
        if len(self._section_of) > _KEPT:
            self._section_of.popitem(last=False)
        above = self._section_of.get(page.parent) if page.parent is not None else None
        if above is None:
            return
        target = {name: self.discount * value for name, value in self._row(section).items()}
        target[above] = target.get(above, 0.0) + 1.0
        row = self._row(above)
        moved = {n: (1.0 - self.rate) * row.get(n, 0.0) + self.rate * target.get(n, 0.0) for n in {**row, **target}}
        self._rows[above] = dict(sorted(moved.items(), key=lambda item: (-item[1], item[0]))[: self.most])
        if len(self._rows) > _KEPT:
            self._rows.popitem(last=False)

    def features(
        self,
        page: Judged,  # noqa: ARG002 - the parent's
        links: Sequence[Link],
        scores: Mapping[str, Sequence[Explained]],  # noqa: ARG002 - the parent's
    ) -> list[Mapping[str, float]]:
        """Return the value of each target's section."""
        known: dict[str, Mapping[str, float]] = {}
        out = []
        for link in links:
            section = target_section(link.url)
            if section not in known:
                known[section] = {"successors": self._value(section)}
            out.append(known[section])
        return out

    def _row(self, section: str) -> dict[str, float]:
        return self._rows.get(section) or {section: 1.0}

    def _value(self, section: str) -> float:
        row = self._row(section)
        found = [(value, self._worth[name]) for name, value in row.items() if name in self._worth]
        total = math.fsum(value * relevant / pages for value, (pages, relevant) in found)
        return min(1.0, (1.0 - self.discount) * total)


SIGNALS: Mapping[str, Callable[[TopicModel], Signal]] = {
    "dom": lambda _: Scores("dom"),
    "rwb": lambda _: Scores("rwb"),
    "uh, teh, tih, amh": lambda _: Scores("uh", "teh", "tih", "amh"),
    "inflow": Inflow,
    "page words": lambda _: PageWords(),
    "link and page types": lambda _: Types(),
    "site clusters": lambda _: Clusters(),
    "successors": lambda _: Successors(),
}


class _SignalHeuristic(Heuristic):
    """The heuristic with the features of a signal as parts of no weight: what is learned of them is the model's."""

    def __init__(self, topic: TopicModel, signal: Signal) -> None:
        super().__init__(topic)
        self._signal = signal

    def weigh(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Weighed]:
        """Return what the heuristic does, with the features among the parts."""
        shared: dict[tuple[int, tuple[tuple[str, float], ...]], Weighed] = {}
        out = []
        plain = super().weigh(page, links, scores)
        for weighed, features in zip(plain, self._signal.features(page, links, scores), strict=True):
            told = {f"signal {name}": round(value / _STEP) * _STEP for name, value in features.items()}
            key = id(weighed), tuple(told.items())
            if key not in shared:
                score = weighed.score
                parts = {**score.parts, **{name: value for name, value in told.items() if value > 0.0}}
                shared[key] = Weighed(
                    Explained(score.value, parts, score.reason), weighed.without_anchor, weighed.named
                )
            out.append(shared[key])
        return out


class SignalApprentice(Apprentice):
    """The default strategy with one more signal for its models to learn from."""

    def __init__(self, topic: TopicModel, signal: Signal) -> None:
        super().__init__(topic)
        self.heuristic = _SignalHeuristic(topic, signal)
        self.needs = tuple(dict.fromkeys((*self.heuristic.needs, *signal.needs)))
        self._signal = signal

    def observe(self, page: Judged) -> None:
        """Have the signal learn, too."""
        self._signal.observe(page)
        super().observe(page)


def _directory(url: str) -> str:
    return urlsplit(url).path.rpartition("/")[0] + "/"


def _type_of(link: Link, host: HostKey, here: str) -> str:
    """Return the type of a link by its path (Li 2002)."""
    if link.host != host:
        return "out"
    there = _directory(link.url)
    if urlsplit(link.url).path in ("", "/"):
        return "home"
    if there == here:
        return "level"
    if there.startswith(here):
        return "down"
    return "up" if here.startswith(there) else "across"


def _cluster(url: str) -> str:
    """Return host and first directory of a URL."""
    return "/".join(url.partition("://")[2].split("/")[:2])
