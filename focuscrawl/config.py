"""Every ``FOCUSCRAWL_…`` setting, declared once: name, type, default, meaning.

The fields of `FocusConfig` are the settings' names in lower case without the prefix. Scrapy's own settings keep their
meaning and are not repeated here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from focuscrawl import plugins
from focuscrawl.crawler.build import DEFAULT_EXTRACTOR, DEFAULT_PAGES_PER_HOST, DEFAULT_PAGES_PER_PATTERN
from focuscrawl.crawler.setting_values import Names, Port, Private, Switch, sentence_of
from focuscrawl.errors import ConfigError
from focuscrawl.frontier.dispatch import BEST_FIRST, Policy
from focuscrawl.frontier.redis_url import is_redis, unknown_scheme
from focuscrawl.storage.opensearch import OPENSEARCH
from focuscrawl.storage.page_index import parse_index
from focuscrawl.storage.postgres_url import POSTGRES, parse_place
from focuscrawl.topic.faults import did_you_mean
from focuscrawl.topic.files import from_project
from focuscrawl.wording.base import Choice

PREFIX = "FOCUSCRAWL_"
_FILES = ("browser", "lexicon", "logins")  # fields that name a file to be read; `find_topic` looks for the topic


class FocusConfig(BaseModel):
    """The settings of a crawl, checked."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    topic: str = Field("", description="Topic file, or the name of one, for a project's own spiders.")
    mode: Literal["score", "frontier", "full"] = Field(
        "frontier",
        description="How much of focuscrawl a project's own spiders use ([in your own Scrapy"
        " project](scrapy.md#how-much-of-it)): scores only (`score`), the frontier too, or everything (`full`).",
    )
    run: str = Field("", description="Run folder; an existing one is resumed. Empty: `<crawls>/<topic>/<UTC time>`.")
    crawls: str = Field("crawls", description="Folder that run folders are made in.")
    seed: int = Field(0, description="Seed of all random choices; the same seed and the same answers, the same crawl.")

    frontier: str = Field(
        "sqlite",
        description="Frontier by name: `sqlite`, `memory`, `redis`, or that of a plug-in. A URL of Redis in"
        " `FOCUSCRAWL_FRONTIER_URL` stands for `redis`.",
    )
    frontier_url: str = Field(
        "",
        description="Where the frontier is kept. Empty: `crawl.db` of the run folder. With `redis://host:6379/0`"
        " (`rediss://` for TLS, `unix://` for a socket, `valkey://`, `redis+sentinel://one,two/mymaster/0`) this"
        " process is one worker of a fleet; several URLs with commas between them spread its crawl over several"
        " servers.",
    )
    crawl: str = Field(
        "", description="Name of a fleet's crawl: workers with the same one share it. Empty: the topic's name."
    )
    dispatch: Policy = Field(
        BEST_FIRST,
        description="Which worker of a fleet gets a new host. `best-first`: whoever asks gets the best ready host. The"
        " others ([the frontier](frontier.md#redis-several-workers): `round-robin`, `weighted`, `random`,"
        " `least-loaded`, `pick-2`) give each host an owner; a worker without ready hosts of its own takes another's.",
    )
    frontier_buffer: int = Field(
        0,
        ge=0,
        description="Leases held ready beside the requests under way: what may be fetched out of order. "
        "0: a quarter of CONCURRENT_REQUESTS, 2 at least.",
    )
    lease_s: float = Field(300.0, ge=1.0, description="Seconds a URL is leased for; a lease in use is renewed at half.")
    max_attempts: int = Field(
        3,
        ge=1,
        description="Failed fetches after which a URL counts as failed, 15 at most with Redis."
        " A fetch whose worker dies is none.",
    )

    extractor: str = Field(DEFAULT_EXTRACTOR, description="Extractor of the main text, by name.")
    stores: Names = Field(
        ("jsonl",),
        description="Where results go beside `crawl.db`, by name: `jsonl`, `warc`, `postgres`, `opensearch`.",
    )
    postgres_url: str = Field(
        "",
        description="Server of the store `postgres`: `postgresql://user@host:5432/database`. A password is better kept"
        " in `~/.pgpass` or `PGPASSWORD`; it is never logged or saved with a run.",
    )
    opensearch_url: str = Field(
        "",
        description="Index of the [store `opensearch`](storage.md#opensearch-and-elasticsearch):"
        " `opensearch+https://host:9200/index`. User and password are read from the environment.",
    )
    warc_max_bytes: int = Field(
        1_000_000_000, ge=1, description="Bytes after which the store `warc` begins another file."
    )
    warc_requests: Switch = Field(
        False, description="Archive requests beside the answers, without cookies and passwords, in the store `warc`."
    )
    operator: str = Field("", description="Who crawls, as the head of WARC files says: `Name <mail@example.org>`.")
    keep_irrelevant: Switch = Field(False, description="Keep the text of pages that are not relevant, too.")
    markdown: Switch = Field(
        False,
        description="Keep the main content of results as Markdown, too: headings, lists, tables, links and code.",
    )
    keep_near_misses: Switch = Field(
        True,
        description="Keep the text of pages that just missed the threshold in `crawl.db`, so that"
        " `focuscrawl topic teach` can ask about them and judge them anew.",
    )
    report: Switch = Field(True, description="Write `report.html` at the end.")

    max_links: int = Field(500, ge=1, description="Links kept of a page.")
    max_body_bytes: int = Field(
        16 * 1024 * 1024,
        ge=1024,
        description="Bytes a page may have when decompressed. On the wire it may have DOWNLOAD_MAXSIZE.",
    )
    pages_per_host: int = Field(
        DEFAULT_PAGES_PER_HOST,
        ge=0,
        description="Pages of a registered domain fetched without a find; each find buys 50 more. Then its links wait "
        "behind all others, and after four times as many pages they are dropped. 0: no limit.",
    )
    pages_per_pattern: int = Field(
        DEFAULT_PAGES_PER_PATTERN,
        ge=0,
        description="The same for URLs that differ in numbers and query values only. 0: no limit.",
    )
    follow_images: Switch = Field(False, description="Treat the source of an image as a link.")
    pdf: Switch = Field(
        False,
        description="Read PDFs as pages ([the web as it is](web.md#pdfs)): text, title and links, judged and stored;"
        " needs the extra `pdf`.",
    )
    pdf_pages: int = Field(50, ge=1, description="Pages that are read of a PDF.")
    render: Literal["never", "auto", "always"] = Field(
        "never",
        description="Have a browser run the scripts of pages"
        " ([the web as it is](web.md#pages-that-need-javascript)): of none, of those whose text needs them (`auto`), or"
        " of all (`always`); needs the extra `render` and a Chromium.",
    )
    render_pages: int = Field(2, ge=1, description="Pages that a browser has open at once.")
    render_s: float = Field(30.0, gt=0.0, description="Seconds a page may take in the browser.")
    render_per_host: int = Field(200, ge=0, description="Pages of a registered domain that are rendered. 0: no limit.")
    browser: str = Field(
        "",
        description="The Chromium that renders pages, a path or a name. Empty: the first of `chromium`,"
        " `chromium-browser`, `google-chrome`, `google-chrome-stable` that is found.",
    )
    ftp: Switch = Field(
        False,
        description="Fetch directories and texts that links name by ftp://, as anonymous and in passive mode.",
    )
    sitemaps: Switch = Field(
        False,
        description="Read the sitemaps that a robots.txt names: of the first 50,000 addresses of a host the best 1,000"
        " by their words are queued, newer ones first among equals.",
    )
    feed_entries: int = Field(
        3,
        ge=1,
        le=50,
        description="Pages of a feed's entries that a template is learned from: all of them vote where the text is.",
    )
    collect_feeds: Switch = Field(
        False,
        description="[Collect feeds](feeds.md#collecting-feeds): all feeds that pages on the topic announce are read,"
        " judged by their entries, and stored when they are on the topic.",
    )
    watch_feeds: Switch = Field(
        True,
        description="Ask the feeds that a crawl has read again while it runs"
        " ([feeds that are watched](feeds.md#feeds-that-are-watched)), at intervals between 10 minutes and 60 days that"
        " follow how often they change; no limit of pages counts that.",
    )
    obey_meta_robots: Switch = Field(
        True,
        description="Obey `noindex` and `nofollow` of a page's robots meta tag and `X-Robots-Tag` header."
        " `rel=nofollow` of a single link changes nothing: it withholds a recommendation, and does not ask that the"
        " page be left alone.",
    )
    min_harvest: float = Field(
        0.0, ge=0.0, le=1.0, description="Stop when fewer of the last 100 pages are relevant. 0: never."
    )

    allow_private: Private = Field(
        False,
        description="Let the crawl reach addresses that are not public: True for all, or a list of host names, "
        "addresses and networks (`10.0.0.0/8`).",
    )
    allow_outside: Switch = Field(
        False, description="Let a topic file name samples and seed lists outside its folder and the `seeds` beside it."
    )
    lexicon: str = Field(
        "",
        description="Lexicon that widens the topic's words for links, where the topic file names none: a file in the "
        "format of Cilin, or `wordnet`.",
    )
    host_backoff_s: float = Field(
        2.0,
        ge=0.0,
        description="Seconds a host is left alone after the second error or silence in a row; doubled each time.",
    )
    logins: str = Field(
        "",
        description="File of users, passwords and proxies by site (TOML), which nobody but its owner can read. "
        "Empty: none.",
    )
    max_crawl_delay_s: float = Field(
        300.0,
        ge=0.0,
        description="Longest Crawl-delay of a robots.txt that is obeyed; a longer one counts as this one.",
    )
    max_hold_s: float = Field(
        3600.0, ge=0.0, description="Longest time a host is left alone, whatever its Retry-After says."
    )
    extract_processes: int = Field(
        0,
        ge=0,
        le=64,
        description="Processes beside the crawl's own that analyse pages and extract their main content, for machines "
        "with cores to spare and a network faster than one of them. 0: none.",
    )
    max_page_cpu_s: float = Field(
        10.0,
        ge=0.0,
        description="Seconds of processor time a page may take to be read, judged and extracted; one that takes longer "
        "is given up as too slow to read. 0: no limit.",
    )
    patience_s: float = Field(
        300.0,
        ge=0.0,
        description="Longest wait when all links left are of hosts on hold, or sitemaps alone may bring more; the crawl"
        " ends then, and can be resumed.",
    )
    wait_per_page_s: float = Field(
        1.0,
        ge=0.0,
        description="Seconds a page, in the mean, that a crawl waits at most for better links whose hosts may not be "
        "asked yet, instead of fetching worse ones that are ready; the first 1,800 pages count, and half of the time "
        "is there from the start. 0: never. The workers of a fleet have that time together; one over several servers "
        "does not wait.",
    )
    name_lookups: int = Field(
        8,
        ge=0,
        description="Host names looked up at once, beside the downloads; each look-up may take DNS_TIMEOUT. "
        "0: the downloader looks names up itself, each look-up holds one of its places, and once a page was fetched a "
        "resolver that is out of order is not told from names that do not exist.",
    )
    robots_retry_s: float = Field(
        20.0,
        ge=0.0,
        description="Seconds until a robots.txt that could not be read is asked for again; tripled each time. "
        "After the third time the host's URLs are refused.",
    )
    lang: Choice = Field(
        "auto",
        description="Language of summary, progress line and report: `en`, `zh` (简体中文), or `auto`, that of the"
        " locale (`LC_ALL`, `LC_MESSAGES`, `LANG`). Log lines, errors and stored data are English.",
    )
    dashboard: Port = Field(
        0,
        ge=0,
        le=65535,
        description="Show the crawl in the browser while it runs ([dashboard](dashboard.md)): 1 on port 8710, or any"
        " free one where that is taken, another number on that port of loopback. 0: no.",
    )
    metrics_port: int = Field(
        0,
        ge=0,
        le=65535,
        description="Port on which Prometheus finds [numbers of this process](dashboard.md#metrics); needs the extra"
        " `metrics`. 0: none.",
    )
    metrics_address: str = Field(
        "127.0.0.1", description="Address `FOCUSCRAWL_METRICS_PORT` is opened on; anybody who reaches it can read it."
    )
    progress_s: float = Field(
        30.0, gt=0.0, description="Seconds between lines of progress when the output is not a terminal."
    )

    @model_validator(mode="before")
    @classmethod
    def _redis_by_url(cls, values: Any) -> Any:
        """Take the frontier from the scheme of its URL, where none is named."""
        if isinstance(values, dict) and "frontier" not in values and is_redis(values.get("frontier_url")):
            return {**values, "frontier": "redis"}
        return values

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> FocusConfig:
        """Return the configuration in a mapping of settings; others than ``FOCUSCRAWL_…`` are not looked at.

        Raises
        ------
        ConfigError
            With one sentence for each fault: unknown names (with the nearest known one), wrong values.
        """
        given = {name: settings[name] for name in _names(settings) if name.startswith(PREFIX)}
        known = setting_names()
        faults = [
            f"{name}: there is no such setting.{did_you_mean(name, known)}"
            for name in sorted(given)
            if name not in known
        ]
        values = {
            # As a project's settings.py may say where a file is
            name.removeprefix(PREFIX).lower(): str(value) if isinstance(value, PurePath) else value
            for name, value in given.items()
            if value is not None and name.removeprefix(PREFIX).lower() in cls.model_fields
        }
        config = None
        try:
            config = cls.model_validate(values)
        except ValidationError as error:
            faults += [sentence_of(setting_name(str(fault["loc"][0])), fault) for fault in error.errors()]
        if config is not None:
            faults += _plugin_faults(config)
        if faults or config is None:
            raise ConfigError("\n".join(faults))
        files = {field: str(from_project(name)) for field in _FILES if (name := getattr(config, field))}
        return config.model_copy(update=files)

    def buffer_size(self, concurrent_requests: int) -> int:
        """Return how many leases are held ready beside `concurrent_requests` under way."""
        return self.frontier_buffer or max(2, concurrent_requests // 4)


def setting_name(field: str) -> str:
    """Return the setting of a field.

    >>> setting_name("lease_s")
    'FOCUSCRAWL_LEASE_S'
    """
    return PREFIX + field.upper()


def setting_names() -> list[str]:
    """Return the names of all settings."""
    return [setting_name(field) for field in FocusConfig.model_fields]


def unread_variables(given: Collection[str], environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable of the environment that is named as a setting, and is none.

    Parameters
    ----------
    given
        Names of the settings that are set, those that a ``settings.py`` takes from the environment among them.
    """
    return [
        f"{name} is in the environment, and is not read from there: give it with -s {name}=…, or in a settings.py."
        for name in setting_names()
        if name in environment and name not in given
    ]


def _names(settings: Mapping[str, Any]) -> Iterable[str]:
    keys: Callable[[], Iterable[str]] = settings.keys
    return [name for name in keys() if isinstance(name, str)]


def _plugin_faults(config: FocusConfig) -> list[str]:
    faults = []
    if is_redis(config.frontier_url):
        if config.frontier in ("sqlite", "memory"):
            faults.append(
                f'FOCUSCRAWL_FRONTIER = "{config.frontier}", but FOCUSCRAWL_FRONTIER_URL is one of Redis.'
                " Remove one of the two."
            )
    elif config.frontier_url and config.frontier in ("sqlite", "memory", "redis"):
        # A plug-in may be anywhere. Our own would crawl alone here, each worker of what was to be a fleet.
        faults.append(unknown_scheme(setting_name("frontier_url"), config.frontier_url))
    if OPENSEARCH in config.stores or config.opensearch_url:
        try:
            parse_index(config.opensearch_url)
        except ConfigError as error:
            faults.append(f"{setting_name('opensearch_url')}: {error}")
    if POSTGRES in config.stores:
        try:
            parse_place(config.postgres_url)
        except ConfigError as error:
            faults.append(f"{setting_name('postgres_url')}: {error}")
    chosen = [("frontier", "frontiers", config.frontier), ("extractor", "extractors", config.extractor)]
    chosen += [("stores", "stores", name) for name in config.stores]
    for field, kind, name in chosen:
        known = plugins.names(kind)
        if name not in known:
            hint = did_you_mean(name, known)
            faults.append(
                f'{setting_name(field)} = "{name}": unknown {kind[:-1]}; known: {", ".join(known) or "none"}.{hint}'
            )
    return faults
