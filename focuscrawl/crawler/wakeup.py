"""Wakeup: how the owner of the frontier loop sleeps until something was noted for its next turn."""

from __future__ import annotations

import asyncio

# Work that is not urgent waits so long for company: fewer transactions.
_GATHER_S = 0.05


class Wakeup:
    """A wait that plain calls end, at once or a little later; belongs to one event loop."""

    __slots__ = ("_gathering", "_is_called", "_sleeper")

    def __init__(self) -> None:
        self._sleeper: asyncio.Future[None] | None = None
        self._is_called = False
        self._gathering: asyncio.TimerHandle | None = None

    def now(self) -> None:
        """End the wait, or the next one if nobody waits."""
        self._is_called = True
        if self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)

    def soon(self) -> None:
        """End the wait when more work has had a moment to gather."""
        if self._gathering is None:
            self._gathering = asyncio.get_running_loop().call_later(_GATHER_S, self._gathered)

    async def wait(self, timeout_s: float) -> None:
        """Wait for a call, at most `timeout_s` seconds; others get their turn even if one was made before."""
        loop = asyncio.get_running_loop()
        self._sleeper = loop.create_future()
        timer = loop.call_later(0.0 if self._is_called else timeout_s, self.now)
        try:
            await self._sleeper
        finally:
            timer.cancel()
            self._is_called = False

    def _gathered(self) -> None:
        self._gathering = None
        self.now()
