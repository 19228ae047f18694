"""Runs the Lua scripts of the Redis frontier: loads them, waits out a lost connection, says what went wrong.

One script a file in ``lua/``. A line ``-- uses: known places …`` names the parts (``_known.lua``, …) that stand before
it; ``_begin.lua`` stands before all. The scripts write what they decide in one step, and Redis runs one at a time.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from focuscrawl.errors import CrawlGoneError, FrontierError, ServerAwayError
from focuscrawl.frontier.redis_connect import (
    MasterNotFoundError,
    Node,
    answer_in,
    aredis,
    certificate_sentence,
    connect,
    faults,
    memory_sentence,
    policy_warning,
    sentinels_of,
    tls_sentence,
)
from focuscrawl.frontier.redis_notice import Notice
from focuscrawl.frontier.redis_refusals import (
    answer_text,
    damage_sentence,
    rights_sentence,
    sentinel_sentence,
    server_sentence,
)

__all__ = ["DEFAULT_PATIENCE_S", "LAYOUT", "Calls", "check_layout", "connect", "script"]

logger = logging.getLogger(__name__)

LAYOUT = "5"
"""Version of the keys and of what is in them."""
# Seconds until a call is made again when the server does not answer: doubled each time, up to the longest.
_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 5.0
# A call that has no answer for so long has failed. Well above the cuts a fleet has to live through (30 s), and below
# the lease time of 300 s, after which what this worker holds has run out even when nobody else was there to take it.
DEFAULT_PATIENCE_S = 120.0
# How long an answer waits for a replica to have it, in milliseconds.
_REPLICA_MS = 1000
# The server may be back, or another one in its place, in a moment.
_PASSING_ANSWERS = (
    faults.BusyLoadingError,
    faults.ReadOnlyError,
    faults.TryAgainError,
    faults.ClusterDownError,
    faults.AskError,  # a slot of a cluster is on its way; where it has arrived, MOVED says so
)
_PASSING = (*_PASSING_ANSWERS, faults.ConnectionError, faults.TimeoutError, OSError, asyncio.TimeoutError)
# The same by the code of the reply alone, which scripts of Redis 6 have amid their own message: a script runs for long,
# the master has become a replica or has none, or the disk of its copies is full.
_PASSING_CODES = re.compile(r"\b(?:BUSY|READONLY|MASTERDOWN|NOREPLICAS|MISCONF) ")
# Of these, what no waiting mends.
_FINAL = (faults.AuthenticationError, faults.AuthorizationError)


@cache
def script(name: str) -> tuple[str, str]:
    """Return the text of a script with its parts, and its SHA-1, by which Redis knows it."""
    folder = files("focuscrawl.frontier") / "lua"
    text = (folder / f"{name}.lua").read_text(encoding="utf-8")
    uses = re.search(r"^-- uses: (.*)$", text, re.MULTILINE)
    parts = ["begin", *uses[1].split()] if uses else ["begin"]
    if name == "open":
        parts = []  # there may be nothing to begin with
    whole = "\n".join([*((folder / f"_{part}.lua").read_text(encoding="utf-8") for part in parts), text])
    return whole, hashlib.sha1(whole.encode(), usedforsecurity=False).hexdigest()


def check_layout(version: bytes, *, crawl: str, shown: str) -> None:
    """Raise for a crawl of another layout.

    Raises
    ------
    FrontierError
        With what to do.
    """
    if version.decode() != LAYOUT:
        raise FrontierError(
            f'{shown}: the crawl "{crawl}" was written by another version of focuscrawl (layout {version.decode()},'
            f" this one has {LAYOUT}). Use that version, or another FOCUSCRAWL_CRAWL."
        )


class Calls:
    """A connection to the scripts of one crawl.

    Parameters
    ----------
    client
        The connection; closed by `close`.
    shown
        The server's address as it may be shown.
    prefix
        What all keys of the crawl start with.
    patience_s
        How long a call is made again while the server does not answer, in seconds; 0 to leave that to the caller, but
        for one repetition of a call whose answer must not be lost.
    """

    def __init__(
        self, client: aredis.Redis, shown: str, prefix: str, *, patience_s: float = DEFAULT_PATIENCE_S
    ) -> None:
        self.client: Any = client  # redis-py's types know neither execute_command nor that answers are bytes
        self.shown = shown
        self.prefix = prefix
        self.sent = 0  # commands, scripts counted once
        self._patience_s = patience_s
        self._meta = f"{prefix}meta"
        # Kept here: redis-py waits for its writes with asyncio.wait_for, which before Python 3.12 can lose the
        # cancellation of a task, and a worker whose tasks cannot be cancelled never ends.
        options: dict[str, Any] = self.client.connection_pool.connection_kwargs
        self._answer_s: float | None = options.get("socket_timeout")
        options["socket_timeout"] = None
        self._node = Node(client)
        self._sentinels = sentinels_of(client)
        self._said_alone = False
        self._heard = False  # an answer has come
        self.lost: FrontierError | None = None  # given up: whoever closes afterwards does not wait once more

    async def run(self, name: str, args: Sequence[Any], *, again: Callable[[], None] | None = None) -> Any:
        """Run a script and return its answer.

        Parameters
        ----------
        again
            Called before the script is run once more because its answer may have been lost; it may change `args`.

        Raises
        ------
        FrontierError
            If the server stays away, has lost the crawl, or refuses.
        """
        text, sha = script(name)

        async def send() -> Any:
            try:
                return await self._evaluate("EVALSHA", sha, args)
            except faults.NoScriptError:
                self.sent += 1
                return await self._evaluate("EVAL", text, args)

        return await self.patiently(send, again=again)

    async def _evaluate(self, command: str, source: str, args: Sequence[Any]) -> Any:
        if not self._sentinels:
            return await self.client.execute_command(command, source, 1, self._meta, *args)
        # On one connection: the wait is for what this connection has written.
        pipe = self.client.pipeline(transaction=False)
        pipe.execute_command(command, source, 1, self._meta, *args)
        pipe.execute_command("WAIT", 1, _REPLICA_MS)
        answer, replicas = await pipe.execute(raise_on_error=False)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(replicas, Exception):
            raise replicas
        if not replicas and not self._said_alone:
            logger.warning(
                "%(where)s: no replica has answered: what is written until one does is lost if the master fails",
                {"where": self.shown},
            )
        self._said_alone = not replicas
        return answer

    async def check_memory(self) -> None:
        """Warn where a full server would throw keys away."""
        warning = policy_warning(self.shown, await self._memory())
        if warning:
            logger.warning("%(warning)s", {"warning": warning})

    async def refusal_of_writes(self) -> str:
        """Return in a sentence why the server takes no writes now, '' when it does.

        Raises
        ------
        FrontierError
            If it does not answer, or nothing but a change of the server mends it.
        """
        try:
            async with asyncio.timeout(self._answer_s):
                # It makes no key and changes none, and is refused as every call that may need memory.
                await self.client.setrange(f"{self.prefix}probe", 0, b"")
        except faults.NoPermissionError:
            return ""
        except (*_PASSING, faults.ResponseError) as error:
            return await self._passing(error)
        return ""

    async def _memory(self) -> Mapping[str, Any]:
        """Return ``INFO memory``, {} where the user may not ask for it."""
        try:
            async with asyncio.timeout(self._answer_s):
                memory: Mapping[str, Any] = await self.client.info("memory")
                return memory
        except (faults.RedisError, OSError, TimeoutError):
            return {}

    async def patiently(self, send: Callable[[], Awaitable[Any]], *, again: Callable[[], None] | None = None) -> Any:
        """Return what `send` returns, waiting out a server that does not answer; see `run`."""
        if self.lost is not None:
            raise self.lost
        notice = Notice(self.shown)
        try:
            return await self._patiently(send, again, notice)
        finally:
            notice.end()

    async def _patiently(
        self, send: Callable[[], Awaitable[Any]], again: Callable[[], None] | None, notice: Notice
    ) -> Any:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        deadline = begun + self._patience_s
        wait_s = _FIRST_WAIT_S
        repeated = False
        while True:
            self.sent += 1
            try:
                async with asyncio.timeout(self._answer_s):
                    result = await send()
            except faults.MovedError as error:
                if not await self._node.move(error):
                    raise await self._refused(error) from None
                continue
            except (*_PASSING, faults.ResponseError) as error:
                why = await self._passing(error)
                if not self._patience_s:
                    if again is None or repeated:
                        raise ServerAwayError(why) from None
                    # The call may have been carried out: where the connection alone has gone its answer is there.
                    repeated = True
                    again()
                    continue
                if loop.time() + wait_s > deadline:
                    self.lost = ServerAwayError(
                        f"{why} Given up after {loop.time() - begun:.0f} s; try again when Redis is back. What a worker"
                        " had under way is leased again then."
                    )
                    raise self.lost from None
                notice.wait(why)
            else:
                self._node.settled()
                self._heard = True
                notice.answered()
                return result
            await asyncio.sleep(wait_s)
            wait_s = min(2.0 * wait_s, _LONGEST_WAIT_S)
            if again is not None:
                again()

    async def close(self) -> None:
        """Close the connection."""
        await self.client.aclose()
        for sentinel in self._sentinels:
            await sentinel.aclose()

    async def _passing(self, error: BaseException) -> str:
        """Return in a sentence what may be over soon.

        Raises
        ------
        FrontierError
            If no waiting mends it.
        """
        error = answer_in(error)
        if isinstance(error, _FINAL):
            raise self._login_refused(error) from None
        certificate = certificate_sentence(self.shown, error)
        if certificate:
            raise FrontierError(certificate) from None
        if isinstance(error, MasterNotFoundError):
            why, passing = sentinel_sentence(error)
            if not passing:
                raise FrontierError(f"{self.shown}: {why}") from None
            return f"{self.shown}: {why}"
        if not self._heard and isinstance(error, _PASSING):
            other = await tls_sentence(self.shown, self.client)
            if other:
                raise FrontierError(other) from None
        text = answer_text(error)  # '' of a time that has run out
        if isinstance(error, _PASSING_ANSWERS):
            return f"{self.shown}: Redis carries out no call for now: {text}."
        if isinstance(error, _PASSING):
            return f"{self.shown}: no answer from Redis{f' ({text})' if text else ''}."
        if isinstance(error, faults.OutOfMemoryError) or "OOM" in text:  # scripts of Redis 6 have no other sign
            return memory_sentence(self.shown, await self._memory())
        code = _PASSING_CODES.search(text)
        if code is not None:
            return f"{self.shown}: Redis carries out no call for now: {text[code.start() :]}."
        raise await self._refused(error) from None

    async def _evicted(self) -> int:
        """Return how many keys the server has thrown away since it started, 0 where it may not be asked."""
        try:
            async with asyncio.timeout(self._answer_s):
                return int((await self.client.info("stats")).get("evicted_keys", 0))
        except (faults.RedisError, OSError, TimeoutError):
            return 0

    def _login_refused(self, error: BaseException) -> FrontierError:
        if not self.client.connection_pool.connection_kwargs.get("password"):  # the answer is about HELLO then
            return FrontierError(
                f"{self.shown}: Redis asks for a password, and none is given. Expected a URL as in"
                " redis://user:password@host:6379/0."
            )
        return FrontierError(f"{self.shown}: Redis refuses: {str(error).rstrip('.')}. Check user and password.")

    async def _refused(self, error: BaseException) -> FrontierError:
        text = answer_text(error)
        if "CRAWLGONE" in text:
            return CrawlGoneError(
                f"{self.shown}: Redis has lost this crawl: it was restarted empty, or flushed. Nothing more can be"
                " leased. Turn on its append-only file (appendonly yes) before the crawl is begun again."
            )
        if "CRAWLANEW" in text:
            return FrontierError(
                f"{self.shown}: another crawl was begun under the same name since this worker started. Start it again"
                " to take part."
            )
        user = str(self.client.connection_pool.connection_kwargs.get("username") or "")
        known = rights_sentence(error, user) or server_sentence(error)
        if not known and damage_sentence(error, 0):
            known = damage_sentence(error, await self._evicted())
        return FrontierError(f"{self.shown}: {known or f'Redis answered: {text}'}")
