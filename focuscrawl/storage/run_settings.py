"""What a run was started with, and when it started and stopped, as kept in its database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from focuscrawl.storage.run import without_secrets

if TYPE_CHECKING:
    from focuscrawl.storage.crawldb import CrawlDb

STARTED = "started"
STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The choices behind a run; each is a setting of the same name in ``crawl.db``."""

    topic: str = ""  # name
    title: str = ""
    topic_file: str = ""  # as it was named
    topic_text: str = ""  # content of the file, so that a run can be repeated when the file has changed
    topic_version: str = ""  # digest of the file and its samples
    strategy: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)  # of the strategy's sum, {} when its score is none
    seed: int = 0
    extractor: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)  # of the spider; secrets blanked when saved
    overrides: Mapping[str, object] = field(default_factory=dict)  # settings that are not the defaults; likewise
    version: str = ""  # of focuscrawl

    def save(self, db: CrawlDb) -> None:
        """Keep them in `db`, passwords and tokens blanked."""
        for name, value in without_secrets(as_mapping(self)).items():
            db.set_setting(name, value)

    @classmethod
    def load(cls, db: CrawlDb) -> RunSettings:
        """Return what `db` has; what was never kept has its default."""
        kept: dict[str, Any] = db.settings()
        return cls(**{f.name: kept[f.name] for f in fields(cls) if f.name in kept})


@dataclass(frozen=True, slots=True)
class RunTimes:
    """When a run was at work."""

    started_at: float | None = None  # Unix time, UTC seconds: the first start
    stopped_at: float | None = None  # the last stop, None while it runs and after a kill
    stop_reason: str = ""  # budget, exhausted, harvest too low, stopped, error; with a detail after a colon
    starts: int = 0  # 2 for a run that was resumed once

    @classmethod
    def load(cls, db: CrawlDb) -> RunTimes:
        """Return what the events say."""
        starts = [event.at for event in db.events(STARTED)]
        stops = list(db.events(STOPPED))
        if not starts or not stops or stops[-1].at < starts[-1]:
            return cls(starts[0] if starts else None, starts=len(starts))
        data = stops[-1].data
        reason, detail = str(data.get("reason", "")), str(data.get("detail", ""))
        return cls(starts[0], stops[-1].at, f"{reason}: {detail}" if detail else reason, len(starts))


def record_start(db: CrawlDb, *, at: float | None = None) -> None:
    """Note that the crawl starts or goes on."""
    db.add_event(STARTED, at=at)


def record_stop(db: CrawlDb, reason: str, *, detail: str = "", at: float | None = None) -> None:
    """Note why the crawl stops: budget, exhausted, harvest too low, stopped or error, with a detail for people."""
    db.add_event(STOPPED, {"reason": reason, "detail": detail}, at=at)


def as_mapping(settings: RunSettings) -> dict[str, object]:
    """Return the settings by name."""
    return {f.name: getattr(settings, f.name) for f in fields(settings)}
