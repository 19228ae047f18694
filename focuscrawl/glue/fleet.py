"""The frontier of a crawl by its settings: of this process alone, or of a fleet over Redis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focuscrawl import plugins
from focuscrawl.config import FocusConfig
from focuscrawl.errors import ConfigError
from focuscrawl.fleet.board import Board
from focuscrawl.frontier.base import Frontier
from focuscrawl.storage.run import without_secrets

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

# scrapy-redis's names of connection settings -> redis-py's.
_SCRAPY_REDIS = {"REDIS_HOST": "host", "REDIS_PORT": "port", "REDIS_DB": "db", "REDIS_ENCODING": "encoding"}
_SECRETS = ("FOCUSCRAWL_FRONTIER_URL", "FOCUSCRAWL_POSTGRES_URL", "REDIS_URL", "REDIS_PARAMS")


def make_frontier(config: FocusConfig, settings: Mapping[str, Any], *, db: Path, topic: str) -> Frontier:
    """Return the frontier of a crawl, not open yet.

    Parameters
    ----------
    settings
        Scrapy's, for the delay and for scrapy-redis's names of connection settings.
    db
        Where the frontier of a single process is kept.
    topic
        Name of the topic, which is that of the crawl where ``FOCUSCRAWL_CRAWL`` gives none.

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
    if config.frontier == "redis":
        location, connection = redis_connection(config.frontier_url, settings)
        options |= {
            "location": location,
            "connection": connection,
            "crawl": config.crawl or topic,
            "dispatch": config.dispatch,
            "capacity": float(settings.get("CONCURRENT_REQUESTS") or 16),
            "seed": config.seed,
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


def make_board(config: FocusConfig, settings: Mapping[str, Any], *, topic: str, worker: str) -> Board:
    """Return the board of the fleet's crawl, not open yet; parameters as of `make_frontier`."""
    from focuscrawl.fleet.redis_board import RedisBoard  # needs the redis package

    location, connection = redis_connection(config.frontier_url, settings)
    return RedisBoard(location, crawl=config.crawl or topic, connection=connection, worker=worker)


class _Hidden(str):
    """A text that shows itself without the secrets in it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(without_secrets({"url": str(self)})["url"])


class _HiddenDict(dict[str, Any]):
    """A dictionary that shows itself without the secrets in it."""

    def __repr__(self) -> str:
        return repr(without_secrets(dict(self)))


def hide_secrets(settings: BaseSettings) -> None:
    """Keep passwords of the connection to Redis out of Scrapy's list of overridden settings in the log."""
    for name in _SECRETS:
        value, priority = settings.get(name), settings.getpriority(name)
        if isinstance(value, str) and value:
            settings.set(name, _Hidden(value), priority or "addon")
        elif isinstance(value, Mapping):
            settings.set(name, _HiddenDict(value), priority or "addon")


def check_combination(settings: BaseSettings) -> None:
    """Raise for parts of scrapy-redis that end a crawl on this Scrapy, which says too little about it.

    Raises
    ------
    ConfigError
        With what to set instead.
    """
    scheduler, dupefilter = _path(settings["SCHEDULER"]), _path(settings["DUPEFILTER_CLASS"])
    if scheduler.startswith("scrapy_redis.") and not dupefilter.startswith("scrapy_redis."):
        raise ConfigError(
            f'SCHEDULER is "{scheduler}", but DUPEFILTER_CLASS is "{dupefilter}", with which scrapy-redis cannot run on'
            ' this Scrapy. Set DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter", or remove SCHEDULER and let'
            " FOCUSCRAWL_FRONTIER_URL name the Redis."
        )
    stats = _path(settings["STATS_CLASS"])
    if stats.startswith("scrapy_redis."):
        raise ConfigError(
            f'STATS_CLASS is "{stats}", which cannot read back the start time this Scrapy writes, and ends the crawl.'
            " Remove STATS_CLASS; `focuscrawl fleet status --json` has the numbers of all workers."
        )


def _path(component: Any) -> str:
    return component if isinstance(component, str) else f"{component.__module__}.{component.__qualname__}"
