"""Bridge to projects made for scrapy-redis: seeds, items, and URLs fetched before.

Names of keys and settings are scrapy-redis's own; the package itself is not needed.

`RedisSeeds` (on with ``FOCUSCRAWL_FRONTIER_URL``)
    URLs pushed to ``<spider>:start_urls`` (``REDIS_START_URLS_KEY``), a list, set or sorted set, of URLs or of JSON
    objects with a ``url``, are queued before all others. With ``MAX_IDLE_TIME_BEFORE_CLOSE`` workers wait so many
    seconds for more when the queue is empty.
`RedisItems` (on request, in ``ITEM_PIPELINES``)
    Items go to the list ``<spider>:items`` (``REDIS_ITEMS_KEY``), too.
`SeenBefore` (on with ``FOCUSCRAWL_FRONTIER_URL``)
    What an earlier crawl with scrapy-redis has fetched is not fetched again: what is in the set of fingerprints it
    left, named by ``SCHEDULER_DUPEFILTER_KEY``, and what ``focuscrawl fleet import-dupefilter`` has taken over.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import DontCloseSpider, NotConfigured
from scrapy.utils.serialize import ScrapyJSONEncoder
from w3lib.url import canonicalize_url

from focuscrawl.crawler.backends import redis_connection
from focuscrawl.errors import FocusCrawlError
from focuscrawl.frontier.redis_calls import Calls, connect
from focuscrawl.frontier.redis_import import short
from focuscrawl.frontier.redis_url import without_secret
from focuscrawl.glue.failures import Refused
from focuscrawl.glue.requests import lease_of
from focuscrawl.glue.session import session_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request

logger = logging.getLogger(__name__)

_EVERY_S = 1.0
_NO_IMPORT_S = 30.0  # where nothing was imported, it is looked for again so often
_AT_ONCE = 100
# How seeds are looked at and taken away, by the type of their key. They are taken once they are in the frontier: what
# a killed worker has read, the next one reads again, and the frontier knows a URL it has.
_LOOK: dict[bytes, Callable[[Any, str], Awaitable[list[bytes]]]] = {
    b"list": lambda client, key: client.lrange(key, 0, _AT_ONCE - 1),
    b"set": lambda client, key: client.srandmember(key, _AT_ONCE),
    b"zset": lambda client, key: client.zrevrange(key, 0, _AT_ONCE - 1),
}
_TAKE: dict[bytes, Callable[[Any, str, bytes], Any]] = {
    b"list": lambda pipe, key, member: pipe.lrem(key, 1, member),
    b"set": lambda pipe, key, member: pipe.srem(key, member),
    b"zset": lambda pipe, key, member: pipe.zrem(key, member),
}


def fingerprint(request: Request) -> str:
    """Return the fingerprint scrapy-redis 0.9 keeps of a request: SHA-1 of method, canonical URL and body."""
    data = {"method": str(request.method), "url": canonicalize_url(request.url), "body": (request.body or b"").hex()}
    return hashlib.sha1(json.dumps(data, sort_keys=True).encode(), usedforsecurity=False).hexdigest()


def seed_of(pushed: bytes) -> str:
    """Return the URL of a pushed seed, a URL itself or a JSON object with one; '' when there is none."""
    text = pushed.decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        return text
    try:
        url = json.loads(text).get("url")
    except (ValueError, AttributeError):
        return ""
    return url if isinstance(url, str) else ""


def _calls(crawler: Crawler) -> Calls:
    location, connection = redis_connection(session_of(crawler).config.frontier_url, crawler.settings)
    return Calls(connect(location, connection), without_secret(location) or "Redis", "")


class _OnFirstUse:
    """Connection to the crawl's Redis, made on first use and closed with the spider."""

    def __init__(self, crawler: Crawler, key_pattern: str) -> None:
        self._crawler = crawler
        self._key_pattern = key_pattern
        self._calls: Calls | None = None
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @property
    def calls(self) -> Calls:
        """The connection."""
        if self._calls is None:
            self._calls = _calls(self._crawler)
        return self._calls

    @property
    def key(self) -> str:
        """The key that the pattern, with its ``%(spider)s``, means."""
        spider = self._crawler.spider
        return self._key_pattern % {"spider": spider.name if spider is not None else ""}

    async def _closed(self) -> None:
        if self._calls is not None:
            await self._calls.close()


