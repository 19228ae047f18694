"""Checks of a fleet's settings: secrets stay out of the log, parts of scrapy-redis that end a crawl are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import ConfigError
from focuscrawl.storage.run import without_secrets

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_SECRETS = ("FOCUSCRAWL_FRONTIER_URL", "FOCUSCRAWL_POSTGRES_URL", "REDIS_URL", "REDIS_PARAMS")


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
