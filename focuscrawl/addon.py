"""`FocusCrawlAddon`: turns a Scrapy project into a focused crawler.

    ADDONS = {"focuscrawl.addon.FocusCrawlAddon": 500}
    FOCUSCRAWL_TOPIC = "topics/chess.toml"

Everything is set at add-on priority, below the project's own settings: each can be overridden there.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

# First, for both walk through the stack and all modules loaded: later they take an eighth of the time of the start.
from scrapy.core.downloader import tls as _tls  # noqa: F401  # isort: skip
from scrapy.core.downloader import contextfactory as _contextfactory  # noqa: F401  # isort: skip
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name
from scrapy.utils.reactor import is_asyncio_reactor_installed, is_reactor_installed

from focuscrawl.config import FocusConfig, setting_name
from focuscrawl.crawler.addresses import AddressPolicy
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.browser import find_browser
from focuscrawl.crawler.failed_start import log_failed_start
from focuscrawl.crawler.logins import Logins
from focuscrawl.crawler.redirects import MAX_HOPS
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.glue import compat
from focuscrawl.glue.address_guard import AddressGuardMiddleware, ConnectionGuardMiddleware
from focuscrawl.glue.dashboard import DashboardExtension
from focuscrawl.glue.documents import PdfMiddleware
from focuscrawl.glue.download import BoundedDownloadHandler
from focuscrawl.glue.early_log import early_log
from focuscrawl.glue.fleet import check_combination, hide_secrets
from focuscrawl.glue.focused_output import FocusedOutputMiddleware
from focuscrawl.glue.limits import CompressionMiddleware, ContentTypeGate
from focuscrawl.glue.logins import LoginMiddleware
from focuscrawl.glue.metrics import MetricsExtension
from focuscrawl.glue.names import NameLookupMiddleware
from focuscrawl.glue.progress import ProgressExtension
from focuscrawl.glue.redirects import CheckedRedirectMiddleware, CheckedRefreshMiddleware
from focuscrawl.glue.rendering import RenderMiddleware
from focuscrawl.glue.robots import RobotsMiddleware
from focuscrawl.glue.run_log import RunLogExtension
from focuscrawl.glue.scheduler import FocusScheduler
from focuscrawl.glue.spidermw import LinkRankMiddleware
from focuscrawl.page.pdf import check_pdf_extra

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
_ROBOTS = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
_COMPRESSION = "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"
_REDIRECTS = "scrapy.downloadermiddlewares.redirect.RedirectMiddleware"
_REFRESHES = "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware"
# Both give code execution inside the process to whoever holds a local credential.
_CONSOLES = ("TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED")
_REMOTE_CONTROL = "scrapy.extensions.remote_control.RemoteControl"
# Scrapy fetches them as it does http: a file of this machine, a bucket.
_OTHER_SCHEMES = ("file", "ftp", "s3")
# What the frontier stands in the place of -> how it does that.
_REPLACED = {
    "AUTOTHROTTLE_ENABLED": "hosts that answer badly are left alone by themselves; DOWNLOAD_DELAY and robots.txt hold",
    "DEPTH_PRIORITY": "links are ordered by the topic; DEPTH_LIMIT holds",
    "DUPEFILTER_CLASS": "a URL is fetched once by its normal form, in all runs of the folder",
    "REQUEST_FINGERPRINTER_CLASS": "links are told apart by the normal form of their URL, and only requests that stay"
    " in the process, and a cache of answers, by their fingerprints; dont_filter=True asks again",
    "SCHEDULER_DISK_QUEUE": "the queue is in the run folder",
    "SCHEDULER_MEMORY_QUEUE": "the queue is in the run folder",
    "SCHEDULER_PRIORITY_QUEUE": "links are ordered by the topic",
    "SCHEDULER_START_DISK_QUEUE": "start requests come first",
    "SCHEDULER_START_MEMORY_QUEUE": "start requests come first",
}
_AUTOTHROTTLE = "scrapy.extensions.throttle.AutoThrottle"
_PRIORITY = "addon"
# Fields of the configuration that mode score makes use of.
_FOR_SCORES = frozenset(
    {
        *("topic", "mode", "seed", "lexicon", "max_links", "max_body_bytes", "max_page_cpu_s"),
        *("allow_private", "allow_outside", "logins"),
    }
)


# Fields that are about the text of pages, which mode frontier does not keep.
_FOR_TEXTS = frozenset({"keep_irrelevant", "keep_near_misses", "markdown", "warc_max_bytes", "warc_requests"})
# Arguments of the focused spider that a project's own spiders keep to themselves.
_NOT_READ = frozenset(CrawlArguments.__slots__) - {"run"}


class FocusCrawlAddon:
    """See the module's docstring, and ``docs/scrapy.md`` for the three modes."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FocusCrawlAddon:
        """Build the add-on."""
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Set what the chosen mode needs; why that cannot be done is in the log, too.

        Raises
        ------
        ConfigError
            If a ``FOCUSCRAWL_…`` setting is wrong, or the project's settings exclude each other.
        PdfError, BrowserError
            If PDFs are to be read or pages to be rendered, and what that needs is not installed.
        """
        if compat.begins_no_crawl(self.crawler):
            hide_secrets(settings)
            return
        try:
            self._update(settings)
        except FocusCrawlError as error:
            log_failed_start(error)
            raise

    def _update(self, settings: BaseSettings) -> None:
        config = FocusConfig.from_settings(settings)
        own = isinstance(getattr(self.crawler.spider, "arguments", None), CrawlArguments)
        _check(settings, config, own=own)
        _set_safe(settings)
        _set_downloads(settings, config, own=own)
        scores = config.mode == "score" and not own
        # What goes to the frontier passes no middleware behind: ours comes last. In mode score others read the score.
        output = FocusedOutputMiddleware if own else LinkRankMiddleware
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", output, 500 if scores else 10)
        if scores:
            # Scrapy's default queue takes the least busy host first and follows priorities only within it.
            settings.set("SCHEDULER_PRIORITY_QUEUE", "scrapy.pqueues.ScrapyPriorityQueue", _PRIORITY)
            _say_not_read(self.crawler.spider)
            _say_without_effect(config)
            return
        early_log(self.crawler)
        if not own:
            _say_not_read(self.crawler.spider)
        if not own and config.mode == "frontier":
            _say_without_texts(config)
        _check_scheduler(settings, own=own)
        _say_replaced(settings)
        _set_frontier(settings, config, own=own)


def _check(settings: BaseSettings, config: FocusConfig, *, own: bool) -> None:
    """Raise for settings that exclude each other, and for what they need and is not there."""
    if not own and not config.topic:
        raise ConfigError(
            "FOCUSCRAWL_TOPIC is not set: name the topic file of this project's spiders, or take"
            " focuscrawl.addon.FocusCrawlAddon out of ADDONS."
        )
    check_combination(settings)
    if not settings.getbool("TWISTED_REACTOR_ENABLED") and not AddressPolicy(config.allow_private).allow_all:
        raise ConfigError(
            "TWISTED_REACTOR_ENABLED is False, so names that resolve to private addresses cannot be told apart;"
            " leave it True, or set FOCUSCRAWL_ALLOW_PRIVATE = True."
        )
    if config.logins:
        Logins.load(Path(config.logins))  # its faults are those of a setting
    if config.pdf:
        check_pdf_extra("FOCUSCRAWL_PDF")
    if config.render != "never":
        find_browser(config.browser)


def _set_downloads(settings: BaseSettings, config: FocusConfig, *, own: bool) -> None:
    """Set the components that keep downloads safe, in every mode."""
    for scheme in _OTHER_SCHEMES if not own else (*_OTHER_SCHEMES, "data"):
        # The base: a project that names a handler of its own has it loaded.
        handler = "focuscrawl.glue.ftp.FtpDownloadHandler" if scheme == "ftp" and config.ftp else None
        settings["DOWNLOAD_HANDLERS_BASE"].set(scheme, handler, _PRIORITY)
    hide_secrets(settings)
    if settings.getbool("TWISTED_REACTOR_ENABLED"):
        # The base: a project that names handlers of its own keeps them.
        for scheme in ("http", "https"):
            settings["DOWNLOAD_HANDLERS_BASE"].set(scheme, BoundedDownloadHandler, _PRIORITY)
    settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", AddressGuardMiddleware, 90)
    # Before the proxies, which take the password of a proxy out of its URL.
    settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", LoginMiddleware, 740)
    settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", ConnectionGuardMiddleware, 760)
    _replace(settings, _COMPRESSION, CompressionMiddleware, 590)
    _replace(settings, _REFRESHES, CheckedRefreshMiddleware, 580)
    _replace(settings, _REDIRECTS, CheckedRedirectMiddleware, 600)


def _set_frontier(settings: BaseSettings, config: FocusConfig, *, own: bool) -> None:
    """Set the components of a crawl whose requests come from the frontier."""
    settings.set("SCHEDULER", FocusScheduler, _PRIORITY)
    _replace(settings, _ROBOTS, RobotsMiddleware, 100)
    # What redirects and decompression have left.
    settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", PdfMiddleware, 540)
    settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", RenderMiddleware, 535)
    # Behind the proxies, and behind a cache: what comes from there needs no name.
    settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", NameLookupMiddleware, 950)
    if own:
        # A subclass with settings of its own has lost those of the spider.
        settings.set("HTTPERROR_ALLOW_ALL", True, _PRIORITY)
        # Of other spiders, each callback knows what it asks for.
        settings.setdefault_in_component_priority_dict("EXTENSIONS", ContentTypeGate, 0)
    exporters = {"xml": "focuscrawl.glue.xml_items.XmlExporter", **settings.getdict("FEED_EXPORTERS")}
    settings.set("FEED_EXPORTERS", exporters, settings.getpriority("FEED_EXPORTERS") or _PRIORITY)
    for extension in (ProgressExtension, DashboardExtension, MetricsExtension, RunLogExtension):
        settings.setdefault_in_component_priority_dict("EXTENSIONS", extension, 0)
    if config.frontier == "redis":
        from focuscrawl.glue.scrapy_redis import RedisSeeds, SeenBefore  # need the redis package

        settings.setdefault_in_component_priority_dict("EXTENSIONS", RedisSeeds, 0)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", SeenBefore, 95)
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


def _say_replaced(settings: BaseSettings) -> None:
    """Log in one line which of the project's settings the frontier replaces; AutoThrottle would delay its leases."""
    given = [name for name in _REPLACED if _is_given(settings, name)]
    if settings.getbool("AUTOTHROTTLE_ENABLED"):
        settings["EXTENSIONS_BASE"].delete(_AUTOTHROTTLE, _PRIORITY)
    if given:
        why = "; ".join(f"{name} ({_REPLACED[name]})" for name in given)
        logger.info("Settings that FOCUSCRAWL_MODE replaces, which have no effect: %(why)s.", {"why": why})


