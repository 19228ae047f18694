"""Output of ``focuscrawl fleet status``."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from focuscrawl.cli import console
from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import is_paused, limits_of
from focuscrawl.report.data import RunData
from focuscrawl.report.read import read_run
from focuscrawl.report.tables import percent
from focuscrawl.storage.open_run import open_run
from focuscrawl.wording.base import Say

if TYPE_CHECKING:
    from focuscrawl.fleet.redis_channel import RedisChannel

_COLUMNS = ("worker", ">last heard", ">pages", ">relevant", ">pages/s", ">in flight", "does")
_RATE_S = 60.0


async def show_fleet(channel: RedisChannel, *, as_json: bool) -> None:
    """Print where a fleet stands."""
    from focuscrawl.fleet.overview import fleet_overview  # redis is an extra that one process does without

    status = await fleet_overview(channel)
    if as_json:
        console.print_json(status)
        return
    counts, stop = status["queue"], status["stop"]
    alive = [worker for worker in status["workers"] if worker["alive"]]
    why = stop["reason"] + (f" ({stop['detail']})" if stop["detail"] else "") if stop else ""
    if alive:
        state = f"told to stop: {why}" if stop else "paused" if status["paused"] else "running"
    else:
        state = "no worker is there" + (f"; ended: {why}" if stop else "")
    facts = [
        ("crawl", f"{status['crawl']} on {status['server']}"),
        ("topic", status["topic"]),
        ("state", state),
        ("pages", f"{status['pages']:,} fetched, {status['rate']:.1f} a second"),
        ("relevant", f"{status['relevant']:,}"),
        ("stored", f"{status['stored']:,}"),
        ("harvest", percent(status["harvest"]) if status["pages"] else "–"),
        (
            "queue",
            f"{_number(counts['queued'], 'link')} of {_number(counts['hosts'], 'host')}, {counts['leased']:,} leased",
        ),
        ("slow", status["slow"]),
        ("no page", f"{counts['failed']:,} failed, {counts['refused']:,} refused"),
        ("trainer", f"{status['trainer'] or 'none'}; published {_number(status['model'], 'time')}"),
        ("limits", ", ".join(f"{name} = {value:g}" for name, value in status["limits"].items())),
    ]
    console.print_facts([(name, value) for name, value in facts if value])
    if status["workers"]:
        console.write_text("\n")
        console.print_table(_COLUMNS, [_row(worker) for worker in status["workers"]])


def _row(worker: dict[str, Any]) -> tuple[str, ...]:
    working = "silent" if worker["silent"] else "pauses" if worker["paused"] else "crawls"
    does = working if worker["alive"] else "dead"
    return (
        worker["name"],
        f"{worker['last_heard_s']:.0f} s ago",
        f"{worker['pages']:,}",
        f"{worker['relevant']:,}",
        f"{worker['rate']:.1f}",
        f"{worker['in_flight']:,}",
        does + (" and trains" if worker["trainer"] else ""),
    )


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def show_process(folder: Path, *, as_json: bool) -> None:
    """Print where a crawl of one process stands."""
    commands, scored = folder_channel.read(folder)
    with open_run(str(folder)) as (run_folder, db):
        run = read_run(db, best=0, queue=0, results=0)
        with db.reading() as rows:
            (recent,) = rows.execute("SELECT count(*) FROM pages WHERE fetched_at > ?", (time() - _RATE_S,)).fetchone()
    process = None if run.stop_reason else run_folder.process
    rate = recent / _RATE_S if process is not None else 0.0
    resting = process is not None and is_paused(commands)
    status = {
        "run": str(folder),
        "topic": run.topic,
        "process": process,
        "paused": resting,
        "stop": {"reason": run.stop_reason} if run.stop_reason else None,
        "pages": run.pages,
        "relevant": run.found,
        "harvest": run.harvest,
        "rate": round(rate, 3),
        "queue": {"queued": run.queued, "failed": run.failed, "refused": run.refused, "hosts": run.n_hosts},
        "limits": limits_of(commands),
        "commands": len(commands),
        "queue_scored_for_command": scored,
        "last_page_at": run.last_at,
    }
    if as_json:
        console.print_json(status)
        return
    console.print_facts(_process_facts(folder, run, status))


def _process_facts(folder: Path, run: RunData, status: dict[str, Any]) -> list[tuple[str, str]]:
    process = status["process"]
    state = "paused" if status["paused"] else "running"
    facts = [
        ("run", f"{folder}, of one process"),
        ("topic", run.topic),
        (
            "state",
            f"{state}, process {process}" if process is not None else run.stop_sentence(Say()) or "nothing runs here",
        ),
        ("pages", f"{run.pages:,} fetched, {status['rate']:.1f} a second in the last minute"),
        ("relevant", f"{run.found:,}"),
        ("harvest", percent(run.harvest) if run.pages else "–"),
        ("queue", f"{run.queued:,} links"),
        ("no page", f"{run.failed:,} failed, {run.refused:,} refused"),
        ("limits", ", ".join(f"{name} = {value:g}" for name, value in status["limits"].items())),
    ]
    return [(name, value) for name, value in facts if value]
