"""Plan of a crawl: arguments, topic file and an earlier run's choices put together."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from focuscrawl.config import PREFIX, FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.build import StepChoices, build_step, strategy_name
from focuscrawl.crawler.changed_settings import former_topics, is_there
from focuscrawl.crawler.feed_reader import FeedUse
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_options import StepOptions
from focuscrawl.errors import ConfigError, NotBegunError, TopicError
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run import RunFolder, holds_run
from focuscrawl.storage.run_settings import ARCHIVES, RunSettings
from focuscrawl.topic.examples import without_examples
from focuscrawl.topic.files import display, read_text
from focuscrawl.topic.lexicon import Lexicon, open_lexicon
from focuscrawl.topic.seeds import split_seeds
from focuscrawl.topic.spec import TopicSpec, dump_topic, load_topic

logger = logging.getLogger(__name__)

_OF_A_SESSION = frozenset({"topic", "run", "crawls", "lang"})  # settings that a run takes from itself, or not at all


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """A checked crawl: everything is decided and built, nothing is open."""

    arguments: CrawlArguments
    spec: TopicSpec
    seeds: tuple[str, ...]
    strategy: str
    pages: int  # 0: no limit
    minutes: float
    relevant: int
    folder: RunFolder
    source: str  # of the topic, for people
    settings: RunSettings
    step: PageStep
    feeds: FeedUse = FeedUse.NONE
    keeps_pages: bool = True  # False: pages are scored for a project's own spider, and only their records are kept
    lexicon: Lexicon | None = None  # for topics that name none


def make_plan(
    arguments: CrawlArguments,
    config: FocusConfig,
    *,
    own_spider: str = "",
    feeds: FeedUse = FeedUse.NONE,
    archives: Sequence[str] = (),
    now: datetime | None = None,
) -> CrawlPlan:
    """Decide on everything, and make the run folder as the last step.

    An existing run folder gives what is not asked for anew: topic, strategy and limits of the run that goes on. A
    project's own spider brings its own start requests, and ends when it does unless the topic file says otherwise; so
    do `archives`, files whose pages are judged while no link of them is followed.

    Parameters
    ----------
    own_spider
        Name of a project's own spider, '' for those of focuscrawl.

    Raises
    ------
    FocusCrawlError
        With a sentence for people: the topic is unknown or broken, there are no seeds, the run folder is none.
    """
    run = arguments.run or config.run
    earlier = _earlier(run)
    if earlier is not None:
        _check_kind(run, earlier, archives=bool(archives))
        _tell_settings_left(run, earlier, config)
        _tell_other_spider(earlier, own_spider)
    brings_pages = bool(own_spider or archives)
    spec, source = _topic(arguments, config, earlier)
    if earlier is not None and config.frontier != "redis":
        _tell_changed_topic(run, earlier, spec)
    before = earlier.arguments if earlier is not None else {}
    # Of a fleet others may have brought seeds, and some may come while it runs.
    needed = config.frontier != "redis"
    seeds = [] if brings_pages else _seeds(arguments, spec, source, before, needed=needed)
    budget = spec.budget
    default_pages = 0 if brings_pages and "pages" not in budget.model_fields_set else budget.pages
    pages = int(_first(arguments.pages, before.get("pages"), default_pages))
    if arguments.pages and earlier is not None and config.frontier != "redis":
        _check_budget(run, pages, _fetched(run))
    minutes = _first(arguments.minutes, before.get("minutes"), budget.minutes)
    relevant = int(_first(arguments.relevant, before.get("relevant"), budget.relevant))
    strategy = strategy_name(spec, arguments.strategy or (earlier.strategy if earlier is not None else "") or None)
    choices = _choices(config, strategy, follow_links=not archives)
    step = build_step(spec, choices=choices)
    folder = (
        RunFolder.open_or_create(Path(run))
        if run
        else RunFolder.create(Path(config.crawls), spec.name, now=now or datetime.now(UTC))
    )
    settings = RunSettings(
        topic=spec.name,
        title=spec.title,
        topic_file=spec.reference,
        topic_text=read_text(spec.path) if spec.path is not None else dump_topic(spec),
        topic_version=spec.digest,
        examples_file=earlier.examples_file if earlier is not None else "",
        former_topics=former_topics(earlier, spec.name) if earlier is not None else (),
        spider=own_spider or (earlier.spider if earlier is not None else ""),
        strategy=strategy,
        seed=config.seed,
        extractor=config.extractor,
        arguments={
            "topic": arguments.topic or str(before.get("topic", "")),
            "seeds": arguments.seeds or str(before.get("seeds", "")),
            "pages": pages,
            "minutes": minutes,
            "relevant": relevant,
            **({ARCHIVES: list(archives)} if archives else {}),
        },
    )
    return CrawlPlan(
        arguments,
        spec,
        tuple(seeds),
        strategy,
        pages,
        minutes,
        relevant,
        folder,
        source,
        settings,
        step,
        feeds,
        keeps_pages=not own_spider or config.mode == "full",
        lexicon=choices.lexicon,
    )


def _choices(config: FocusConfig, strategy: str, *, follow_links: bool) -> StepChoices:
    """Return what the settings say of the page step."""
    return StepChoices(
        strategy=strategy,
        extractor=config.extractor,
        seed=config.seed,
        pages_per_host=config.pages_per_host,
        pages_per_pattern=config.pages_per_pattern,
        options=StepOptions(
            max_links=config.max_links,
            keep_irrelevant=config.keep_irrelevant,
            keep_near_misses=config.keep_near_misses,
            obey_meta_robots=config.obey_meta_robots,
            follow_images=config.follow_images,
            ftp=config.ftp,
            markdown=config.markdown,
            follow_links=follow_links,
            pdf=config.pdf,
        ),
        lexicon=open_lexicon(config.lexicon) if config.lexicon else None,
    )


def _check_kind(run: str, earlier: RunSettings, *, archives: bool) -> None:
    """Raise ConfigError when a crawl is to go on with the run of a filter, or a filter with that of a crawl."""
    filtered = earlier.from_archives
    if archives and not filtered:
        raise ConfigError(f"{run}: this is the run of a crawl; name a new folder for pages of archives.")
    if filtered and not archives:
        raise ConfigError(
            f"{run}: this run has pages of archives and no links to fetch; go on with focuscrawl filter, or crawl in"
            " another folder."
        )


def _tell_settings_left(run: str, earlier: RunSettings, config: FocusConfig) -> None:
    """Warn when a run goes on without settings it had: it would refuse what it fetched before, or end its archive."""
    left = {}
    for name, field in FocusConfig.model_fields.items():
        setting, default = f"{PREFIX}{name.upper()}", field.get_default()
        before = earlier.overrides.get(setting, default)
        if name == "stores":
            given = set(config.stores) >= {store.strip() for store in str(before or "").split(",")} - {""}
        else:
            given = name in config.model_fields_set or name in _OF_A_SESSION
        if not given and before != default:
            left[setting] = int(before) if isinstance(before, bool) else before
    if left:
        logger.warning(
            "%(run)s: settings that this run had are not given now; to keep them, stop and go on with %(settings)s",
            {"run": run, "settings": " ".join(f"-s {shlex.quote(f'{key}={value}')}" for key, value in left.items())},
        )


def _tell_other_spider(earlier: RunSettings, spider: str) -> None:
    """Warn when a run goes on with another spider of the project: its links go to methods by the same names."""
    if spider and earlier.spider not in ("", spider):
        logger.warning(
            'the spider of this run is "%(before)s": links of it that wait go to methods of "%(spider)s" by the same'
            " names, and no page of it is fetched again. If that is not meant, name another run folder with"
            " FOCUSCRAWL_RUN",
            {"before": earlier.spider, "spider": spider},
        )


def _tell_changed_topic(run: str, earlier: RunSettings, spec: TopicSpec) -> None:
    """Say what becomes of a run when its topic file has changed since: its pages and links were judged by another."""
    before = without_examples(earlier.topic_version)
    if before and earlier.topic == spec.name and before != spec.untaught_digest:
        logger.warning(
            "the topic file has changed since this run was last at work: pages fetched before keep their verdicts, and"
            " links that wait their scores, until `focuscrawl topic teach %(run)s --questions 0` judges them by the"
            " file as it is now",
            {"run": shlex.quote(run)},
        )


def _earlier(run: str) -> RunSettings | None:
    if not run or not holds_run(Path(run)):
        return None
    folder = RunFolder.open(Path(run))
    if folder.db.stat().st_size == 0:
        return None  # killed before it began
    try:
        with CrawlDb.open_readonly(folder.db) as db:
            return RunSettings.load(db)
    except NotBegunError:
        return None


def _fetched(run: str) -> int:
    with CrawlDb.open_readonly(RunFolder.open(Path(run)).db) as db:
        return db.counts()["pages"]


def _check_budget(run: str, pages: int, fetched: int) -> None:
    """Raise ConfigError when a run that is to go on has no page left."""
    if pages <= fetched:
        raise ConfigError(
            f"{run}: pages = {pages:,} leaves nothing to fetch, the run has {fetched:,} pages already;"
            f" name what it shall have in all, as in --pages {fetched + pages} (scrapy: -a pages={fetched + pages})."
        )


def _topic(arguments: CrawlArguments, config: FocusConfig, earlier: RunSettings | None) -> tuple[TopicSpec, str]:
    wanted = arguments.topic or config.topic
    if not wanted and earlier is not None:
        wanted = earlier.topic_file
        if wanted and not is_there(wanted):
            raise TopicError(
                [
                    f"{wanted}: the topic file this run was started with is gone; put it back (its text is in the"
                    " settings of crawl.db), or name one: focuscrawl crawl TOPIC --run RUN (scrapy: -a topic=)."
                ]
            )
    if not wanted:
        raise ConfigError(
            "No topic: name one, as in focuscrawl crawl TOPIC (scrapy: -a topic=), or set FOCUSCRAWL_TOPIC."
            if earlier is not None or not arguments.run
            else f"{arguments.run}: there is no run here to go on with; to begin one, name a topic: focuscrawl"
            f" crawl TOPIC --run {shlex.quote(arguments.run)} (scrapy: -a topic=)."
        )
    spec = load_topic(wanted, allow_outside=config.allow_outside)
    if earlier is not None and earlier.examples_file and spec.reference == earlier.topic_file:
        spec = spec.taught_by(Path(earlier.examples_file))
    if earlier is not None and earlier.topic and spec.name not in (earlier.topic, *earlier.former_topics):
        raise ConfigError(
            f'{arguments.run or config.run}: this run is about "{earlier.topic}", not "{spec.name}";'
            " name another folder with --run (scrapy: -a run=)."
        )
    return spec, display(spec.path) if spec.path is not None else spec.name


def _seeds(
    arguments: CrawlArguments, spec: TopicSpec, source: str, before: Mapping[str, object], *, needed: bool
) -> list[str]:
    """Return the seeds; a run that goes on without new ones keeps to those it was started with."""
    if arguments.seeds:
        seeds = split_seeds(arguments.seeds)
    elif before.get("seeds"):
        # They are in its frontier: a list that has been moved since is not missed.
        with suppress(TopicError):
            return split_seeds(str(before["seeds"]))
        return []
    else:
        seeds = spec.seed_urls()
    if not seeds and not before and needed:
        where = arguments.seeds if arguments.seeds else f"topic {source}"
        raise ConfigError(
            f"No seeds: {where} names none; give URLs, separated by commas, or a file of them with --seeds (scrapy:"
            " -a seeds=), or find some: focuscrawl seeds find TOPIC."
        )
    return seeds


def _first(*values: object) -> float:
    """Return the first number; an argument of 0 is one, and means no limit."""
    for value in values:
        if isinstance(value, int | float):
            return value
    return 0


def scoring_step(config: FocusConfig) -> PageStep:
    """Return a page step that only scores: for a project whose requests stay with Scrapy's scheduler.

    Raises
    ------
    FocusCrawlError
        If there is no topic, or a part cannot be built.
    """
    spec, _ = _topic(CrawlArguments(), config, None)
    lexicon = open_lexicon(config.lexicon) if config.lexicon else None
    options = StepOptions(max_links=config.max_links)
    return build_step(spec, choices=StepChoices(seed=config.seed, options=options, lexicon=lexicon))
