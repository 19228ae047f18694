"""Output of ``focuscrawl fleet status``."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from focuscrawl.cli import console
from focuscrawl.cli.readers import open_run
from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import is_paused, limits_of
from focuscrawl.report.data import RunData
from focuscrawl.report.read import read_run
from focuscrawl.report.sections import percent
from focuscrawl.wording.base import Say

if TYPE_CHECKING:
    from focuscrawl.fleet.redis_channel import RedisChannel, WorkerReport

_COLUMNS = ("worker", ">last heard", ">pages", ">relevant", ">pages/s", ">in flight", "does")
_RATE_S = 60.0


async def show_fleet(channel: RedisChannel, *, as_json: bool) -> None:
    """Print where a fleet stands."""
    status = await fleet_json(channel)
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
        ("harvest", percent(status["harvest"]) if status["pages"] else "–"),
        (
            "queue",
            f"{_number(counts['queued'], 'link')} of {_number(counts['hosts'], 'host')}, {counts['leased']:,} leased",
        ),
        ("no page", f"{counts['failed']:,} failed, {counts['refused']:,} refused"),
        ("trainer", f"{status['trainer'] or 'none'}; published {_number(status['model'], 'time')}"),
        ("limits", ", ".join(f"{name} = {value:g}" for name, value in status["limits"].items())),
    ]
    console.print_facts([(name, value) for name, value in facts if value])
    if status["workers"]:
        console.write_text("\n")
        console.print_table(_COLUMNS, [_row(worker) for worker in status["workers"]])


async def fleet_json(channel: RedisChannel) -> dict[str, Any]:
    """Return where a fleet stands, for programs."""
    totals, commands, stop = await channel.totals(), await channel.commands(), await channel.standing_stop()
    stats = totals.stats
    trainer = await channel.trainer()
    workers = [_worker(one, trainer) for one in await channel.workers()]
    alive = [worker for worker in workers if worker["alive"]]
    return {
        "crawl": channel.crawl,
        "server": channel.shown,
        "topic": next((worker["topic"] for worker in alive), ""),
        "pages": totals.pages,
        "relevant": totals.relevant,
        "harvest": totals.relevant / totals.pages if totals.pages else 0.0,
        "rate": round(sum(worker["rate"] for worker in alive), 3),
        "queue": {
            "queued": stats.queued,
            "leased": stats.leased,
            "done": stats.done,
            "failed": stats.failed,
            "refused": stats.refused,
            "hosts": stats.hosts,
            "groups": stats.groups,
        },
        "paused": is_paused(commands),
        "stop": {"reason": stop.reason, "detail": stop.detail} if stop is not None else None,
        "limits": limits_of(commands),
        "commands": len(commands),
        "trainer": trainer,
        "model": await channel.model_version(),
        "workers": workers,
    }


def _worker(one: WorkerReport, trainer: str) -> dict[str, Any]:
    status = one.status
    from focuscrawl.fleet.redis_channel import ALIVE_S, TRAINER_SILENT_S  # an extra that one process does without

    # Killed, perhaps: what it did a second is no rate any more.
    silent = one.silent_s >= TRAINER_SILENT_S
    alive = one.silent_s < ALIVE_S
    return {
        "name": one.name,
        "last_heard_s": round(one.silent_s, 1),
        "alive": alive,
        "silent": silent,
        "trainer": one.name == trainer,
        "topic": status.topic,
        "pages": status.pages,
        "relevant": status.relevant,
        "failed": status.failed,
        "rate": 0.0 if silent else status.rate,
        "in_flight": status.in_flight,
        "paused": status.paused,
        "started_at": status.started,
        "model": status.model,
        "machine": status.machine,
        "pid": status.pid,
        "run": status.run,
    }


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
        run = read_run(db, best=0, queue=0)
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