def _say_without_effect(config: FocusConfig) -> None:
    """Log in one line which of focuscrawl's settings need the frontier, which mode score is without."""
    idle = [setting_name(name) for name in _given(config) if name not in _FOR_SCORES]
    if idle:
        logger.info(
            'Settings that have no effect in FOCUSCRAWL_MODE = "score", which has no frontier, run folder or page of'
            " metrics: %(names)s. Its figures are in Scrapy's stats, as focuscrawl/….",
            {"names": ", ".join(idle)},
        )


def _say_without_texts(config: FocusConfig) -> None:
    """Log in one line which of focuscrawl's settings need the text of pages, which mode frontier does not keep."""
    idle = [setting_name(name) for name in _given(config) if name in _FOR_TEXTS]
    if "warc" in config.stores:
        idle.append(f"{setting_name('stores')} (warc)")
    if idle:
        logger.info(
            'Settings that have no effect in FOCUSCRAWL_MODE = "frontier", which keeps no text of pages:'
            ' %(names)s. FOCUSCRAWL_MODE = "full" keeps it.',
            {"names": ", ".join(idle)},
        )


def _say_not_read(spider: object) -> None:
    """Log in one line which arguments of a project's own spider it may take for those of the focused spider."""
    own: dict[str, object] = getattr(spider, "__dict__", {})  # a crawler made for a test has no spider yet
    given = {name: value for name, value in own.items() if isinstance(value, str) and name in _NOT_READ}
    if given:
        logger.info(
            "Arguments that are the spider's own, which the crawl does not read: %(names)s. Its topic is"
            " FOCUSCRAWL_TOPIC; its limits are those of [budget] there, and Scrapy's CLOSESPIDER_PAGECOUNT and"
            " CLOSESPIDER_TIMEOUT.",
            {"names": ", ".join(f"{name}={value}" for name, value in given.items())},
        )


