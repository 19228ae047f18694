"""`FocusCrawlAddon`: turns a Scrapy project into a focused crawler.

    ADDONS = {"focuscrawl.addon.FocusCrawlAddon": 500}
    FOCUSCRAWL_TOPIC = "topics/chess.toml"

Everything is set at add-on priority, below the project's own settings: each can be overridden there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focuscrawl.config import FocusConfig
from focuscrawl.errors import ConfigError
from focuscrawl.glue.address_guard import AddressGuardMiddleware
from focuscrawl.glue.arguments import CrawlArguments
from focuscrawl.glue.limits import CompressionMiddleware, ContentTypeGate
from focuscrawl.glue.progress import ProgressExtension
from focuscrawl.glue.robots import RobotsMiddleware
from focuscrawl.glue.run_log import RunLogExtension
from focuscrawl.glue.scheduler import FocusScheduler
from focuscrawl.glue.spidermw import LinkRankMiddleware

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

_SCHEDULER = "scrapy.core.scheduler.Scheduler"
_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
_ROBOTS = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
_COMPRESSION = "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"
# Both give code execution inside the process to whoever holds a local credential.
_CONSOLES = ("TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED")
_PRIORITY = "addon"


class FocusCrawlAddon:
    """See the module's docstring, and ``docs/scrapy.md`` for the three modes."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FocusCrawlAddon:
        """Build the add-on."""
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Set what the chosen mode needs.

        Raises
        ------
        ConfigError
            If a ``FOCUSCRAWL_…`` setting is wrong, or the project's settings exclude each other.
        """
        config = FocusConfig.from_settings(settings)
        own = isinstance(getattr(self.crawler.spider, "arguments", None), CrawlArguments)
        if not own and not config.topic:
            raise ConfigError(
                "FOCUSCRAWL_TOPIC is not set: name the topic file of this project's spiders, or take"
                " focuscrawl.addon.FocusCrawlAddon out of ADDONS."
            )
        _set_safe(settings)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", AddressGuardMiddleware, 760)
        _replace(settings, _COMPRESSION, CompressionMiddleware, 590)
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", LinkRankMiddleware, 500)
        if config.mode == "score" and not own:
            # Scrapy's default queue takes the least busy host first and follows priorities only within it.
            settings.set("SCHEDULER_PRIORITY_QUEUE", "scrapy.pqueues.ScrapyPriorityQueue", _PRIORITY)
            return
        _check_scheduler(settings, own=own)
        settings.set("SCHEDULER", FocusScheduler, _PRIORITY)
        _replace(settings, _ROBOTS, RobotsMiddleware, 100)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", ContentTypeGate, 0)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", ProgressExtension, 0)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", RunLogExtension, 0)
        # The delay is the frontier's to keep, exactly; a random one on top would only fill the downloader's queues.
        settings.set("DOWNLOAD_DELAY_JITTER", 0.0, _PRIORITY)


def _replace(settings: BaseSettings, old: str, new: type, place: int) -> None:
    """Put a downloader middleware in the place of Scrapy's own; a project that moved or disabled it is followed."""
    name = "DOWNLOADER_MIDDLEWARES"
    given = {component if isinstance(component, str) else "": at for component, at in settings[name].items()}
    if old in given:
        if given[old] is None:
            return
        place = given[old]
    settings.set_in_component_priority_dict(name, old, None)  # type: ignore[arg-type]
    settings.setdefault_in_component_priority_dict(name, new, place)


def _set_safe(settings: BaseSettings) -> None:
    defaults: dict[str, Any] = {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 1.0,
        "DOWNLOAD_TIMEOUT": 30,
        "DOWNLOAD_MAXSIZE": 4 * 1024 * 1024,
        "DOWNLOAD_WARNSIZE": 0,
        "REDIRECT_MAX_TIMES": 5,
        "COOKIES_ENABLED": False,
        **dict.fromkeys(_CONSOLES, False),
    }
    for name, value in defaults.items():
        settings.set(name, value, _PRIORITY)


def _check_scheduler(settings: BaseSettings, *, own: bool) -> None:
    """Raise for a project whose settings and the frontier exclude each other."""
    mode = "FOCUSCRAWL_MODE" if not own else "the spider"
    scheduler = settings["SCHEDULER"]
    path = scheduler if isinstance(scheduler, str) else f"{scheduler.__module__}.{scheduler.__qualname__}"
    if path != _SCHEDULER and scheduler is not FocusScheduler and not _is_ours(scheduler):
        wants = 'needs FocusScheduler. Remove SCHEDULER from the project settings, or set FOCUSCRAWL_MODE = "score".'
        raise ConfigError(f"SCHEDULER is {path!r}, but {mode} {wants}")
    if not settings.getbool("TWISTED_REACTOR_ENABLED"):
        return
    reactor = settings["TWISTED_REACTOR"]
    if reactor not in (None, _REACTOR):
        raise ConfigError(
            f"TWISTED_REACTOR is {reactor!r}, but the frontier needs asyncio."
            f' Remove it from the project settings (the default is "{_REACTOR}").'
        )
    if settings.get("JOBDIR"):
        raise ConfigError(
            "JOBDIR is set, but the frontier keeps the crawl's state itself."
            ' Remove JOBDIR and resume with FOCUSCRAWL_RUN or -a run=, or set FOCUSCRAWL_MODE = "score".'
        )


def _is_ours(scheduler: object) -> bool:
    from scrapy.utils.misc import load_object

    loaded = load_object(scheduler) if isinstance(scheduler, str) else scheduler
    return isinstance(loaded, type) and issubclass(loaded, FocusScheduler)
