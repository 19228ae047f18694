"""Data of a report, whatever it was read from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from focuscrawl.report.metrics import RECENT, harvest_rate, harvest_recent, last_threshold
from focuscrawl.storage.link_metadata import LinkMetadata
from focuscrawl.storage.reading import Event
from focuscrawl.storage.run_settings import RunTimes
from focuscrawl.storage.unasked import unasked
from focuscrawl.topic.corpus_words import CorpusWords
from focuscrawl.visits import Saw
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import REASONS, detail_of
from focuscrawl.wording.summary import WHY


@dataclass(frozen=True, slots=True)
class HostLine:
    """Figures of one host."""

    host: str
    fetched: int = 0
    relevant: int = 0
    failed: int = 0
    queued: int = 0
    curve: Sequence[bool] = ()  # verdicts on its pages in the order of fetching, of the first hosts

    @property
    def harvest(self) -> float:
        """Relevant / fetched, in [0, 1]."""
        return self.relevant / self.fetched if self.fetched else 0.0


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A registered domain with links that wait behind all others, and what it has had of the crawl."""

    domain: str
    links: int
    fetched: int = 0
    relevant: int = 0


@dataclass(frozen=True, slots=True)
class BestPage:
    """A relevant page, with what tells a reader why it is there."""

    url: str
    title: str
    snippet: str
    language: str
    relevance: float
    threshold: float
    depth: int
    tunnel: int
    anchor: str
    parent_url: str
    predicted: float
    archived: bool = False  # read from an archive file
    judged: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageLine:
    """A page in a list."""

    url: str
    title: str
    host: str
    relevance: float
    threshold: float  # in force when it was judged


@dataclass(frozen=True, slots=True)
class QueuedLink:
    """A link that waits."""

    url: str
    priority: float  # group offset + score
    score: float
    depth: int
    anchor: str = ""
    parent_url: str = ""


@dataclass(frozen=True, slots=True)
class VisitRound:
    """A round of visits of pages that are there already, as its event has it."""

    at: float  # Unix time, UTC seconds, of its end
    figures: Mapping[str, object]

    @classmethod
    def of(cls, events: Iterable[Event]) -> list[VisitRound]:
        """Return rounds, oldest first; workers of a fleet have noted their parts of one, which are put together."""
        rounds: list[VisitRound] = []
        parts: dict[object, tuple[int, set[str]]] = {}  # number of a fleet's round -> its place in the list, workers
        for event in events:
            number = event.data.get("round")
            place, workers = parts.get(number, (-1, set[str]()))
            one = cls(event.at, event.data)
            if number is None or place < 0 or event.worker in workers:  # a crawl begun anew counts its rounds from 1
                parts[number] = (len(rounds), {event.worker})
                rounds.append(one)
                continue
            before = rounds[place]
            counts = {name: before.count(name) + one.count(name) for name in (*map(str, Saw), "new_links")}
            rounds[place] = cls(event.at, {**event.data, **counts})
            workers.add(event.worker)
        return rounds

    def count(self, name: str) -> int:
        """Return a count, 0 for one that is not there."""
        return int(self.figure(name))

    def figure(self, name: str) -> float:
        """Return a number, 0.0 for one that is not there."""
        value = self.figures.get(name)
        return float(value) if isinstance(value, int | float) else 0.0


