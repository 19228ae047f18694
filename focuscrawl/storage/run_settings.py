"""Settings, starts and stops of a run, as kept in its database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from focuscrawl.storage.reading import SHAPES
from focuscrawl.storage.run import without_secrets

if TYPE_CHECKING:
    from focuscrawl.storage.reading import Event, Notes, RunReader

STARTED = "started"
STOPPED = "stopped"
PAUSED = "paused"
RESUMED = "resumed"
_TIMES = (STARTED, STOPPED, PAUSED, RESUMED)


ARCHIVES = "archives"
"""Argument of a run that has the pages of archive files: their names."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The choices behind a run; each is a setting of the same name in ``crawl.db``."""

    topic: str = ""  # name
    title: str = ""
    topic_file: str = ""  # the file, or the class of the taxonomy
    topic_text: str = ""  # content of the file, so that a run can be repeated when the file has changed
    topic_version: str = ""  # digest of the file and its samples
    examples_file: str = ""  # where it was taught, unless that lies beside the topic file
    former_topics: Sequence[str] = ()  # names, where the topic was changed while it ran
    spider: str = ""  # name of a project's own, '' for those of focuscrawl
    strategy: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)  # of the strategy's sum, {} when its score is none
    seed: int = 0
    extractor: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)  # of the spider; secrets blanked when saved
    overrides: Mapping[str, object] = field(default_factory=dict)  # settings that are not the defaults; likewise
    version: str = ""  # of focuscrawl

    @property
    def crawl(self) -> str:
        """Name that the workers of a fleet have in common: that of the setting, else the topic's."""
        return str(self.overrides.get("FOCUSCRAWL_CRAWL") or self.topic)

    @property
    def from_archives(self) -> bool:
        """Whether the pages were read from archive files, not found by links."""
        return ARCHIVES in self.arguments

    def save(self, db: Notes) -> None:
        """Keep them in `db`, passwords and tokens blanked."""
        db.set_settings(without_secrets(as_mapping(self)))

    @classmethod
    def load(cls, db: RunReader) -> RunSettings:
        """Return what `db` has; what was never kept has its default.

        Raises
        ------
        StoreError
            If one is damaged.
        """
        kept, defaults = db.settings(), as_mapping(cls())
        for name, default in defaults.items():
            shape = list if isinstance(default, tuple) else type(default)
            if name in kept and not isinstance(kept[name], shape):
                raise db.damaged(name, "settings", SHAPES[shape])
        return cls(**{name: kept[name] for name in defaults if name in kept})


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Span of time in which a run was at work."""

    started_at: float | None = None  # Unix time, UTC seconds: the first start
    stopped_at: float | None = None  # the last stop, None while it runs and after a kill
    stop_reason: str = ""  # budget, exhausted, harvest too low, stopped, error; with a detail after a colon
    starts: int = 0  # 2 for a run that was resumed once
    # Seconds of pauses that are over, and between stops and the starts after them; after a kill they are not known.
    idle_s: float = 0.0
    resumed_at: float | None = None  # the last start, or the end of the last pause
    paused_since: float | None = None  # None unless all that have started and not stopped are paused

    @classmethod
    def load(cls, db: RunReader) -> RunTimes:
        """Return what the events say."""
        events = [event for event in db.events() if event.kind in _TIMES]
        starts = [event for event in events if event.kind == STARTED]
        ended = {event.worker: event for event in events if event.kind == STOPPED}
        # In their order, not by their times: the clock may have gone back before a start.
        last_of = {event.worker: event.kind for event in events if event.kind in (STARTED, STOPPED)}
        idle_s, resumed_at = _idle(events)
        times = cls(starts[0].at if starts else None, starts=len(starts), idle_s=idle_s, resumed_at=resumed_at)
        if not starts or STARTED in last_of.values():
            return replace(times, paused_since=_paused_since(events))
        last = max(ended.values(), key=lambda event: event.at)
        reason, detail = str(last.data.get("reason", "")), str(last.data.get("detail", ""))
        return replace(times, stopped_at=last.at, stop_reason=f"{reason}: {detail}" if detail else reason)

    def worked_s(self, until: float | None) -> float | None:
        """Return the seconds at work up to the stop, or to `until` for a run that has none; None without a start.

        Parameters
        ----------
        until
            Unix time of the last sign of the crawl: now for one that runs, that of its last page for one that was
            killed; None where there is none.
        """
        end = self.stopped_at
        if end is None and until is not None:
            end = max(until, self.resumed_at or until)  # no page may have come since
            end = end if self.paused_since is None else min(end, self.paused_since)
        return None if self.started_at is None or end is None else max(0.0, end - self.started_at - self.idle_s)


def _idle(events: list[Event]) -> tuple[float, float | None]:
    """Return the seconds in which none of the workers fetched, up to the last event, and when that ended last."""
    at_work: set[str] = set()
    idle_s = 0.0
    idle_since = resumed_at = None
    for event in sorted(events, key=lambda event: event.at):
        if idle_since is not None:
            idle_s += event.at - idle_since
        if event.kind in (STARTED, RESUMED):
            if not at_work:
                resumed_at = event.at
            at_work.add(event.worker)
        else:
            at_work.discard(event.worker)
        idle_since = None if at_work else event.at
    return idle_s, resumed_at


def _paused_since(events: list[Event]) -> float | None:
    """Return since when all workers that have started and not stopped are paused, None where they are not."""
    last = {event.worker: event for event in events}  # in their order, as above
    there = [event for event in last.values() if event.kind != STOPPED]
    return max(event.at for event in there) if there and all(event.kind == PAUSED for event in there) else None


def record_start(db: Notes, *, at: float | None = None) -> None:
    """Note that the crawl starts or goes on."""
    db.add_event(STARTED, at=at)


def record_stop(db: Notes, reason: str, *, detail: str = "", at: float | None = None) -> None:
    """Note why the crawl stops: budget, exhausted, harvest too low, stopped or error, with a detail for people."""
    db.add_event(STOPPED, {"reason": reason, "detail": detail}, at=at)


def record_pause(db: Notes, paused: bool, *, at: float | None = None) -> None:
    """Note that the crawl pauses, or goes on after a pause."""
    db.add_event(PAUSED if paused else RESUMED, at=at)


def as_mapping(settings: RunSettings) -> dict[str, object]:
    """Return the settings by name."""
    return {f.name: getattr(settings, f.name) for f in fields(settings)}
