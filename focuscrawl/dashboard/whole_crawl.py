"""The whole crawl as the live page counts it: all workers of a fleet, or the one process of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from focuscrawl.dashboard.figures import Figures
from focuscrawl.report.rounds import SAW
from focuscrawl.storage.run_settings import RunTimes
from focuscrawl.wording.base import Language, Say
from focuscrawl.wording.endings import detail_of

LANGUAGES: tuple[Language, ...] = ("en", "zh")
"""Languages that sentences of the state come in; the page picks one."""


@dataclass(frozen=True, slots=True)
class WholeCrawl:
    """Numbers of a crawl that belong to no single run of a fleet."""

    pages: int
    relevant: int
    stored: int
    failed: int
    queued: int | None  # None: not counted yet
    workers: list[dict[str, Any]]
    rate: float  # pages a second
    topic: str = ""  # this and what follows: of a fleet
    crawl: str = ""
    server: str = ""
    visits: dict[str, Any] | None = None  # of its last round

    @classmethod
    def of_fleet(cls, fleet: Mapping[str, Any], figures: Figures) -> WholeCrawl:
        """Return the numbers of a fleet; `fleet` is what `fleet.overview.fleet_overview` tells.

        Redis knows how many links gave no page, the run folders (`figures`) how many of them were never asked for.
        """
        counts = fleet["queue"]
        return cls(
            fleet["pages"],
            fleet["relevant"],
            fleet["stored"],
            max(figures.no_page, counts["failed"] + counts["refused"] - figures.unasked),
            counts["queued"],
            fleet["workers"],
            fleet["rate"],
            topic=fleet["topic"],
            crawl=fleet["crawl"],
            server=fleet["server"],
            visits=_round(fleet["round"]) if fleet["round"] else None,
        )


def standing(
    fleet: dict[str, Any] | None,
    workers: Sequence[dict[str, Any]],
    times: RunTimes,
    *,
    seen: bool,
) -> dict[str, Any]:
    """Return whether the crawl runs, since when it is paused, and why it ended.

    Parameters
    ----------
    seen
        Whether processes of the crawl would be known, which those behind a PostgreSQL are not.
    """
    since = times.paused_since if fleet is None else fleet["paused_since"]
    reason, _, detail = times.stop_reason.partition(":")
    if fleet is not None:
        stop = fleet["stop"]
        reason, detail = (stop["reason"], stop["detail"]) if stop else ("", "")
        alive = any(worker["alive"] for worker in workers)
        state = "stopping" if alive and stop else "paused" if alive and fleet["paused"] else "running" if alive else ""
        state = state or ("ended" if stop else "alone")
    elif not times.stop_reason and (workers or (since is not None and not seen)):
        state = "running" if since is None else "paused"
    else:
        state = "ended" if times.stop_reason else "gone"
    paused_since = since if state == "paused" else None
    details = {language: detail_of(detail.strip(), Say(language)) for language in LANGUAGES}
    return {"state": state, "paused_since": paused_since, "reason": reason.strip(), "detail": details}


def _round(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the visits of a fleet's last round have seen, those of all workers: so far, or in all."""
    counts = {name: one[name] for name in SAW}
    if one["ended_at"] is None:
        return {"seen": {name: n for name, n in counts.items() if n}, "waiting": one["left"], "last": None}
    known = {name: one[name] for name in ("freshness_before", "freshness", "age_s")}
    pages = one["pages"] if one["freshness"] is not None else 0  # until a worker has worked it out
    return {"seen": {}, "waiting": 0, "last": {"at": one["ended_at"], **counts, **known, "pages": pages}}
