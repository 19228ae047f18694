"""Overview of a fleet: totals, queue, workers and standing commands, as its Redis has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from focuscrawl.fleet.channel import ALIVE_S, WorkerReport
from focuscrawl.fleet.commands import limits_of, paused_since
from focuscrawl.fleet.redis_channel import TRAINER_SILENT_S, RedisChannel
from focuscrawl.frontier.redis_rounds import RoundState
from focuscrawl.visits import Saw


async def fleet_overview(channel: RedisChannel) -> dict[str, Any]:
    """Return where a fleet stands, for programs."""
    totals, commands, stop = await channel.totals(), await channel.commands(), await channel.standing_stop()
    stats = totals.stats
    trainer, waiting, paused = await channel.trainer(), await channel.waiting(), paused_since(commands)
    reports = await channel.workers()
    workers = [worker_overview(one, trainer) for one in reports]
    visits = round_overview(await channel.round())
    alive = [worker for worker in workers if worker["alive"]]
    lost, refusals = _lost(workers), await channel.refusals_of_writes()
    spent = 0 < _page_limit(reports) <= totals.pages + stats.leased
    slow = waiting.stranded(lost, left=stats.leased if spent or not stats.queued else 0, spent=spent)
    return {
        "crawl": channel.crawl,
        "server": channel.shown,
        "topic": topics_of(alive),
        "pages": totals.pages,
        "relevant": totals.relevant,
        "stored": totals.stored,
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
        "slow": next(filter(None, refusals), "") or slow or waiting.reason(idle=paused is not None or not alive),
        "takes_writes": not (refusals[0] or all(refusals)),  # with others missing the rest goes on
        "paused": paused is not None,
        "paused_since": paused,
        "stop": {"reason": stop.reason, "detail": stop.detail} if stop is not None else None,
        "limits": limits_of(commands),
        "commands": len(commands),
        "round": visits,
        "trainer": trainer,
        "model": await channel.model_version(),
        "workers": workers,
    }


def round_overview(state: RoundState) -> dict[str, Any] | None:
    """Return where the last round of visits stands, for programs; None where there was none yet."""
    if not state.number:
        return None
    before = state.facts.get("before", {})
    return {
        "number": state.number,
        "begun_at": state.begun,
        "ended_at": state.ended or None,
        "wanted": state.wanted,
        "left": state.left,
        **{str(saw): state.seen.get(saw, 0) for saw in Saw if saw is not Saw.FIRST},
        "new_links_limit": state.links,
        "allocation": state.facts.get("allocation"),
        "order": state.facts.get("order"),
        "known_pages": state.pages,
        "pages": state.after.get("pages", before.get("pages")),
        "freshness_before": before.get("freshness"),
        "age_s_before": before.get("age_s"),
        "freshness": state.after.get("freshness"),
        "age_s": state.after.get("age_s"),
    }


def _lost(workers: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the workers not heard of that had fetches in flight; none where others have some, too, or nobody is left.

    >>> _lost([{"name": "a", "silent": True, "in_flight": 2}, {"name": "b", "silent": False, "in_flight": 0}])
    ['a']
    """
    heard = [worker for worker in workers if not worker["silent"]]
    if not heard or any(worker["in_flight"] for worker in heard):
        return []
    return [worker["name"] for worker in workers if worker["silent"] and worker["in_flight"]]


def _page_limit(reports: Sequence[WorkerReport]) -> float:
    """Return the lowest limit of pages of the workers that are heard of, 0 for none."""
    heard = [one.status.limits.get("pages", 0) for one in reports if one.silent_s < TRAINER_SILENT_S]
    return min(filter(None, heard), default=0)


def topics_of(alive: Sequence[Mapping[str, Any]]) -> str:
    """Return the topics of the workers: of all of them, while they take up a new one.

    >>> topics_of([{"topic": "chess"}, {"topic": "tea"}, {"topic": "chess"}])
    'chess, tea'
    """
    return ", ".join(dict.fromkeys(worker["topic"] for worker in alive if worker["topic"]))


def worker_overview(one: WorkerReport, trainer: str) -> dict[str, Any]:
    """Return the last report of a worker, for programs."""
    status = one.status
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
