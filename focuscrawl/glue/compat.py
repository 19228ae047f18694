"""Every use of Scrapy that its documentation does not promise; test_scrapy_compat.py notices when one changes."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.reactor import is_reactor_installed
from scrapy.utils.spider import DefaultSpider
from twisted.python.failure import Failure

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

# The loop keeps no tasks alive by itself.
_scraping: set[asyncio.Task[None]] = set()


def running_engine(crawler: Crawler) -> ExecutionEngine | None:
    """Return the engine, None before there is one (`Crawler.engine` raises then, Scrapy 2.18)."""
    engine: ExecutionEngine | None = crawler._engine
    return engine


def wake_engine(crawler: Crawler) -> None:
    """Let the engine ask the scheduler now: nothing public does, and its own heartbeat is 5 seconds."""
    engine = running_engine(crawler)
    if engine is not None and engine._slot is not None and engine._slot.closing is None:
        engine._slot.nextcall.schedule()


def engine_is_active(crawler: Crawler) -> bool:
    """Tell whether any request is being downloaded or its answer processed."""
    engine = running_engine(crawler)
    if engine is None or engine._slot is None:
        return False
    slot = engine.scraper.slot
    return bool(engine._slot.inprogress or engine.downloader.active or (slot is not None and not slot.is_idle()))


def is_under_way(crawler: Crawler, request: Request) -> bool:
    """Tell whether the engine still has a request it was given: it lets go of it when its callback has ended."""
    engine = running_engine(crawler)
    return engine is None or engine._slot is None or request in engine._slot.inprogress


def scrape_item(crawler: Crawler, item: object, response: Response) -> None:
    """Hand an item to the pipelines beside what a callback yields; the engine waits for it before it closes."""
    task = asyncio.get_running_loop().create_task(_scrape(crawler, item, response))
    _scraping.add(task)
    task.add_done_callback(_scraping.discard)


async def _scrape(crawler: Crawler, item: object, response: Response) -> None:
    engine = running_engine(crawler)
    assert engine is not None
    await engine.scraper.start_itemproc_async(item, response=response)
    slot = engine.scraper.slot
    # Scrapy looks whether it can close when a callback ends, and that of this item may have ended before.
    if slot is not None and slot.closing is not None and not slot.closing.called:
        engine.scraper._check_if_closing()


def engine_can_close(crawler: Crawler) -> bool:
    """Tell whether the engine can close the spider: one that is told so while it opens does neither."""
    engine = running_engine(crawler)
    return engine is not None and engine._slot is not None and engine._slot.heartbeat.running


async def close_engine(crawler: Crawler, reason: str) -> None:
    """Close the spider."""
    engine = running_engine(crawler)
    assert engine is not None
    await engine.close_spider_async(reason=reason)


@contextmanager
def before_shutdown(end: Callable[[], Coroutine[Any, Any, None]]) -> Iterator[None]:
    """Have the reactor, when it is stopped inside, stop only after `end` has run; a loop without one waits anyway."""
    if not is_reactor_installed():
        yield
        return
    from twisted.internet import reactor  # late: the first import installs one

    fired = False

    def begin() -> Deferred[None]:
        nonlocal fired
        fired = True
        return deferred_from_coro(end())

    loop: Any = reactor
    trigger = loop.addSystemEventTrigger("before", "shutdown", begin)
    try:
        yield
    finally:
        if not fired:
            loop.removeSystemEventTrigger(trigger)


def fail_crawl(crawler: Crawler, error: Exception) -> None:
    """Make `Crawler.crawl` raise `error` once the engine has closed.

    A `CloseSpider` during the start closes every component in order, but the awaitable of the crawl then succeeds. An
    error raised in the place of it would reach the caller, but leave half of the components unopened while Scrapy
    closes all of them, with a traceback for each.
    """
    engine = running_engine(crawler)
    assert engine is not None
    close = engine.close_async

    async def close_and_raise(*, reason: str = "shutdown") -> None:
        engine.close_async = close  # type: ignore[method-assign]  # Scrapy closes once more when this raises
        await close(reason=reason)
        raise error

    engine.close_async = close_and_raise  # type: ignore[method-assign]


def raise_slot_delay(crawler: Crawler, slot: str, delay_s: float) -> None:
    """Raise the delay of a downloader slot, if there is one: for redirects, which do not pass the frontier."""
    engine = running_engine(crawler)
    if engine is None:
        return
    found = engine.downloader.slots.get(slot)
    if found is not None and found.delay < delay_s:
        found.delay = delay_s


def slot_wait_s(crawler: Crawler, slot: str) -> float:
    """Return the seconds a request would wait in the downloader for the delay of its slot."""
    engine = running_engine(crawler)
    found = engine.downloader.slots.get(slot) if engine is not None else None
    return max(0.0, found.lastseen + found.delay - monotonic()) if found is not None else 0.0


def is_wanted(crawler: Crawler, request: Request) -> bool:
    """Tell whether no listener to `request_scheduled` drops a request, as the engine asks of those it schedules.

    Requests that a callback yields go to the frontier with its page, past the engine: the filter of domains listens.
    """
    answers = crawler.signals.send_catch_log(
        signals.request_scheduled, request=request, spider=crawler.spider, dont_log=IgnoreRequest
    )
    return not any(isinstance(answer, Failure) and isinstance(answer.value, IgnoreRequest) for _, answer in answers)


def begins_no_crawl(crawler: Crawler) -> bool:
    """Tell whether a command of Scrapy (fetch, shell, parse, check, bench) only looks at pages.

    They put a `start` of their own into the spider's class, or bring a class of their own; `shell` starts nothing.
    """
    spider = crawler.spidercls
    made_by = (spider.__module__, spider.start.__module__)
    if spider is DefaultSpider or any(name.startswith("scrapy.commands.") for name in made_by):
        return True
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "scrapy.commands.shell":
            return True
        frame = frame.f_back
    return False


def quiet_scrapy(level: int) -> None:
    """Stop Scrapy from building log records below `level`: it writes several a page."""
    logging.getLogger("scrapy").setLevel(max(level, logging.DEBUG))