class RedisSeeds:
    """See the module's docstring. One worker looks, the one that is the trainer, once a second."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if session_of(crawler).config.frontier != "redis":
            raise NotConfigured
        self.crawler = crawler
        self._key_pattern = str(settings.get("REDIS_START_URLS_KEY") or "%(name)s:start_urls")
        self._wait_s = settings.getfloat("MAX_IDLE_TIME_BEFORE_CLOSE")
        self._idle_since: float | None = None
        self._task: asyncio.Task[None] | None = None
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)
        crawler.signals.connect(self._idle, signal=signals.spider_idle)
        crawler.signals.connect(self._busy, signal=signals.request_reached_downloader)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RedisSeeds:
        """Build the extension."""
        return cls(crawler)

    def _opened(self) -> None:
        if session_of(self.crawler).is_open:  # what kept the crawl from opening is told by itself
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _closed(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def _busy(self) -> None:
        self._idle_since = None

    def _idle(self) -> None:
        """Keep the spider open while seeds may still come."""
        now = asyncio.get_running_loop().time()
        if self._idle_since is None:
            self._idle_since = now
        session = session_of(self.crawler)
        if session.ending is None and session.error is None and now - self._idle_since < self._wait_s:
            raise DontCloseSpider

    async def _run(self) -> None:
        session, spider = session_of(self.crawler), self.crawler.spider
        key = self._key_pattern % {"name": spider.name if spider is not None else ""}
        calls = _calls(self.crawler)
        try:
            while True:
                if session.is_open and session.control is not None and session.control.trainer:
                    await self._look(calls, key)
                await asyncio.sleep(_EVERY_S)
        except FocusCrawlError as error:
            logger.debug("%(error)s", {"error": error})  # the frontier meets the same, and ends the crawl
        finally:
            await calls.close()

    async def _look(self, calls: Calls, key: str) -> None:
        client = calls.client
        kind: bytes = await calls.patiently(lambda: client.type(key))
        if kind not in _LOOK:
            return
        pushed = await calls.patiently(lambda: _LOOK[kind](client, key))
        if not pushed:
            return
        crawl = session_of(self.crawler).crawl
        entries, bad = crawl.step.seed_entries([seed_of(one) for one in pushed])
        await crawl.frontier.push(entries)
        crawl.push(())  # wakes it up
        for url in bad:
            logger.warning("%(key)s: %(url)s is no http or https URL", {"key": key, "url": url[:200] or "an entry"})

        async def take() -> None:
            pipe = client.pipeline(transaction=False)
            for one in pushed:
                _TAKE[kind](pipe, key, one)
            await pipe.execute()

        await calls.patiently(take)
        logger.info("%(n)d seeds of %(key)s", {"n": len(entries), "key": key})


class RedisItems:
    """See the module's docstring."""

    def __init__(self, crawler: Crawler) -> None:
        self._encode = ScrapyJSONEncoder(ensure_ascii=False).encode
        self._redis = _OnFirstUse(crawler, str(crawler.settings.get("REDIS_ITEMS_KEY") or "%(spider)s:items"))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RedisItems:
        """Build the pipeline."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Append the item, as JSON, to the list.

        Raises
        ------
        FrontierError
            If Redis stays away.
        """
        calls, key, data = self._redis.calls, self._redis.key, self._encode(item).encode("utf-8", "replace")
        await calls.patiently(lambda: calls.client.rpush(key, data))
        return item


class SeenBefore:
    """See the module's docstring; seeds are fetched all the same, or nothing would begin."""

    def __init__(self, crawler: Crawler) -> None:
        self._session = session_of(crawler)
        if self._session.config.frontier != "redis":
            raise NotConfigured
        key = str(crawler.settings.get("SCHEDULER_DUPEFILTER_KEY") or "")
        self._redis = _OnFirstUse(crawler, key) if key else None
        self._look_again_at = 0.0  # for an import, by the loop's clock

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SeenBefore:
        """Build the middleware."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Refuse a link that was fetched before.

        Raises
        ------
        Refused
            If its fingerprint is in the set.
        """
        lease = lease_of(request)
        if lease is None or lease.entry.origin.parent is None:
            return
        if request.meta.get("redirect_times") or request.meta.get("retry_times"):
            return  # the same fetch, which has begun
        if await self._in_set(request) or await self._imported(request):
            raise Refused("fetched before, by an earlier crawl")

    async def _in_set(self, request: Request) -> bool:
        if self._redis is None:
            return False
        calls, key = self._redis.calls, self._redis.key
        return bool(await calls.patiently(lambda: calls.client.sismember(key, fingerprint(request))))

    async def _imported(self, request: Request) -> bool:
        now = asyncio.get_running_loop().time()
        fleet = self._session.crawl.fleet if self._session.is_open else None
        if fleet is None or now < self._look_again_at:
            return False
        number, here = await fleet.imported(short(fingerprint(request)))
        if not number:
            self._look_again_at = now + _NO_IMPORT_S
        return here
