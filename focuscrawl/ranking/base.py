"""Base class of strategies: one priority a link, feedback from judged pages, offsets of groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from focuscrawl.page.build import builder
from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.ranking.groups import section_of
from focuscrawl.records import Entry, LookNews
from focuscrawl.topic.base import Verdict
from focuscrawl.types import Explained, GroupKey, HostKey, UrlKey

SEED_SCORE = Explained(1.0, reason="seed")
NO_WEIGHTS: Mapping[str, float] = MappingProxyType({})


LAST = "last in line"
"""Part of the score of a link that waits behind all others, with the weight -`BEHIND`."""
BEHIND = 3.0
"""What such a score is lowered by: more than score and offset of any other link, at most 1 each, can make up for."""
CALLED = "called up"
"""Part of the score of a link that goes before all others, with the weight `AHEAD`."""
AHEAD = 3.0
"""What such a score is raised by."""
LEARNED = "learned"
"""Part of a score that follows what is learned while its link waits; the frontier keeps the new score alone."""


def is_called(value: float) -> bool:
    """Tell whether a score or priority was raised to go before all others."""
    return value > AHEAD - 1.0


def own_value(value: float) -> float:
    """Return a score or priority without what it was raised or lowered by to come first or last.

    >>> [round(own_value(value), 3) for value in (0.4, 3.4, -2.6, 1.8, 4.8)]
    [0.4, 0.4, 0.4, 1.8, 1.8]
    """
    if is_called(value):
        return value - AHEAD
    return value + BEHIND if value < -1.0 else value


@dataclass(frozen=True, slots=True)
class Judged:
    """A fetched page with what is known of it when its links are ranked."""

    page: PageAnalysis
    verdict: Verdict
    depth: int = 0  # links from a seed
    tunnel: int = 0  # consecutive off-topic pages just before this one
    priority: float = 1.0  # local score it was queued with
    group: GroupKey = ""
    inherited: Mapping[str, float] = field(default_factory=dict)  # what the strategy stored with the link it came by
    key: UrlKey = 0  # of the entry, which redirects may have led away from page.key
    parent: UrlKey | None = None  # of the entry of the page that linked here, None for seeds
    anchor: str = ""  # text of the link it came by
    new_links: int = 0  # links it has that may be followed and were not seen before
    repeats: bool = False  # its text was had before: whatever the verdict, it gave nothing

    @property
    def topicality(self) -> float:
        """How far the page's words are on the topic, in [0, 1], whatever kind of page it is."""
        return self.verdict.topicality


@dataclass(frozen=True, slots=True)
class Ranked:
    """The place of one link in the frontier."""

    score: Explained  # value is the link's local score in [0, 1]; parts are the addends' values
    group: GroupKey
    keep: bool = True  # False: refused instead of queued; the reason is in the score
    inherit: Mapping[str, float] = field(default_factory=dict)  # comes back as Judged.inherited when it is fetched
    without_anchor: float | None = None  # the score without the words of the link's text, where the strategy can tell


make_ranked: Callable[..., Ranked] = builder(Ranked)
"""Makes a `Ranked` from all its fields by position, in a quarter of the time: a page takes one for each link."""


def last_in_line(ranked: Ranked, reason: str) -> Ranked:
    """Return the place of a link that waits behind all others, in the order its score gives among them."""
    score = ranked.score
    parts, why = {**score.parts, LAST: 1.0}, f"{score.reason}; behind all others: {reason}"
    bare = ranked.without_anchor
    return replace(
        ranked,
        score=Explained(score.value - BEHIND, parts, why),
        without_anchor=None if bare is None else bare - BEHIND,
    )


class Ranker(ABC):
    """Base class of strategies: turns scores of links into priorities, and may learn from verdicts.

    Priority in the frontier = offset of the link's group + its local score. Equal priorities are served in order of
    discovery. Only `rank` must be written; every other method is a hook that by default learns and changes nothing.
    """

    name: str = ""
    needs: tuple[str, ...] = ()  # names of the scorers whose values it reads
    weights: Mapping[str, float] = NO_WEIGHTS  # weight of each part in the sum, {} when the score is not a weighted sum

    # ---------------------------------------------------------------- ranking

    @abstractmethod
    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return one `Ranked` for each of `links`, in order; `scores` holds one list for each scorer in `needs`."""

    def seed(self, key: UrlKey, url: str, host: HostKey) -> Ranked:
        """Return the place of a seed, which no page links to: score 1, so that seeds are fetched first."""
        del key
        return Ranked(SEED_SCORE, section_of(url, host))

    # --------------------------------------------------------------- learning

    def observe(self, page: Judged) -> None:  # noqa: B027 - hooks do nothing by default
        """Learn from a judged page; called once for each fetched page, before its links are ranked."""

    def observe_event(self, page: Judged) -> None:  # noqa: B027
        """Learn from a page of which only the event is known: in a fleet, one that another worker has judged.

        `page.page` has its URL and host, and neither words nor links. A strategy that learns from verdicts, URLs,
        groups and `Judged.inherited` alone calls `observe`; one that reads pages leaves this hook as it is, and then
        each worker learns from its own pages only.
        """

    def share_looks(self, *, makes: bool) -> None:  # noqa: B027
        """Learn that other workers crawl too, and whether this one makes the looks at hosts for all of them."""

    def look_news(self) -> LookNews | None:
        """Return what the page ranked last shows that looks go by; None for nothing, and while nobody shares them."""
        return None

    def observe_looks(self, page: Judged, news: LookNews) -> None:  # noqa: B027
        """Learn what a page shows that another worker has ranked, after `observe_event`."""

    def revise(self, page: Judged, before: Verdict) -> None:  # noqa: B027
        """Learn that a page observed earlier has another verdict than `before`, now that its host is known."""

    def missed(self, host: HostKey, key: UrlKey) -> None:  # noqa: B027
        """Learn from a fetch of the link `key` from `host` that gave no page: an error, a refusal, no HTML."""

    def led_back(self, group: GroupKey) -> None:  # noqa: B027
        """Learn that a link of `group` only led to a page that was fetched before; `missed` is called for it, too."""

    def set_aside(self, keys: Sequence[UrlKey]) -> None:  # noqa: B027
        """Learn which links wait behind all others, since they were ranked or from now on: none is to be called up."""

    # ---------------------------------------- changes to links already queued

    def offsets(self) -> dict[GroupKey, float]:
        """Return the group offsets in [-1, 1] that changed since the last call."""
        return {}

    def rescored(self) -> dict[UrlKey, float]:
        """Return new local scores of queued links since the last call; called once for each fetch, and where a
        fleet shares its looks once for some of the pages of others.

        In [0, 1], or raised by `AHEAD` for links that are to go before all others.
        """
        return {}

    # ------------------------------------------------------------------ state

    def snapshot(self) -> dict[str, object]:
        """Return the learned state as JSON-safe data."""
        return {}

    def restore(self, state: Mapping[str, object]) -> None:  # noqa: B027
        """Take up what `snapshot` returned."""

    def take_up(self, entries: Sequence[Entry]) -> None:  # noqa: B027
        """Take note of links that have waited in the frontier since an earlier session; called after `restore`."""

    def journal(self) -> tuple[int, Mapping[str, object]] | None:
        """Return what was learned since the last call, JSON-safe, and a number that rises; None for nothing.

        For state that grows with the crawl: each part is saved once, beside the snapshots, which are saved whole.
        """
        return None

    def replay(self, parts: Sequence[Mapping[str, object]]) -> None:  # noqa: B027
        """Take up what `journal` returned, in order of the numbers; `parts` is empty in a run without any."""
