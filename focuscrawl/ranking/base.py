"""What a ranking strategy must do: one priority a link, feedback from judged pages, offsets of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.topic.base import Verdict
from focuscrawl.types import Explained, GroupKey, HostKey, UrlKey


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
    new_links: int = 0  # links it has that may be followed and were not met before

    @property
    def topicality(self) -> float:
        """How far the page's words are on the topic, in [0, 1], whatever kind of page it is.

        A judge may count an index page little because it holds nothing to keep; its words still say what it lists.
        """
        return self.verdict.score.parts.get("topicality", self.verdict.score.value)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The place of one link in the frontier."""

    score: Explained  # value is the link's local score in [0, 1]; parts are the addends' values
    group: GroupKey
    keep: bool = True  # False: refused instead of queued; the reason is in the score
    inherit: Mapping[str, float] = field(default_factory=dict)  # comes back as Judged.inherited when it is fetched
    without_anchor: float | None = None  # the score without the words of the link's text, where the strategy can tell


class Ranker(Protocol):
    """A strategy: turns scores of links into priorities, and learns from verdicts.

    Priority in the frontier = offset of the link's group + its local score. Equal priorities are served in
    order of discovery.
    """

    name: str
    needs: tuple[str, ...]  # names of the scorers whose values it reads
    weights: Mapping[str, float]  # weight of each part in the sum, {} when the score is not a weighted sum

    def observe(self, page: Judged) -> None:
        """Learn from a judged page; called once for each fetched page, before its links are ranked."""
        ...

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return one `Ranked` for each of `links`, in order; `scores` holds one list for each scorer in `needs`."""
        ...

    def seed(self, key: UrlKey, url: str, host: str) -> Ranked:
        """Return the place of a seed, which no page links to."""
        ...

    def offsets(self) -> dict[GroupKey, float]:
        """Return the group offsets in [-1, 1] that changed since the last call."""
        ...

    def snapshot(self) -> dict[str, object]:
        """Return the learned state as JSON-safe data."""
        ...

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        ...


@runtime_checkable
class Rescoring(Protocol):
    """A strategy whose scores of queued links change one by one, beside what groups do at once."""

    def rescored(self) -> dict[UrlKey, float]:
        """Return new local scores in [0, 1] of queued links since the last call; called once for each page."""
        ...


@runtime_checkable
class HearsOfMisses(Protocol):
    """A strategy that also wants to know of fetches that gave no page."""

    def missed(self, host: HostKey) -> None:
        """Take note of a fetch from `host` that gave no page: an error, a refusal, no HTML."""
        ...


@runtime_checkable
class Journaling(Protocol):
    """A strategy whose state grows with the crawl: it is saved in parts, each written once."""

    def journal(self) -> tuple[int, Mapping[str, object]] | None:
        """Return what was learned since the last call, JSON-safe, and a number that rises; None for nothing."""
        ...

    def replay(self, parts: Sequence[Mapping[str, object]]) -> None:
        """Take up what `journal` returned, in order of the numbers."""
        ...
