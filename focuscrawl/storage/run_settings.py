"""Settings, starts and stops of a run, as kept in its database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from focuscrawl.storage.run import without_secrets

if TYPE_CHECKING:
    from focuscrawl.storage.reading import Event, Notes, RunReader

STARTED = "started"
STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The choices behind a run; each is a setting of the same name in ``crawl.db``."""

    topic: str = ""  # name
    title: str = ""
    topic_file: str = ""  # the file, or the class of the taxonomy
    topic_text: str = ""  # content of the file, so that a run can be repeated when the file has changed
    topic_version: str = ""  # digest of the file and its samples
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

    def save(self, db: Notes) -> None:
        """Keep them in `db`, passwords and tokens blanked."""
        for name, value in without_secrets(as_mapping(self)).items():
            db.set_setting(name, value)

    @classmethod
    def load(cls, db: RunReader) -> RunSettings:
        """Return what `db` has; what was never kept has its default."""
        kept: dict[str, Any] = db.settings()
        return cls(**{f.name: kept[f.name] for f in fields(cls) if f.name in kept})


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Span of time in which a run was at work."""

    started_at: float | None = None  # Unix time, UTC seconds: the first start
    stopped_at: float | None = None  # the last stop, None while it runs and after a kill
    stop_reason: str = ""  # budget, exhausted, harvest too low, stopped, error; with a detail after a colon
    starts: int = 0  # 2 for a run that was resumed once
    idle_s: float = 0.0  # seconds between the stops and the starts after them; after a kill they are not known

    @classmethod
    def load(cls, db: RunReader) -> RunTimes:
        """Return what the events say."""
        starts = list(db.events(STARTED))
        first = starts[0].at if starts else None
        idle_s = _idle_s([*starts, *db.events(STOPPED)])
        began = {event.worker: event.at for event in starts}  # the last start of each worker
        ended = {event.worker: event for event in db.events(STOPPED)}
        if not began or any(worker not in ended or ended[worker].at < at for worker, at in began.items()):
            return cls(first, starts=len(starts), idle_s=idle_s)
        last = max(ended.values(), key=lambda event: event.at)
        reason, detail = str(last.data.get("reason", "")), str(last.data.get("detail", ""))
        return cls(first, last.at, f"{reason}: {detail}" if detail else reason, len(starts), idle_s)


def _idle_s(events: list[Event]) -> float:
    """Return the seconds in which none of the workers was at work, between the first start and the last event."""
    at_work: set[str] = set()
    idle_s = 0.0
    stopped_at: float | None = None
    for event in sorted(events, key=lambda event: event.at):
        if event.kind == STARTED:
            if stopped_at is not None:
                idle_s += event.at - stopped_at
            stopped_at = None
            at_work.add(event.worker)
        else:
            at_work.discard(event.worker)
            stopped_at = None if at_work else event.at
    return idle_s


def record_start(db: Notes, *, at: float | None = None) -> None:
    """Note that the crawl starts or goes on."""
    db.add_event(STARTED, at=at)


def record_stop(db: Notes, reason: str, *, detail: str = "", at: float | None = None) -> None:
    """Note why the crawl stops: budget, exhausted, harvest too low, stopped or error, with a detail for people."""
    db.add_event(STOPPED, {"reason": reason, "detail": detail}, at=at)


def as_mapping(settings: RunSettings) -> dict[str, object]:
    """Return the settings by name."""
    return {f.name: getattr(settings, f.name) for f in fields(settings)}
