"""Output of ``focuscrawl fleet status``."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from focuscrawl.cli import console
from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import limits_of
from focuscrawl.report.data import RunData
from focuscrawl.report.read import read_run
from focuscrawl.report.rounds import SAW
from focuscrawl.report.tables import percent
from focuscrawl.report.times import span, when
from focuscrawl.storage.open_run import open_run
from focuscrawl.wording import recrawl
from focuscrawl.wording import status as wording
from focuscrawl.wording.base import Say, Text
from focuscrawl.wording.endings import COMMA, REASONS, detail_of
from focuscrawl.wording.summary import WHY

if TYPE_CHECKING:
    from focuscrawl.fleet.redis_channel import RedisChannel

_RATE_S = 60.0


async def show_fleet(channel: RedisChannel, say: Say, *, as_json: bool) -> None:
    """Print where a fleet stands."""
    from focuscrawl.fleet.overview import fleet_overview  # redis is an extra that one process does without

    status = await fleet_overview(channel)
    if as_json:
        console.print_json(status)
        return
    counts, stop = status["queue"], status["stop"]
    queued = say(wording.N_LINKS, n=counts["queued"])
    hosts = say(wording.N_HOSTS, n=counts["hosts"])
    times = say(wording.TIMES, n=status["model"])
    facts = [
        (wording.CRAWL, say(wording.ON_SERVER, crawl=status["crawl"], server=status["server"])),
        (wording.TOPIC, status["topic"]),
        (wording.STATE, _state(status, stop, say)),
        (wording.PAGES, say(wording.RATE, n=status["pages"], rate=status["rate"])),
        (wording.RELEVANT, f"{status['relevant']:,}"),
        (wording.STORED, f"{status['stored']:,}"),
        (wording.HARVEST, percent(status["harvest"]) if status["pages"] else "–"),
        (wording.QUEUE, say(wording.FLEET_QUEUE, links=queued, hosts=hosts, leased=counts["leased"])),
        (wording.SLOW, status["slow"]),
        (wording.NO_PAGE, say(wording.FAILED_REFUSED, failed=counts["failed"], refused=counts["refused"])),
        (wording.TRAINER, say(wording.PUBLISHED, trainer=status["trainer"] or say(wording.NOBODY), times=times)),
        (wording.LIMITS, _limits(status, say)),
        *_round(status["round"], say),
    ]
    console.print_facts([(say(name), value) for name, value in facts if value])
    if status["workers"]:
        console.write_text("\n")
        columns = [say(column) for column in wording.WORKER_COLUMNS]
        console.print_table(columns, [_row(worker, say) for worker in status["workers"]])


def _state(status: dict[str, Any], stop: dict[str, str] | None, say: Say) -> str:
    why = ""
    if stop is not None:
        why = say.known(REASONS, stop["reason"])
        if stop["detail"]:
            why = say(WHY, reason=why, detail=detail_of(stop["detail"], say))
    alive = [worker for worker in status["workers"] if worker["alive"]]
    if alive:
        if why:
            return say(wording.TOLD_TO_STOP, why=why)
        if not status["takes_writes"]:  # no worker can report then, which is no sign of its own
            return say(wording.NO_WRITES)
        if all(worker["silent"] for worker in alive):
            return say(wording.ALL_SILENT, seconds=min(worker["last_heard_s"] for worker in alive))
        return _working(status["paused_since"], say)
    state = say(wording.NO_WORKER)
    return say(wording.ENDED, state=state, why=why) if why else state


def _round(visits: dict[str, Any] | None, say: Say) -> list[tuple[Text, str]]:
    """Return what is said of the last round of visits, and of the freshness it has left."""
    if visits is None:
        return []
    counts = {name: visits[name] for name in SAW}
    told = say(recrawl.PROGRESS, n=visits["wanted"] - visits["left"], goal=visits["wanted"], **counts)
    if visits["freshness"] is None:
        fresh = say(recrawl.FRESH_NOW, share=visits["freshness_before"], n=visits["pages"])
    else:
        fresh = say(
            recrawl.FRESHNESS,
            before=visits["freshness_before"],
            after=visits["freshness"],
            n=visits["pages"],
            age=span(visits["age_s"], say),
        )
    began = when(visits["begun_at"])
    return [(wording.VISITS, say(recrawl.ROUND_OF, at=began, seen=told)), (wording.FRESH, fresh)]


def _working(paused_since: float | None, say: Say) -> str:
    return say(wording.RUNNING) if paused_since is None else say(wording.PAUSED, at=when(paused_since))


def _limits(status: dict[str, Any], say: Say) -> str:
    return say(COMMA).join(f"{name} = {value:g}" for name, value in status["limits"].items())


def _row(worker: dict[str, Any], say: Say) -> tuple[str, ...]:
    working = "silent" if worker["silent"] else "pauses" if worker["paused"] else "crawls"
    does = say(wording.DOES[working if worker["alive"] else "dead"])
    return (
        worker["name"],
        say(wording.AGO, seconds=worker["last_heard_s"]),
        f"{worker['pages']:,}",
        f"{worker['relevant']:,}",
        f"{worker['rate']:.1f}",
        f"{worker['in_flight']:,}",
        say(wording.TRAINS, does=does) if worker["trainer"] else does,
    )


def show_process(folder: Path, say: Say, *, as_json: bool) -> None:
    """Print where a crawl of one process stands."""
    commands, scored = folder_channel.read(folder)
    with open_run(str(folder)) as (run_folder, db):
        run = read_run(db, best=0, queue=0, results=0)
        with db.reading() as rows:
            (recent,) = rows.execute("SELECT count(*) FROM pages WHERE fetched_at > ?", (time() - _RATE_S,)).fetchone()
    process = None if run.stop_reason else run_folder.process
    rate = recent / _RATE_S if process is not None else 0.0
    paused_since = run.paused_since if process is not None else None
    status = {
        "run": str(folder),
        "topic": run.topic,
        "process": process,
        "paused": paused_since is not None,
        "paused_since": paused_since,
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
    console.print_facts(_process_facts(folder, run, status, say))


def _process_facts(folder: Path, run: RunData, status: dict[str, Any], say: Say) -> list[tuple[str, str]]:
    process = status["process"]
    if process is None:
        state = run.stop_sentence(say) or say(wording.NOTHING_RUNS)
    else:
        state = say(wording.PROCESS, state=_working(status["paused_since"], say), process=process)
    facts = [
        (wording.RUN, say(wording.OF_ONE, folder=folder)),
        (wording.TOPIC, run.topic),
        (wording.STATE, state),
        (wording.PAGES, say(wording.RATE_MINUTE, n=run.pages, rate=status["rate"])),
        (wording.RELEVANT, f"{run.found:,}"),
        (wording.HARVEST, percent(run.harvest) if run.pages else "–"),
        (wording.QUEUE, say(wording.N_LINKS, n=run.queued)),
        (wording.NO_PAGE, say(wording.FAILED_REFUSED, failed=run.failed, refused=run.refused)),
        (wording.LIMITS, _limits(status, say)),
    ]
    return [(say(name), value) for name, value in facts if value]
