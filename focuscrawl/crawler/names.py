"""Host names: looked up beside the downloads, a few at a time, and remembered when they do not exist.

A tenth of the links of the real web lead to names that resolve late or never. A look-up inside a download would hold
its place for 5 to 20 seconds, while other hosts wait. Knows asyncio, no network: the resolver is given.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from focuscrawl.page.urls import host_of, registered_domain

MAX_LOOKUPS = 3
"""Look-ups after which a name does not exist, and names after which a registered domain has none."""
# Names known to resolve; the resolver's own cache has as many.
_MAX_FOUND = 10_000


class LookUp(Enum):
    """Result of a look-up."""

    FOUND = "found"
    MISSING = "no such host"
    LATE = "the look-up of its name timed out"


class NameLookups:
    """Looks names up a few at a time, each once for all who wait for it.

    Parameters
    ----------
    resolve
        Tells whether a name has an address.
    at_once
        How many look-ups run; the others wait for them.
    timeout_s
        Seconds after which a look-up has failed.
    """

    def __init__(self, resolve: Callable[[str], Awaitable[bool]], *, at_once: int, timeout_s: float) -> None:
        self._resolve = resolve
        self._timeout_s = timeout_s
        self._places = asyncio.Semaphore(at_once)
        self._found: OrderedDict[str, None] = OrderedDict()
        self._running: dict[str, asyncio.Task[LookUp]] = {}

    def is_found(self, name: str) -> bool:
        """Tell whether a name is known to resolve."""
        return name in self._found

    async def look_up(self, name: str) -> LookUp:
        """Return what became of the look-up of a name."""
        if name in self._found:
            return LookUp.FOUND
        running = self._running.get(name)
        if running is None:
            running = self._running[name] = asyncio.get_running_loop().create_task(self._run(name))
        return await asyncio.shield(running)

    def close(self) -> None:
        """Give up what is looked up."""
        for running in self._running.values():
            running.cancel()

    async def _run(self, name: str) -> LookUp:
        try:
            async with self._places, asyncio.timeout(self._timeout_s):
                found = await self._resolve(name)
        except TimeoutError:
            return LookUp.LATE
        finally:
            del self._running[name]
        if not found:
            return LookUp.MISSING
        self._found[name] = None
        if len(self._found) > _MAX_FOUND:
            self._found.popitem(last=False)
        return LookUp.FOUND


class UnresolvedNames:
    """Memory of names that did not resolve.

    A name is looked up three times, later each time, for all its links together. When three names of a registered
    domain have failed and none has resolved, its other names wait for what becomes of the three, and are not looked up
    when these do not exist; the domain itself and its ``www`` are, for they exist more often than the rest. Names are
    told apart by scheme: through a proxy for http only, https names may not resolve where http ones need not.

    Parameters
    ----------
    pause_s
        Half the seconds until a name is looked up again; doubled each time.
    """

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        self._tries: dict[str, tuple[int, float]] = {}  # site -> look-ups that failed, Unix time of the next one
        self._domains: dict[str, _Domain] = {}  # of which a name has failed
        self._alive: set[str] = set()  # domains of which a name has resolved

    def failed(self, url: str, *, now: float) -> float | None:
        """Note a look-up that failed; return the seconds until the next one, None when the name does not exist."""
        site = _site(url)
        tries, until = self._tries.get(site, (0, 0.0))
        if tries >= MAX_LOOKUPS:
            return None
        if now < until:
            return until - now  # of the same look-up, or one that was on its way: no new evidence
        tries += 1
        pause_s = self._pause_s * 2.0**tries
        self._tries[site] = (tries, now + pause_s)
        domain = self._domains.setdefault(_domain(url), _Domain())
        domain.failed += tries == 1
        domain.gone += tries == MAX_LOOKUPS
        domain.until = max(domain.until, now + 2.0 * pause_s)
        return pause_s if tries < MAX_LOOKUPS else None

    def resolved(self, url: str) -> None:
        """Note that the name in `url` has resolved."""
        self._tries.pop(_site(url), None)
        self._alive.add(_domain(url))

    def is_unknown(self, url: str) -> bool:
        """Tell whether the name in `url` does not exist, as far as the look-ups of it and of its domain say."""
        if not self._tries:
            return False
        site = _site(url)
        if site in self._tries:
            return self._tries[site][0] >= MAX_LOOKUPS
        domain = self._doubted(site, url)
        return domain is not None and domain.gone >= MAX_LOOKUPS

    def wait_s(self, url: str, *, now: float) -> float:
        """Return the seconds until the name in `url` may be looked up again, 0 when it may now."""
        if not self._tries:
            return 0.0
        site = _site(url)
        if site in self._tries:
            tries, until = self._tries[site]
            return max(0.0, until - now) if tries < MAX_LOOKUPS else 0.0
        domain = self._doubted(site, url)
        return max(0.0, domain.until - now) if domain is not None else 0.0

    def _doubted(self, site: str, url: str) -> _Domain | None:
        """Return the domain of a name that has not been looked up, when it may have no names at all."""
        name = _domain(url)
        domain = self._domains.get(name)
        if domain is None or domain.failed < MAX_LOOKUPS or name in self._alive:
            return None
        scheme, _, registered = name.partition("://")
        without_port = site.rpartition(":")[0] if site.count(":") > 1 else site
        return None if without_port in (name, f"{scheme}://www.{registered}") else domain


@dataclass(slots=True)
class _Domain:
    """Names of a registered domain that failed."""

    failed: int = 0
    gone: int = 0  # that do not exist
    until: float = 0.0  # Unix time after which more is known


def _site(url: str) -> str:
    """Return scheme and host."""
    return "/".join(url.split("/", 3)[:3])


def _domain(url: str) -> str:
    """Return scheme and registered domain."""
    return f"{url.partition('://')[0]}://{registered_domain(host_of(url))}"
