"""A task that talks to Redis can be cancelled at every moment: a worker that ends waits for its tasks."""

from __future__ import annotations

import asyncio
import signal

import pytest
from redis_kit import RedisServer, running_redis

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.redis_calls import Calls, connect


async def ends_when_cancelled_after(turns: int, calls: Calls) -> bool:
    async def talk() -> None:
        while True:
            await calls.patiently(lambda: calls.client.ping())

    task = asyncio.get_running_loop().create_task(talk())
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    for _ in range(200):
        if task.done():
            return task.cancelled()
        await asyncio.sleep(0)
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    return False


def test_no_moment_loses_a_cancellation(redis_server: RedisServer) -> None:
    async def run() -> None:
        calls = Calls(connect(redis_server.url, {"socket_timeout": 5.0}), "Redis", "x:")
        await calls.patiently(lambda: calls.client.ping())
        try:
            kept = [await ends_when_cancelled_after(turns, calls) for turns in range(40)]
        finally:
            await calls.close()
        assert all(kept), kept

    asyncio.run(run())


def test_a_server_that_says_nothing_is_given_up_after_the_timeout_asked_for() -> None:
    async def run() -> None:
        with running_redis() as server:
            calls = Calls(connect(f"{server.url}&socket_timeout=1", {}), "Redis", "x:", patience_s=0.01)
            await calls.patiently(lambda: calls.client.ping())
            server.process.send_signal(signal.SIGSTOP)
            try:
                with pytest.raises(FrontierError, match=r"no answer from Redis\. Given up after 1 s;"):
                    await calls.patiently(lambda: calls.client.ping())
            finally:
                server.process.send_signal(signal.SIGCONT)
                with pytest.raises(FrontierError):
                    await calls.patiently(lambda: calls.client.ping())  # given up for good
                await calls.close()

    asyncio.run(run())
