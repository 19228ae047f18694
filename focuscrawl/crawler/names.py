"""Host names: looked up beside the downloads, a few at a time, and remembered when they do not exist.

A tenth of the links of the real web lead to names that resolve late or never. A look-up inside a download would hold
its place for 5 to 20 seconds, while other hosts wait. A name that exists and one that does not look alike while the
resolver is out of order, so a failure is checked with names that resolved before. Knows asyncio, no network: the
resolver is given.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from focuscrawl.crawler.addresses import address_of
from focuscrawl.page.urls import host_of, registered_domain

logger = logging.getLogger(__name__)

MAX_LOOKUPS = 3
"""Look-ups after which a name does not exist, and names after which a registered domain has none."""
# Names known to resolve; the resolver's own cache has as many.
_MAX_FOUND = 10_000
# Names that resolved, kept to check the resolver with, and how many of them are looked up again each time. The first
# ones are kept: their answers have left the caches of the system, which would hide that nobody answers.
_MAX_REFERENCES, _REFERENCES = 64, 3
# Seconds for which a name that failed three times does not exist; doubled with each failure after that, up to a day.
_GONE_S, _MAX_GONE_S = 300.0, 86_400.0
# Seconds until names are looked up again while the resolver is out of order: at first, at least, and at most.
_LEAST_OUTAGE_S, _MAX_OUTAGE_S = 0.1, 60.0
# Sites and registered domains remembered, of each kind: some 40 MB in all.
_MAX_NAMES = 50_000


class LookUp(Enum):
    """Result of a look-up."""

    FOUND = "found"
    MISSING = "no such host"
    LATE = "the look-up of its name timed out"
    OUTAGE = "no name resolves at present"


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
        self._references: deque[str] = deque()  # names that resolved, the one that was checked last at the end
        self._check: asyncio.Task[bool] | None = None
        self._successes = self._outages = 0  # so far

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
        if self._check is not None:
            self._check.cancel()

    async def _run(self, name: str) -> LookUp:
        outages = self._outages
        try:
            async with self._places:
                if self._outages != outages:  # while it waited for its place
                    return LookUp.OUTAGE
                successes = self._successes
                answer = await self._ask(name)
                if answer is not LookUp.FOUND:
                    return LookUp.OUTAGE if self._successes == successes and await self._is_outage() else answer
        finally:
            del self._running[name]
        self._successes += 1
        self._found[name] = None
        if len(self._found) > _MAX_FOUND:
            self._found.popitem(last=False)
        if len(self._references) < _MAX_REFERENCES:
            self._references.append(name)
        return answer

    async def _ask(self, name: str) -> LookUp:
        try:
            async with asyncio.timeout(self._timeout_s):
                found = await self._resolve(name)
        except TimeoutError:
            return LookUp.LATE
        return LookUp.FOUND if found else LookUp.MISSING

    async def _is_outage(self) -> bool:
        """Tell whether most of a few names that resolved before do not now; one check for all who ask meanwhile."""
        if self._check is None or self._check.done():
            self._check = asyncio.get_running_loop().create_task(self._ask_references())
        return await asyncio.shield(self._check)

    async def _ask_references(self) -> bool:
        names = [self._references.popleft() for _ in range(min(_REFERENCES, len(self._references)))]
        # In capitals it is the same name (RFC 4343) and another key of the resolver's cache.
        answers = await asyncio.gather(*(self._ask(name.upper()) for name in names))
        still = [name for name, answer in zip(names, answers, strict=True) if answer is LookUp.FOUND]
        is_outage = len(still) * 2 < len(names)
        self._references.extend(names if is_outage else still)  # a name that is gone tells nothing
        self._outages += is_outage
        self._successes += not is_outage and len(still)
        return is_outage


class UnresolvedNames:
    """Memory of names that did not resolve.

    A name is looked up three times, later each time, for all its links together; then it does not exist, for five
    minutes at first, and twice as long with each look-up that fails after that. When three names of a registered domain
    have failed and none has resolved, its other names wait for what becomes of the three, and are not looked up when
    these do not exist; the domain itself and its ``www`` are, for they exist more often than the rest. Names are
    told apart by scheme: through a proxy for http only, https names may not resolve where http ones need not.

    A failure while the resolver is out of order says nothing of a name: all that were not met before wait.

    Parameters
    ----------
    pause_s
        Half the seconds until a name is looked up again; doubled each time.
    """

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        # Site -> failures, Unix time of the next look-up.
        self._tries: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._domains: OrderedDict[str, _Domain] = OrderedDict()  # of which a name has failed
        self._alive: OrderedDict[str, None] = OrderedDict()  # domains of which a name has resolved
        self._outages = 0  # in a row
        self._outage_until = 0.0  # Unix time before which no name is looked up

    def failed(self, url: str, *, now: float) -> float | None:
        """Note a look-up that failed; return the seconds until the next one, None when the name does not exist."""
        site = _site(url)
        tries, until = self._tries.get(site, (0, 0.0))
        if now < until:  # of the same look-up, or one that was on its way: no new evidence
            return until - now if tries < MAX_LOOKUPS else None
        tries += 1
        if tries == MAX_LOOKUPS and not self._alive and len(self._domains) >= MAX_LOOKUPS:
            return self.outage(now=now)  # nothing was ever reached, and names of several domains fail
        pause_s = self._pause_s * 2.0**tries if tries < MAX_LOOKUPS else _gone_s(tries)
        self._tries[site] = (tries, now + pause_s)
        self._tries.move_to_end(site)
        _forget_oldest(self._tries)
        domain = self._domains.setdefault(_domain(url), _Domain())
        _forget_oldest(self._domains)
        if len(domain.failed) < MAX_LOOKUPS and site not in domain.failed:
            domain.failed.append(site)
        domain.gone += tries == MAX_LOOKUPS or (domain.is_gone and now >= domain.until)
        known_s = _gone_s(domain.gone) if domain.is_gone else self._pause_s * 2.0 ** (min(tries, MAX_LOOKUPS) + 1)
        domain.until = max(domain.until, now + known_s)
        return pause_s if tries < MAX_LOOKUPS else None

    def outage(self, *, now: float) -> float:
        """Note that the resolver is out of order; return the seconds until names may be looked up again."""
        if now >= self._outage_until:
            if not self._outages:
                logger.warning("no host name resolves at present: links to hosts that were not met before wait")
            wait_s = max(self._pause_s, _LEAST_OUTAGE_S) * 2.0 ** min(self._outages, 20)
            self._outages += 1
            self._outage_until = now + min(wait_s, _MAX_OUTAGE_S)
        return self._outage_until - now

    @property
    def is_outage(self) -> bool:
        """Tell whether the resolver is out of order, as far as is known."""
        return self._outages > 0

    @property
    def is_outage_since_start(self) -> bool:
        """Tell whether the resolver is out of order and no name was ever reached."""
        return self.is_outage and not self._alive

    def found(self, url: str) -> None:
        """Note that a look-up of the name in `url` has found it: the resolver works."""
        if self._outages:
            logger.info("host names resolve again")
        self._outages, self._outage_until = 0, 0.0
        self.resolved(url)

    def resolved(self, url: str) -> None:
        """Note that the name in `url` has resolved, now or before."""
        self._tries.pop(_site(url), None)
        self._alive[_domain(url)] = None
        _forget_oldest(self._alive)

    def is_unknown(self, url: str, *, now: float) -> bool:
        """Tell whether the name in `url` does not exist, as far as the look-ups of it and of its domain say."""
        if not self._tries:
            return False
        site = _site(url)
        tries, until = self._tries.get(site, (0, 0.0))
        if tries >= MAX_LOOKUPS:
            return now < until
        domain = self._doubted(site, url)
        return domain is not None and domain.is_gone and now < domain.until

    def wait_s(self, url: str, *, now: float) -> float:
        """Return the seconds until the name in `url` may be looked up again, 0 when it may now."""
        if now < self._outage_until and _domain(url) not in self._alive and not _is_address(url):
            return self._outage_until - now
        if not self._tries:
            return 0.0
        site = _site(url)
        tries, until = self._tries.get(site, (0, 0.0))
        if tries >= MAX_LOOKUPS:
            return 0.0
        domain = self._doubted(site, url)
        if domain is not None and not domain.is_gone:
            until = max(until, domain.until)
        return max(0.0, until - now)

    def _doubted(self, site: str, url: str) -> _Domain | None:
        """Return the domain of a name, when it may have no names at all as others of it say."""
        name = _domain(url)
        domain = self._domains.get(name)
        if domain is None or len(domain.failed) < MAX_LOOKUPS or site in domain.failed or name in self._alive:
            return None
        scheme, _, registered = name.partition("://")
        without_port = site.rpartition(":")[0] if site.count(":") > 1 else site
        return None if without_port in (name, f"{scheme}://www.{registered}") else domain


@dataclass(slots=True)
class _Domain:
    """Names of a registered domain that failed."""

    failed: list[str] = field(default_factory=list)  # the first three of them
    gone: int = 0  # that do not exist, and failures after these were three
    until: float = 0.0  # Unix time after which more is known

    @property
    def is_gone(self) -> bool:
        return self.gone >= MAX_LOOKUPS


def _gone_s(failures: int) -> float:
    """Return the seconds for which what has failed so often does not exist."""
    return min(_GONE_S * 2.0 ** min(failures - MAX_LOOKUPS, 20), _MAX_GONE_S)


def _forget_oldest(names: OrderedDict[str, Any]) -> None:
    if len(names) > _MAX_NAMES:
        names.popitem(last=False)


def _is_address(url: str) -> bool:
    return address_of(urlsplit(url).hostname or "") is not None


def _site(url: str) -> str:
    """Return scheme and host."""
    return "/".join(url.split("/", 3)[:3])


def _domain(url: str) -> str:
    """Return scheme and registered domain."""
    return f"{url.partition('://')[0]}://{registered_domain(host_of(url))}"
