"""What it costs a worker of a fleet, and Redis, to hear of a page that another worker has fetched.

One worker tells of pages with texts of their own, seven in ten of them stored; another one hears of all. Measured is
the CPU time of both and of the server, the bytes of a fact and those Redis keeps for it.

    python benchmarks/fleet_hearing.py [--pages 20000] [--server redis-server]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from base64 import b64encode
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import redis
from redis_frontier import Meter

from focuscrawl.dedupe.known import KnownTexts
from focuscrawl.dedupe.near import SIGNATURE_BYTES
from focuscrawl.engine.build import DEFAULT_PAGES_PER_HOST, DEFAULT_PAGES_PER_PATTERN
from focuscrawl.engine.scope import Budgets
from focuscrawl.engine.shared_pages import VERSION, SharedPages
from focuscrawl.fleet.redis_board import RedisBoard
from focuscrawl.frontier.redis import RedisFrontier

AT_ONCE = 20  # pages a worker has settled between two reports


def fact(number: int, draw: random.Random) -> bytes:
    """Return what is told of a page; addresses have about 105 bytes."""
    host = f"www.host{draw.randrange(500)}.example.org"
    words = "-".join(f"word{draw.randrange(3000)}" for _ in range(7))
    data: dict[str, Any] = {
        "v": VERSION,
        "w": "machine:1234:abcdef",
        "n": number,
        "url": f"http://{host}/section/{draw.randrange(3000)}/{words}.html",
        "host": host,
        "found": number % 10 < 7,
    }
    if data["found"]:
        signature = b64encode(draw.randbytes(SIGNATURE_BYTES)).decode()
        data |= {"parent": f"http://{host}/list/{number % 77}", "key": draw.getrandbits(64)}
        data |= {"digest": f"{draw.getrandbits(64):016x}", "near": signature}
    return json.dumps(data).encode()


async def measure(url: str, meter: Meter, pages: int) -> dict[str, float]:
    """Tell, and hear; return microseconds and bytes a page."""
    facts = [fact(number, random.Random(number)) for number in range(1, pages + 1)]
    frontier = RedisFrontier(url)
    await frontier.open()
    one, other = (RedisBoard(url, crawl=frontier.crawl, worker=name) for name in ("one", "other"))
    await one.open()
    await other.open()

    async def report(of_each: bool) -> tuple[float, float]:
        client, server = time.process_time(), meter.server()
        for at in range(0, pages, AT_ONCE):
            told = facts[at : at + AT_ONCE] if of_each else []
            await one.poll({}, seen=0, pages=told, place="9999999999999-0")
        return time.process_time() - client, meter.server() - server

    empty, memory = await report(False), meter.memory()
    full, memory = await report(True), meter.memory() - memory
    step: Any = SimpleNamespace(
        budgets=Budgets(per_host=DEFAULT_PAGES_PER_HOST, per_pattern=DEFAULT_PAGES_PER_PATTERN), texts=KnownTexts()
    )
    ears, more = SharedPages(step, "other"), True
    client, server = time.process_time(), meter.server()
    while more:
        polled = await other.poll({}, seen=0, place=ears.place)
        ears.hear(polled.pages)
        ears.place, more = polled.place, polled.more
    client, server = time.process_time() - client, meter.server() - server
    for board in (one, other, frontier):
        await board.close()
    return {
        "telling, worker, µs": (full[0] - empty[0]) / pages * 1e6,
        "telling, Redis, µs": (full[1] - empty[1]) / pages * 1e6,
        "hearing, worker, µs": client / ears.heard * 1e6,
        "hearing, Redis, µs": server / ears.heard * 1e6,
        "a fact with a text, bytes": max(map(len, facts)),
        "a fact without, bytes": min(map(len, facts)),
        "kept in Redis, bytes": memory / ears.heard,
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
