"""Frontier and control channel of a crawl by its settings: of this process alone, or of a fleet over Redis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from focuscrawl import plugins
from focuscrawl.config import FocusConfig
from focuscrawl.errors import ConfigError
from focuscrawl.fleet.channel import ControlChannel
from focuscrawl.frontier.base import Frontier

# scrapy-redis's names of connection settings -> redis-py's.
_SCRAPY_REDIS = {"REDIS_HOST": "host", "REDIS_PORT": "port", "REDIS_DB": "db", "REDIS_ENCODING": "encoding"}
_EMBEDDED = ("sqlite", "memory")


def make_frontier(
    config: FocusConfig, settings: Mapping[str, Any], *, db: Path, topic: str, pages: int = 0
) -> Frontier:
    """Return the frontier of a crawl, not open yet.

    Parameters
    ----------
    settings
        Scrapy's, for the delay and for scrapy-redis's names of connection settings.
    db
        Where the frontier of a single process is kept.
    topic
        Name of the topic, which is that of the crawl where ``FOCUSCRAWL_CRAWL`` gives none.
    pages
        The crawl may fetch; 0 for no limit.

    Raises
    ------
    FocusCrawlError
        If an option is wrong.
    """
    options: dict[str, Any] = {
        "location": config.frontier_url or str(db),
        "max_attempts": config.max_attempts,
        "delay_s": float(settings.get("DOWNLOAD_DELAY") or 0.0),
    }
    if config.frontier in _EMBEDDED:
        options |= {"wait_per_page_s": config.wait_per_page_s, "wait_pages": pages}
    if config.frontier == "redis":
        location, connection = redis_connection(config.frontier_url, settings)
        options |= {
            "location": location,
            "connection": connection,
            "crawl": config.crawl or topic,
            "dispatch": config.dispatch,
            "capacity": float(settings.get("CONCURRENT_REQUESTS") or 16),
            "seed": config.seed,
            "wait_per_page_s": config.wait_per_page_s,
        }
    frontier: Frontier = plugins.build("frontiers", config.frontier, **options)
    return frontier


def redis_connection(url: str, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return URL and further options of the connection: ours, else those of scrapy-redis's settings.

    As there, ``REDIS_URL`` goes before ``REDIS_HOST`` and ``REDIS_PORT``, and ``REDIS_PARAMS`` goes with either.

    Raises
    ------
    ConfigError
        If ``REDIS_PARAMS`` is no mapping.
    """
    given = settings.get("REDIS_PARAMS") or {}
    if not isinstance(given, Mapping):
        raise ConfigError("REDIS_PARAMS: expected a dictionary of redis-py's connection options.")
    connection = {str(name): value for name, value in given.items() if name not in ("redis_cls", "url")}
    location = url or str(settings.get("REDIS_URL") or given.get("url") or "")
    if not location:
        named = {option: settings.get(name) for name, option in _SCRAPY_REDIS.items()}
        connection = {**{option: value for option, value in named.items() if value is not None}, **connection}
    return location, connection


def make_channel(config: FocusConfig, settings: Mapping[str, Any], *, topic: str, worker: str) -> ControlChannel:
    """Return the control channel of the fleet's crawl, not open yet; parameters as of `make_frontier`."""
    from focuscrawl.fleet import partitioned_channel  # needs the redis package

    location, connection = redis_connection(config.frontier_url, settings)
    return partitioned_channel.make_channel(location, crawl=config.crawl or topic, connection=connection, worker=worker)
