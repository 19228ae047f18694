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

from focuscrawl.errors import ConfigError, FrontierError
from focuscrawl.frontier.redis_url import without_secret

try:
    import redis.asyncio as aredis
    from redis import exceptions as faults
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
except ImportError as missing:  # pragma: no cover - the extra is installed where tests run
    raise ConfigError(
        "The frontier \"redis\" needs the redis package: pip install 'focuscrawl[redis]',"
        " or leave FOCUSCRAWL_FRONTIER_URL out."
    ) from missing

logger = logging.getLogger(__name__)

LAYOUT = "5"
"""Version of the keys and of what is in them."""
# Seconds until a call is made again when the server does not answer: doubled each time, up to the longest.
_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 5.0
# A call that has no answer for so long has failed. Well above the cuts a fleet has to live through (30 s), and below
# the lease time of 300 s, after which others take over what this worker holds.
DEFAULT_PATIENCE_S = 120.0
_CONNECTION: Mapping[str, Any] = {"socket_timeout": 15.0, "socket_connect_timeout": 5.0}
# The server may be back, or another one in its place, in a moment.
_PASSING = (
    faults.ConnectionError,
    faults.TimeoutError,
    faults.BusyLoadingError,
    faults.ReadOnlyError,
    faults.TryAgainError,
    OSError,
    asyncio.TimeoutError,
)
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


def connect(location: str, options: Mapping[str, Any]) -> aredis.Redis:
    """Return a client; nothing is sent yet.

    Raises
    ------
    ConfigError
        If the URL is none that Redis knows, or an option is wrong.
    """
    given = {**_CONNECTION, **options, "decode_responses": False}
    # Made again by us: only then can a script be told that its first answer may have been lost.
    given["retry"] = Retry(NoBackoff(), 0)
    try:
        client = aredis.Redis.from_url(location, **given) if location else aredis.Redis(**given)
        pool: Any = client.connection_pool
        pool.make_connection()  # does not connect, but finds options that do not exist
        return client
    except (ValueError, TypeError, faults.RedisError) as error:
        shown = without_secret(location) or "REDIS_PARAMS"
        raise ConfigError(
            f"{shown}: no Redis to connect to: {error}. Expected redis://, rediss:// or unix://, as in"
            " redis://user:password@host:6379/0."
        ) from None


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
        How long a call is made again while the server does not answer.
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
        self._lost: FrontierError | None = None  # given up: whoever closes afterwards does not wait once more

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
                return await self.client.execute_command("EVALSHA", sha, 1, self._meta, *args)
            except faults.NoScriptError:
                self.sent += 1
                return await self.client.execute_command("EVAL", text, 1, self._meta, *args)

        return await self.patiently(send, again=again)

    async def patiently(self, send: Callable[[], Awaitable[Any]], *, again: Callable[[], None] | None = None) -> Any:
        """Return what `send` returns, waiting out a server that does not answer; see `run`."""
        if self._lost is not None:
            raise self._lost
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience_s
        wait_s = _FIRST_WAIT_S
        warned = False
        while True:
            self.sent += 1
            try:
                async with asyncio.timeout(self._answer_s):
                    result = await send()
            except _FINAL as error:
                why = str(error).rstrip(".")
                raise FrontierError(f"{self.shown}: Redis refuses: {why}. Check user and password.") from None
            except _PASSING as error:
                if loop.time() + wait_s > deadline:
                    self._lost = FrontierError(
                        f"{self.shown}: no answer from Redis for {self._patience_s:.0f} s ({error})."
                        " Try again when Redis is back; what was under way is leased again then."
                    )
                    raise self._lost from None
                if not warned:
                    logger.warning("%(where)s: no answer (%(why)s); trying again", {"where": self.shown, "why": error})
                    warned = True
            except faults.ResponseError as error:
                raise self._refused(error) from None
            else:
                if warned:
                    logger.info("%(where)s: answers again", {"where": self.shown})
                return result
            await asyncio.sleep(wait_s)
            wait_s = min(2.0 * wait_s, _LONGEST_WAIT_S)
            if again is not None:
                again()

    async def close(self) -> None:
        """Close the connection."""
        await self.client.aclose()

    def _refused(self, error: Exception) -> FrontierError:
        text = str(error)
        if "CRAWLGONE" in text:
            return FrontierError(
                f"{self.shown}: Redis has lost this crawl: it was restarted empty, or flushed. Nothing more can be"
                " leased. Turn on its append-only file (appendonly yes) before the crawl is begun again."
            )
        if "CRAWLANEW" in text:
            return FrontierError(
                f"{self.shown}: another crawl was begun under the same name since this worker started. Start it again"
                " to take part."
            )
        if "OOM" in text:
            return FrontierError(
                f"{self.shown}: Redis is full (maxmemory). Give it more memory; its policy has to be noeviction."
            )
        return FrontierError(f"{self.shown}: Redis answered: {text}")