def _given(config: FocusConfig) -> list[str]:
    default = FocusConfig()
    return [name for name in FocusConfig.model_fields if getattr(config, name) != getattr(default, name)]


def _is_given(settings: BaseSettings, name: str) -> bool:
    above = (settings.getpriority(name) or 0) > SETTINGS_PRIORITIES[_PRIORITY]
    return above and settings.get(name) not in (None, False, 0, "0", "False", "")


def _set_safe(settings: BaseSettings) -> None:
    defaults: dict[str, Any] = {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 1.0,
        "DOWNLOAD_TIMEOUT": 30,
        "DOWNLOAD_MAXSIZE": 4 * 1024 * 1024,
        "DOWNLOAD_WARNSIZE": 0,
        "REDIRECT_MAX_TIMES": MAX_HOPS,
        **dict.fromkeys(_CONSOLES, False),
    }
    for name, value in defaults.items():
        settings.set(name, value, _PRIORITY)
    if not settings.getbool("REMOTE_CONTROL_ENABLED"):
        # Scrapy would import it, and all of aiohttp with it, to find that it is off: 0.3 s and 11 MB.
        settings["EXTENSIONS_BASE"].delete(_REMOTE_CONTROL, _PRIORITY)


def _check_scheduler(settings: BaseSettings, *, own: bool) -> None:
    """Raise for a project whose settings and the frontier exclude each other."""
    who = "the focused spider" if own else "FOCUSCRAWL_MODE"
    way_out = "." if own else ', or set FOCUSCRAWL_MODE = "score".'
    scheduler = settings["SCHEDULER"]
    chosen = (settings.getpriority("SCHEDULER") or 0) > SETTINGS_PRIORITIES[_PRIORITY]
    if chosen and FocusScheduler not in load_object(scheduler).__mro__:
        path = scheduler if isinstance(scheduler, str) else global_object_name(scheduler)
        raise ConfigError(
            f"SCHEDULER is {path!r}, but {who} needs focuscrawl's own. Remove SCHEDULER from the settings{way_out}"
        )
    if settings.get("JOBDIR"):
        raise ConfigError(
            f"JOBDIR is set, but {who} keeps the state of the crawl in its run folder."
            f" Remove JOBDIR, and resume with -a run= or FOCUSCRAWL_RUN{way_out}"
        )
    reactor = settings["TWISTED_REACTOR"]
    if settings.getbool("TWISTED_REACTOR_ENABLED") and not _is_of_asyncio(reactor):
        raise ConfigError(
            f"TWISTED_REACTOR is {reactor!r}, but the frontier needs asyncio. Remove TWISTED_REACTOR from the settings:"
            f" the default is {_REACTOR!r}."
        )


def _is_of_asyncio(reactor: object) -> bool:
    """Tell whether TWISTED_REACTOR stands for asyncio's; None is the installed one, or else Twisted's default."""
    if reactor is None:
        return is_reactor_installed() and is_asyncio_reactor_installed()
    return reactor == _REACTOR
