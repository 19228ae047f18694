"""What an event of another worker's page costs a worker of a fleet, and Redis.

One worker sends events of pages with texts of their own, seven in ten of them kept, each with six links that looks go
by, as pages of a crawl have in the mean; another one counts them all.
Measured is the CPU time of both and of the server, the bytes of an event and those Redis keeps for it. What the
strategy learns from them comes on top.

    python benchmarks/fleet_events.py [--pages 20000] [--server redis-server]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import redis
from redis_frontier import Meter

from focuscrawl.crawler.build import DEFAULT_PAGES_PER_HOST, DEFAULT_PAGES_PER_PATTERN
from focuscrawl.crawler.learning import FleetLearning
from focuscrawl.crawler.scope import Budgets
from focuscrawl.dedupe.known import KnownTexts
from focuscrawl.dedupe.near import SIGNATURE_BYTES
from focuscrawl.fleet.channel import HeartbeatReport
from focuscrawl.fleet.redis_channel import RedisChannel
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.ranking.baselines import BreadthFirst
from focuscrawl.records import Judgement, LookLink, LookNews, PageEvent

AT_ONCE = 20  # pages a worker has settled between two reports


def look_link(draw: random.Random) -> LookLink:
    """Return a link to a host."""
    host = f"www.host{draw.randrange(500)}.example.org"
    group = f"{host}/section/{draw.randrange(7)}|3f2a1b|9c8d7e"
    return LookLink(host, round(draw.random(), 4), draw.getrandbits(64), False, group)


def event(number: int, draw: random.Random) -> bytes:
    """Return the event of a page; addresses have about 105 bytes."""
    host = f"www.host{draw.randrange(500)}.example.org"
    words = "-".join(f"word{draw.randrange(3000)}" for _ in range(7))
    relevant = number % 10 < 7
    judgement = Judgement(
        topic="0123456789abcdef",
        relevance=draw.random(),
        threshold=draw.random(),
        judged={f"term:word{n}": round(draw.random(), 4) for n in range(5)},
        parent=draw.getrandbits(64),
        anchor="An anchor of some words",
        group=f"{host}/section/{number % 7}|3f2a1b|9c8d7e",
        depth=3,
        score=draw.random(),
        priority=draw.random(),
        carried={
            name: round(draw.random(), 4) for name in ("uh", "teh", "tih", "rw", "dom", "bias", "parent_on_topic")
        },
        new_links=number % 60,
    )
    return PageEvent(
        url=f"http://{host}/section/{draw.randrange(3000)}/{words}.html",
        host=host,
        key=draw.getrandbits(64),
        relevant=relevant,
        parent_url=f"http://{host}/list/{number % 77}",
        digest=f"{draw.getrandbits(64):016x}" if relevant else "",
        signature=draw.randbytes(SIGNATURE_BYTES) if relevant else None,
        judgement=judgement,
        looks=LookNews(links=tuple(look_link(draw) for _ in range(6))),
        worker="machine:1234:abcdef",
        number=number,
    ).to_json()


async def measure(url: str, meter: Meter, pages: int) -> dict[str, float]:
    """Tell, and hear; return microseconds and bytes a page."""
    events = [event(number, random.Random(number)) for number in range(1, pages + 1)]
    frontier = RedisFrontier(url)
    await frontier.open()
    one, other = (RedisChannel(url, crawl=frontier.crawl, worker=name) for name in ("one", "other"))
    await one.open()
    await other.open()

    async def report(of_each: bool) -> tuple[float, float]:
        client, server = time.process_time(), meter.server()
        for at in range(0, pages, AT_ONCE):
            told = events[at : at + AT_ONCE] if of_each else []
            await one.heartbeat(HeartbeatReport(events=told, cursor="9999999999999-0"))
        return time.process_time() - client, meter.server() - server

    empty, memory = await report(False), meter.memory()
    full, memory = await report(True), meter.memory() - memory
    step: Any = SimpleNamespace(
        budgets=Budgets(per_host=DEFAULT_PAGES_PER_HOST, per_pattern=DEFAULT_PAGES_PER_PATTERN),
        texts=KnownTexts(),
        ranker=BreadthFirst(),
    )
    learning, more = FleetLearning(step, "other"), True
    client, server = time.process_time(), meter.server()
    while more:
        beat = await other.heartbeat(HeartbeatReport(cursor=learning.cursor))
        learning.take_events(beat.events)
        learning.cursor, more = beat.cursor, beat.more
    client, server = time.process_time() - client, meter.server() - server
    for channel in (one, other, frontier):
        await channel.close()
    return {
        "sending, worker, µs": (full[0] - empty[0]) / pages * 1e6,
        "sending, Redis, µs": (full[1] - empty[1]) / pages * 1e6,
        "counting, worker, µs": client / learning.events * 1e6,
        "counting, Redis, µs": server / learning.events * 1e6,
        "an event with a text, bytes": max(map(len, events)),
        "an event without, bytes": min(map(len, events)),
        "kept in Redis, bytes": memory / learning.events,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000, help="no more than the stream keeps")
    parser.add_argument("--server", default=shutil.which("redis-server") or "redis-server")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fc-redis-") as folder:
        place = os.path.join(folder, "redis.sock")
        server = subprocess.Popen(
            [args.server, "--port", "0", "--unixsocket", place, "--dir", folder, "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        try:
            while not Path(place).exists():
                time.sleep(0.01)
            with redis.Redis(unix_socket_path=place) as client:
                measured = asyncio.run(measure(f"unix://{place}", Meter(client), min(args.pages, 20_000)))
        finally:
            server.kill()
            server.wait()
    for name, value in measured.items():
        print(f"{name:28}{value:8.1f}")


if __name__ == "__main__":
    main()
