"""From a plan to an open crawl: run folder, frontier, seeds."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.allocator import give_back_freed_memory
from focuscrawl.crawler.backends import make_channel, make_frontier, redis_connection
from focuscrawl.crawler.control import CrawlControl
from focuscrawl.crawler.crawl import Crawl, Network
from focuscrawl.crawler.feed_reader import FeedUse
from focuscrawl.crawler.feed_watch import FeedWatch, FleetFeedWatch
from focuscrawl.crawler.fleet_round import FleetRound
from focuscrawl.crawler.plan import CrawlPlan
from focuscrawl.crawler.recovery import recover
from focuscrawl.crawler.refresh_round import RefreshOptions, RefreshRound, check_frontier
from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.errors import FrontierError, InputError
from focuscrawl.fleet.channel import ControlChannel
from focuscrawl.fleet.folder_channel import FolderChannel
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.fleet import FleetFrontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.plugins import faults_told, name_of
from focuscrawl.ranking.base import Ranker

logger = logging.getLogger(__name__)

_LOOKED_THROUGH = 50_000  # queued links, half a second's work


async def open_crawl(
    plan: CrawlPlan,
    config: FocusConfig,
    network: Network,
    *,
    settings: Mapping[str, Any],
    overrides: Mapping[str, object],
    clock: Callable[[], float] = time.time,
    refresh: RefreshOptions | None = None,
) -> tuple[Crawl, CrawlControl]:
    """Take up or make the run folder, open the frontier, queue the seeds, carry out earlier orders, and start.

    Parameters
    ----------
    settings
        The downloader's, for its delay and the connection to Redis.
    overrides
        Settings to be kept with the run.
    refresh
        Which pages are visited again.

    Raises
    ------
    FocusCrawlError
        With a sentence for people, when the crawl cannot start; nothing is left open or locked then.
    """
    give_back_freed_memory()
    if refresh is not None:
        check_frontier(plan.folder, config, refresh, location=redis_connection(config.frontier_url, settings)[0])
    output = RunOutput(plan, config)
    try:
        output.open(plan.step, overrides=overrides)
        frontier = make_frontier(config, settings, db=output.folder.db, topic=plan.spec.name, pages=plan.pages)
        fleet = frontier if isinstance(frontier, FleetFrontier) else None
        if fleet is not None:
            fleet.page_limit = plan.pages
            fleet.successor_of = output.earlier.name if output.earlier is not None else ""
        with faults_told("frontiers", config.frontier, "cannot be opened", error=FrontierError):
            await frontier.open()
    except BaseException:
        output.abandon()
        raise
    try:
        if fleet is not None:
            await recover(output, fleet, plan.step, overrides=overrides)
        if plan.folder.resumed and fleet is None:
            await _take_up_queue(frontier, plan.step.ranker)
        worker = f"{os.uname().nodename}:{os.getpid()}"
        crawl = Crawl(plan, config, network, frontier=frontier, fleet=fleet, output=output, worker=worker, clock=clock)
        if config.watch_feeds and plan.feeds and fleet is not None:
            crawl.watch = FleetFeedWatch()
        elif config.watch_feeds and plan.feeds and isinstance(frontier, SqliteFrontier):
            crawl.watch = await FeedWatch.begin(frontier, clock=clock, at_once=plan.feeds is FeedUse.FOLLOW)
        if refresh is not None:
            kind = RefreshRound if fleet is None else FleetRound
            await kind(refresh, seed=config.seed, clock=clock).begin(crawl)
        _queue_seeds(crawl)
        channel: ControlChannel = FolderChannel(plan.folder.path)
        if fleet is not None:
            channel = make_channel(config, settings, topic=plan.spec.name, worker=fleet.worker)
        control = CrawlControl(crawl, channel)
        await control.start()
    except BaseException:
        await frontier.close()
        output.abandon()
        raise
    crawl.start()
    return crawl, control


async def _take_up_queue(frontier: Frontier, ranker: Ranker) -> None:
    """Tell a strategy which links wait, unless there are too many to look through before the first request."""
    if (await frontier.stats()).queued <= _LOOKED_THROUGH:
        waiting = [entry async for entry in frontier.entries(limit=_LOOKED_THROUGH)]
        with faults_told("rankers", name_of(ranker), "cannot take up the links that wait"):
            ranker.take_up(waiting)


def _queue_seeds(crawl: Crawl) -> None:
    plan = crawl.plan
    bad = crawl.orders.add_seeds(plan.seeds)
    for url in bad:
        logger.warning("seed %(url)s cannot be crawled: it is no http or https URL", {"url": url})
    if plan.seeds and len(bad) == len(plan.seeds) and not plan.folder.resumed:
        raise InputError(f"{plan.source}: none of its seeds can be crawled: expected http or https URLs.")
