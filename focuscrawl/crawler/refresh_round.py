"""A round of visits: which pages of a run are asked for again, when it is over, and what it has come to."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.endings import BUDGET, EXHAUSTED, Ending
from focuscrawl.crawler.page_history import RunFreshness, StoredPage, stored_pages
from focuscrawl.crawler.setting_values import as_bool, whole_number
from focuscrawl.errors import ConfigError, InputError
from focuscrawl.frontier.fleet import MOST_VISITS
from focuscrawl.frontier.redis_url import servers_of
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.recrawl.allocation import Allocation
from focuscrawl.recrawl.freshness import Order
from focuscrawl.recrawl.schedule import RefreshPlan, due_pages
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import to_unsigned
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.unsettled import earlier_worker
from focuscrawl.storage.visits import RECRAWL
from focuscrawl.topic.faults import did_you_mean
from focuscrawl.types import UrlKey
from focuscrawl.visits import VISIT_SCORE, Revisit, Saw
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import NO_VISITS, OF_VISITS

if TYPE_CHECKING:
    from focuscrawl.crawler.crawl import Crawl

logger = logging.getLogger(__name__)

E = TypeVar("E", bound=StrEnum)

_VALUED = ("pages", "new", "allocation", "order")


@dataclass(frozen=True, slots=True)
class RefreshOptions:
    """Arguments of ``scrapy crawl recrawl``, checked."""

    pages: int = 100  # fetches of the round
    new: float = 0.0  # share of them that goes to new links, in [0, 1)
    allocation: Allocation = Allocation.OPTIMAL
    order: Order = Order.FIXED
    period_s: float = 0.0  # time between rounds; 0: as long as the last visits are ago
    versions: bool = False
    off_topic: bool = False
    given_at: float = 0.0  # Unix time of the command; a round of a fleet that has ended since was meant by it, too

    @property
    def words(self) -> list[str]:
        """Options of ``focuscrawl recrawl`` that give these arguments; those that are the defaults are left out."""
        default = RefreshOptions()
        valued = [
            f"--{name} {getattr(self, name)}" for name in _VALUED if getattr(self, name) != getattr(default, name)
        ]
        switches = [word for word, wanted in (("--versions", self.versions), ("--all", self.off_topic)) if wanted]
        return [*valued, *switches]

    @property
    def visits(self) -> int:
        """Pages to be visited again."""
        return self.pages - self.links

    @property
    def links(self) -> int:
        """New links to be followed."""
        return int(self.pages * self.new + 1e-9)  # 0.29 is a little less in binary

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> RefreshOptions:
        """Return the options.

        Raises
        ------
        ConfigError
            With one sentence for each wrong value.
        """
        faults: list[str] = []

        def read(name: str, default: object, parse: Callable[[str, object], object]) -> object:
            value = given.get(name)
            if value in (None, ""):
                return default
            try:
                return parse(name, value)
            except ConfigError as error:
                faults.append(str(error))
                return default

        values = {
            "pages": read("pages", 100, lambda name, value: whole_number(name, value, at_least=1)),
            "new": read("new", 0.0, _share),
            "allocation": read("allocation", Allocation.OPTIMAL, lambda name, value: _choice(name, value, Allocation)),
            "order": read("order", Order.FIXED, lambda name, value: _choice(name, value, Order)),
            "period_s": read("period", 0.0, _seconds),
            "versions": read("versions", False, _switch),
            "off_topic": read("off_topic", False, _switch),
        }
        if faults:
            raise ConfigError("\n".join(faults))
        return cls(**values)  # type: ignore[arg-type]  # as `parse` of each name gives them


def check_frontier(folder: RunFolder, config: FocusConfig, options: RefreshOptions, *, location: str) -> None:
    """Refuse visits that the frontier cannot make, before the run has a mark of it.

    Parameters
    ----------
    location
        Of the frontier `redis`.

    Raises
    ------
    ConfigError
        If the frontier of these settings, or of this run, cannot have pages visited again.
    """
    of_fleet = False
    if folder.db.exists():
        with CrawlDb.open_readonly(folder.db) as db:
            of_fleet = earlier_worker(db) is not None
    if of_fleet and config.frontier != "redis":
        raise ConfigError(
            f"{folder.path}: the run of one worker of a fleet, whose pages are visited again by all its workers; name"
            " their Redis with -s FOCUSCRAWL_FRONTIER_URL=redis://…."
        )
    if of_fleet:
        _check_fleet(folder, options, location)
    elif config.frontier != "sqlite":
        raise ConfigError(
            f'{folder.path}: the pages of a run of one process are visited again with the frontier "sqlite", not'
            f' "{config.frontier}"; leave FOCUSCRAWL_FRONTIER and FOCUSCRAWL_FRONTIER_URL out.'
        )


def _check_fleet(folder: RunFolder, options: RefreshOptions, location: str) -> None:
    if len(servers_of(location)) > 1:
        raise InputError(
            f"{folder.path}: the run of a fleet with several Redis servers, whose pages are not visited again: a round"
            " is planned from all visits, and each server has those of its partitions. Crawl with one server for that."
        )
    if options.off_topic:
        raise ConfigError(
            f"{folder.path}: a fleet keeps the visits of relevant pages only; leave --all (-a off_topic=1) out."
        )
    if options.visits > MOST_VISITS:
        raise ConfigError(
            f"pages = {options.pages:,}: a round of a fleet has {MOST_VISITS:,} visits at most; name fewer pages, and"
            " begin rounds more often."
        )


class RefreshRound:
    """A round of visits in a crawl; `begin` before it starts, `finish` when its files are closed."""

    def __init__(self, options: RefreshOptions, *, seed: int, clock: Callable[[], float]) -> None:
        self.options = options
        self.wanted = 0  # visits of this round, those an earlier process has left among them
        self.before: RunFreshness | None = None
        self.after: RunFreshness | None = None
        self._plan = RefreshPlan(options.allocation, options.order, options.period_s, seed)
        self._clock = clock
        self.over = False  # all visits have been made

    async def begin(self, crawl: Crawl) -> None:
        """Queue the pages that are due, before all links; `check_frontier` has passed."""
        frontier = crawl.frontier
        assert isinstance(frontier, SqliteFrontier)
        left, visits = await frontier.call(self._choose)
        queued = await frontier.visit_again(visits)
        self.wanted = left + queued
        frontier.only_visits = True
        crawl.refresh = self
        crawl.limits.pages = crawl.limits.relevant = 0  # of the crawl before; a round has its own

    async def poll(self) -> None:
        """Look where the round stands, when others take part in it."""

    async def look_back(self) -> None:
        """Take note of what the round has come to, before the frontier is closed."""

    def is_over(self, visits: int) -> bool:
        """Tell whether all visits of the round have been made, once."""
        return not self.over and visits >= self.wanted

    def go_on(self, crawl: Crawl) -> None:
        """Follow new links when the round has a share for them, else end the crawl."""
        self.over = True
        if not self.options.links:
            crawl.stop(self._ending())
            return
        assert isinstance(crawl.frontier, SqliteFrontier)
        crawl.frontier.only_visits = False
        crawl.limits.pages = crawl.step.counters.pages + self.options.links
        crawl.push(())  # wakes the loop up

    def finish(self, db: CrawlDb, seen: Mapping[Saw, int], *, new_links: int) -> None:
        """Note what the round has come to."""
        self.after = RunFreshness.of(self._pages(db), now=self._clock())
        self._note(db, seen, new_links=new_links)

    # ---------------------------------------------------------------- private

    def _ending(self) -> Ending:
        say = Say("en")  # what is stored is English
        return (
            Ending(BUDGET, say(OF_VISITS, n=f"{self.wanted:,}")) if self.wanted else Ending(EXHAUSTED, say(NO_VISITS))
        )

    def _note(self, db: CrawlDb, seen: Mapping[Saw, int], *, new_links: int, **more: object) -> None:
        after = self.after or self.before or RunFreshness()
        before = self.before or after
        db.add_event(
            RECRAWL,
            {
                **{str(saw): seen.get(saw, 0) for saw in Saw if saw is not Saw.FIRST},
                "new_links": new_links,
                "allocation": str(self.options.allocation),
                "order": str(self.options.order),
                "pages": after.pages,
                "freshness_before": before.freshness,
                "freshness": after.freshness,
                "age_s_before": before.age_s,
                "age_s": after.age_s,
                **more,
            },
            at=self._clock(),
        )

    def _pages(self, db: CrawlDb) -> list[StoredPage]:
        return stored_pages(db, off_topic=self.options.off_topic, versions=self.options.versions)

    def _choose(self, db: CrawlDb) -> tuple[int, list[Revisit]]:
        """Return how many visits an earlier process has left, and those to add."""
        query = "SELECT count(*) FROM entries WHERE state IN (0, 1) AND score >= ?"
        ((left,),) = db.select(query, (VISIT_SCORE,))
        waiting = set(_waiting(db)) if left else set()
        chosen = self._due(self._pages(db), waiting, left=left)
        return left, [Revisit(page.history.key, score, page.earlier) for page, score in chosen]

    def _due(self, pages: Sequence[StoredPage], waiting: Set[UrlKey], *, left: int) -> list[tuple[StoredPage, float]]:
        """Return the pages to be visited beside `left` others, `waiting`, each with the score it is queued with."""
        now = self._clock()
        self.before = RunFreshness.of(pages, now=now)
        ahead = sum(page.history.visited_at > now for page in pages)
        if ahead:
            logger.warning(
                "%(n)d pages were visited later than it is now: the clock has gone back; they count as visited now",
                {"n": ahead},
            )
        there = {page.history.key: page for page in pages if not page.is_gone}
        histories = [page.history for page in there.values()]
        due = due_pages(histories, self.options.visits, now=now, plan=self._plan)
        # Those that wait already are among the most due: as many new ones as make the number full.
        chosen = [one for one in due if one.key not in waiting][: max(0, self.options.visits - left)]
        total = len(chosen)
        return [(there[page.key], VISIT_SCORE + total - i) for i, page in enumerate(chosen)]


def _waiting(db: CrawlDb) -> list[int]:
    query = "SELECT key FROM entries WHERE state IN (0, 1) AND score >= ?"
    return [to_unsigned(key) for (key,) in db.select(query, (VISIT_SCORE,))]


def _share(name: str, value: object) -> float:
    with suppress(ValueError):
        share = float(str(value))
        if 0.0 <= share < 1.0:
            return share
    raise ConfigError(f"-a {name}={value}: expected the share of new links, from 0 up to but not including 1.")


def _seconds(name: str, value: object) -> float:
    with suppress(ValueError):
        seconds = float(str(value))
        if math.isfinite(seconds) and seconds >= 0.0:
            return seconds
    raise ConfigError(f"-a {name}={value}: expected seconds, 0 or more.")


def _switch(name: str, value: object) -> bool:
    known = as_bool(value)
    if isinstance(known, bool):
        return known
    raise ConfigError(f"-a {name}={value}: expected 1 or 0.")


def _choice(name: str, value: object, known: type[E]) -> E:
    names = [str(one) for one in known]
    if str(value) not in names:
        hint = did_you_mean(str(value), names)
        raise ConfigError(f"-a {name}={value}: expected one of {', '.join(names)}.{hint}")
    return known(str(value))