@dataclass(frozen=True, slots=True)
class RunData:
    """A run as read at one moment. The sequences of pages run in the order of fetching and are equally long."""

    topic: str = ""
    title: str = ""
    strategy: str = ""
    archived: bool = False  # its pages were read from archive files
    started_at: float | None = None  # Unix time, UTC seconds; None before the first page
    ended_at: float | None = None  # None while it runs, or when it was killed
    idle_s: float = 0.0  # seconds of pauses that are over, and between a stop and the start after it
    resumed_at: float | None = None  # the last start, or the end of the last pause
    paused_since: float | None = None  # None unless it is paused
    stop_reason: str = ""  # '' while it runs, or when it was killed
    last_at: float | None = None  # when the last page was fetched
    relevant: Sequence[bool] = ()
    relevance: Sequence[float] = ()
    threshold: Sequence[float] = ()
    predicted: Sequence[float] = ()  # probability of being relevant, from before the page was judged; seeds among them
    depth: Sequence[int] = ()
    not_stored: Mapping[str, int] = field(default_factory=dict)  # why a relevant page is no result -> how many
    words: CorpusWords = field(default_factory=CorpusWords)  # what the results rest on
    media_types: Mapping[str, int] = field(default_factory=dict)  # what the server sent -> how many pages were judged
    rendered: int = 0  # pages whose scripts a browser has run
    needs_javascript: int = 0  # pages without text for want of that
    failed: int = 0
    refused: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)  # why there is no page -> how often
    queued: int = 0
    in_flight: int = 0
    hosts: Sequence[HostLine] = ()  # most relevant first
    held_back: Sequence[HeldBack] = ()  # most fetched first
    n_hosts: int = 0  # hosts with a fetched page
    n_relevant_hosts: int = 0
    best: Sequence[BestPage] = ()
    results: Sequence[PageLine] = ()  # stored pages, most relevant first
    accepted: Sequence[PageLine] = ()  # results nearest to their threshold
    rejected: Sequence[PageLine] = ()  # pages below it, nearest first
    queue: Sequence[QueuedLink] = ()
    rounds: Sequence[VisitRound] = ()  # of visits, oldest first
    visits: Mapping[str, int] = field(default_factory=dict)  # since the last of them: what they saw -> how many
    weights: Mapping[str, float] = field(default_factory=dict)  # of the strategy's sum, {} when it is none
    metadata: LinkMetadata = field(default_factory=LinkMetadata)
    settings: Mapping[str, str] = field(default_factory=dict)
    source: str = ""  # what it was read from
    frontier: str = ""  # where the queue is kept that `source` knows nothing of; '' when it has it

    @property
    def unasked(self) -> int:
        """How many links were dropped without a request; they are among the refused."""
        return sum(unasked(self.reasons).values())

    @property
    def no_page(self) -> int:
        """How many fetches gave no page."""
        return self.failed + self.refused - self.unasked

    @property
    def worked_s(self) -> float | None:
        """Seconds from the start to the end or the last page, without pauses and those between a stop and a start."""
        times = RunTimes(
            self.started_at,
            self.ended_at,
            idle_s=self.idle_s,
            resumed_at=self.resumed_at,
            paused_since=self.paused_since,
        )
        return times.worked_s(self.last_at)

    @property
    def pages(self) -> int:
        """Pages fetched and judged."""
        return len(self.relevant)

    @property
    def found(self) -> int:
        """Relevant pages, whether or not they are results."""
        return sum(self.relevant)

    @property
    def stored(self) -> int:
        """Relevant pages that are results: no duplicates, and allowed to be stored."""
        return self.found - sum(self.not_stored.values())

    @property
    def harvest(self) -> float:
        """Harvest rate in [0, 1]."""
        return harvest_rate(self.relevant)

    @property
    def recent(self) -> float:
        """Harvest rate of the last pages."""
        return harvest_recent(self.relevant)

    @property
    def recent_pages(self) -> int:
        """How many pages the recent harvest rests on."""
        return min(RECENT, self.pages)

    @property
    def last_threshold(self) -> float | None:
        """Threshold of the judge when the last page was judged, None without one."""
        return last_threshold(self.threshold)

    def stop_sentence(self, say: Say) -> str:
        """Return why the crawl stopped, '' while it runs or when it was killed."""
        if not self.stop_reason:
            return ""
        short, _, detail = self.stop_reason.partition(":")
        words = say.known(REASONS, short.strip())
        return say(WHY, reason=words, detail=detail_of(detail.strip(), say)) if detail.strip() else words
