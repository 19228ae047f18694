"""State of a crawl as the live page shows it: one JSON object, made from what the run reader and the channel say."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from focuscrawl.dashboard.figures import Figures
from focuscrawl.dashboard.finds import Finds
from focuscrawl.dashboard.paced import Paced
from focuscrawl.dashboard.source import Source
from focuscrawl.dashboard.whole_crawl import LANGUAGES, WholeCrawl, standing
from focuscrawl.errors import FocusCrawlError
from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import Command, Retopic, Unreadable, limits_of
from focuscrawl.page.readable_url import readable_anchor, readable_url
from focuscrawl.report.breadth import Point, breadth_first_expectation, tenth
from focuscrawl.report.sentences import corpus_warnings
from focuscrawl.report.turns import Turn, shown_priority, turn_of
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.reading import RunReader
from focuscrawl.storage.run_settings import STOPPED, RunSettings, RunTimes
from focuscrawl.storage.visits import RECRAWL, seen_since
from focuscrawl.teaching.rejudge import TAUGHT
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import failure_reason

_EVERY_S = 2.0
_SHARE = 0.008
"""Of one core, for the pages; the queue takes as much at most, so that both are below the 2 % of a worker."""
_QUEUE_EVERY_S = 5.0
_STALE_S = 10.0  # at most, where reading all anew took long
# All pages are read anew: one that was fetched again has another row. It takes a share of its own.
_AGAIN_S, _AGAIN_SHARE = 300.0, 0.004
_AGAIN_AFTER = frozenset({TAUGHT, STOPPED, RECRAWL})
_HOSTS = 25
_NEXT = 8
_ERRORS = 12
_SAMPLE = 5_000  # links of a fleet's queue that are looked at
_PAGES = 1_000  # budget of a topic that names none


_ORDER = (Turn.VISIT, Turn.CALLED, *"9876543210", Turn.BEHIND)
"""Parts of the queue: what goes first, tenths of the priority, what goes last."""
_NO_QUEUE: Mapping[str, Any] = {
    "counted": False,
    "queued": None,
    "by_host": Counter(),
    "by_score": [],
    "next": [],
    "sample": 0,
    "breadth": [],
    "visits": None,
}


class StateReader:
    """Reads the state of a crawl, a little more each time.

    Parameters
    ----------
    source
        What is shown.
    clock
        Gives the time in Unix seconds.
    """

    def __init__(self, source: Source, *, clock: Callable[[], float] = time.time) -> None:
        self.source = source
        self.finds = Finds()
        self.figures = Figures()
        self._clock = clock
        self._marks = 0
        self._looked = False
        self._again_s = _AGAIN_S
        self._read_at = clock()
        self._readers: list[RunReader] = []
        self._fleet: dict[str, Any] | None = None
        self._queue = Paced(self._read_queue, every_s=_QUEUE_EVERY_S, share=_SHARE)
        # What the queue takes is no reason to read the pages less often
        cpu = lambda: time.thread_time() - self._queue.spent_s  # noqa: E731
        self.paced = Paced(self.read, every_s=_EVERY_S, share=_SHARE, most_s=_STALE_S, cpu=cpu)

    def read(self) -> dict[str, Any]:
        """Return the state as of now; a fault of the run is told in it, and the last numbers stay."""
        try:
            if self.source.is_fleet:
                self._fleet = self._read_fleet()
                self.source.add_folders(self._fleet["workers"])
            with self.source.readers() as self._readers:
                self._look_back()
                self._read_pages()
                self.finds.read(self._readers)
                return self._state()
        except FocusCrawlError as error:
            return {"at": self._clock(), "fault": " ".join(str(error).split())}

    def _read_pages(self) -> None:
        fresh, began = not self.figures.upto, time.thread_time()
        self.figures.read(self._readers)
        if fresh:
            self._again_s = max(_AGAIN_S, (time.thread_time() - began) / _AGAIN_SHARE)

    def _look_back(self) -> None:
        """Begin anew where verdicts have changed that were read before, and when the crawl has ended."""
        # Pages judged again when their host was known have changed as well: the final numbers are those of all rows
        marks = sum(event.kind in _AGAIN_AFTER for reader in self._readers for event in reader.events())
        if marks != self._marks or self._clock() - self._read_at > self._again_s:
            self._marks, self._read_at = marks, self._clock()
            self.figures = Figures()
            self._queue.expire()

    def _read_fleet(self) -> dict[str, Any]:
        from focuscrawl.fleet.overview import fleet_overview

        assert self.source.place is not None
        return self.source.place.ask(fleet_overview)

    def _state(self) -> dict[str, Any]:
        figures, now = self.figures, self._clock()
        first = self._readers[0] if self._readers else None
        settings = RunSettings.load(first) if first is not None else RunSettings()
        times = RunTimes.load(first) if first is not None else RunTimes()
        commands = self._commands()
        # A long queue takes seconds to count: the first look need not wait for it
        queue = self._queue() if self._looked else _NO_QUEUE
        self._looked = True
        whole = self._whole(queue["queued"], times, now=now)
        words = figures.words.look()
        limits = limits_of(commands)
        goal = int(limits.get("pages", _goal(settings) if first is not None else 0))
        return {
            "at": now,
            "run": {
                "name": ", ".join(self.source.references),
                "title": settings.title or settings.topic or whole.topic,
                "topic": whole.topic or settings.topic,
                "strategy": settings.strategy,
                "fleet": whole.crawl,
                "server": whole.server,
                "started_at": times.started_at,
                "worked_s": times.worked_s(now if whole.workers else figures.at[-1] if figures.at else None),
                "retopic": any(isinstance(command, Retopic) for command in commands),
                **standing(self._fleet, whole.workers, times, seen=bool(self.source.folders())),
            },
            "warnings": {language: corpus_warnings(words, figures.stored, Say(language)) for language in LANGUAGES},
            "report": self._report(),
            "visits": whole.visits or queue["visits"],
            "steer": {"can": self.source.place is not None, "why_not": self.source.why_not},
            "teach": self.source.folder is not None,
            "limits": limits,
            "numbers": {
                "pages": whole.pages,
                "goal": goal,
                "relevant": whole.relevant,
                "stored": whole.stored,
                "harvest": whole.relevant / whole.pages if whole.pages else 0.0,
                "recent": figures.recent(),
                "recent_pages": min(100, figures.pages),
                "read": figures.pages,
                "rate": round(whole.rate, 3),
                "left_s": (goal - whole.pages) / whole.rate if goal > whole.pages and whole.rate > 0.0 else None,
                "threshold": figures.last_threshold,
                "hosts": sum(1 for line in figures.hosts.values() if line.fetched),
                "relevant_hosts": sum(1 for line in figures.hosts.values() if line.relevant),
                "failed": whole.failed,
                "queued": whole.queued,
            },
            "curve": {**figures.curve(), "breadth": queue["breadth"]},
            "hosts": self._hosts(queue["by_host"]),
            "queue": {name: queue[name] for name in ("counted", "by_score", "next", "sample")},
            "errors": [
                {
                    "outcome": outcome,
                    "reason": {language: failure_reason(reason, Say(language)) for language in LANGUAGES},
                    "count": count,
                }
                for (outcome, reason), count in figures.errors.most_common(_ERRORS)
            ],
            "workers": whole.workers,
        }

    def _whole(self, queued: int | None, times: RunTimes, *, now: float) -> WholeCrawl:
        if self._fleet is not None:
            return WholeCrawl.of_fleet(self._fleet, self.figures)
        figures = self.figures
        # A process lives on for a moment when its crawl has ended; one that is paused has no rate
        pace = figures.rate(now) if times.paused_since is None else 0.0
        workers = [] if times.stop_reason else self._process(pace)
        rate = sum(worker["rate"] for worker in workers)
        return WholeCrawl(figures.pages, figures.total, figures.stored, figures.no_page, queued, workers, rate)

    def _report(self) -> str:
        """Return where the report of a crawl is that has one, else ''."""
        folder = self.source.folder
        return str(folder.report) if folder is not None and folder.report.is_file() else ""

    def _commands(self) -> Sequence[Command | Unreadable]:
        place = self.source.place
        if place is None:
            return ()
        if place.run is not None:
            return folder_channel.read(place.run)[0]
        return place.ask(lambda channel: channel.commands())

    def _process(self, rate: float) -> list[dict[str, Any]]:
        """Return the processes that crawl, for runs without a Redis."""
        folders = self.source.folders()
        running = [(folder, folder.process) for folder in folders]
        return [
            {
                "name": folder.path.name,
                "pid": process,
                "alive": True,
                "silent": False,
                "trainer": False,
                "pages": self.figures.pages,
                "relevant": self.figures.total,
                "failed": self.figures.errors.total(),
                "rate": round(rate, 3),
                "last_heard_s": 0.0,
            }
            for folder, process in running
            if process is not None
        ]

    def _hosts(self, queued: Counter[str]) -> list[dict[str, Any]]:
        """Return the hosts with most relevant pages, and of the others those with the longest queues."""
        figures = self.figures.hosts
        # Those that gave no page and have no link left are among the errors: a line of zeros says nothing.
        there = [host for host, line in figures.items() if line.fetched or queued[host]]
        best = sorted(there, key=lambda host: (-figures[host].relevant, -figures[host].fetched, host))[:_HOSTS]
        waiting = [host for host, _ in queued.most_common(_HOSTS) if host not in best][: max(5, _HOSTS - len(best))]
        lines = []
        for host in [*best, *waiting]:
            line = figures.get(host)
            lines.append(
                {
                    "host": host,
                    "shown": readable_url(f"http://{host}").removeprefix("http://"),
                    "fetched": line.fetched if line else 0,
                    "relevant": line.relevant if line else 0,
                    "failed": line.failed if line else 0,
                    "queued": queued.get(host, 0),
                }
            )
        return lines

    # ------------------------------------------------------------------------- queue

    def _read_queue(self) -> dict[str, Any]:
        by_host: Counter[str] = Counter()
        by_depth: Counter[tuple[int, int]] = Counter()
        following: list[dict[str, Any]] = []
        sampled = 0
        if self._fleet:
            sampled = self._sample_fleet(by_host, by_depth)
        else:
            for reader in self._readers:
                by_host.update(reader.queued_by_host())
                by_depth.update(reader.queued_by_depth())
                following += [_link(stored.entry, stored.priority) for stored in reader.queue(limit=_NEXT)]
        by_score: Counter[str] = Counter()
        for (_, class_), count in by_depth.items():
            by_score[turn_of(class_ / 10.0).value or str(min(9, max(0, class_)))] += count
        breadth: list[Point] = []
        if not self._fleet:
            figures = self.figures
            breadth = breadth_first_expectation(
                figures.depth, figures.priority, figures.relevant, by_depth, pages=figures.pages
            )
        return {
            "counted": True,
            "queued": by_depth.total(),
            "by_host": by_host,
            "by_score": sorted(by_score.items(), key=lambda item: _ORDER.index(item[0])),
            "visits": self._visits(by_score[Turn.VISIT]),
            "next": following[:_NEXT],
            "sample": sampled,
            "breadth": [(round(x, 1), round(y, 2)) for x, y in breadth],
        }

    def _visits(self, waiting: int) -> dict[str, Any] | None:
        """Return what the visits of the round that runs have seen, and what the last one came to."""
        seen: Counter[str] = Counter()
        last: dict[str, Any] | None = None
        for reader in self._readers:
            if isinstance(reader, CrawlDb):
                rounds = list(reader.events(RECRAWL))
                last = {"at": rounds[-1].at, **rounds[-1].data} if rounds else last
                seen.update(seen_since(reader, rounds[-1].at if rounds else 0.0))
        if last is None and not seen and not waiting:
            return None
        return {"seen": seen, "waiting": waiting, "last": last}

    def _sample_fleet(self, by_host: Counter[str], by_depth: Counter[tuple[int, int]]) -> int:
        """Count a part of a fleet's queue; return of how many links."""
        from focuscrawl.fleet.redis_channel import RedisChannel

        async def count(channel: RedisChannel) -> int:
            seen = 0
            async for batch in channel.queued():
                for entry in batch:
                    by_host[entry.host] += 1
                    by_depth[entry.depth, tenth(entry.score)] += 1
                seen += len(batch)
                if seen >= _SAMPLE:
                    break
            return seen

        assert self.source.place is not None
        return self.source.place.ask(count)


def _link(entry: Any, priority: float) -> dict[str, Any]:
    return {
        "url": entry.url,
        "shown": readable_url(entry.url),
        "anchor": readable_anchor(entry.origin.anchor),
        "priority": None if (shown := shown_priority(priority)) is None else round(shown, 4),
        "turn": turn_of(priority).value,
    }


def _goal(settings: RunSettings) -> int:
    """Return how many pages the crawl was to fetch, 0 for no limit."""
    given = str(settings.arguments.get("pages", "")).strip()  # 0 is no limit
    if given.isdigit():
        return int(given)
    try:
        budget = tomllib.loads(settings.topic_text).get("budget", {})
    except tomllib.TOMLDecodeError:
        budget = {}
    pages = budget.get("pages", _PAGES) if isinstance(budget, dict) else _PAGES
    return pages if isinstance(pages, int) else _PAGES
