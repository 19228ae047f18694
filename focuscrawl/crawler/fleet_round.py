"""A round of visits of a fleet: planned by one worker from the visits of all, made by all, over for all at once."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from focuscrawl.crawler.page_history import RunFreshness, StoredPage, visited_pages
from focuscrawl.crawler.refresh_round import RefreshOptions, RefreshRound
from focuscrawl.errors import InputError

if TYPE_CHECKING:
    from focuscrawl.crawler.crawl import Crawl
    from focuscrawl.frontier.fleet import FleetFrontier
    from focuscrawl.frontier.redis_rounds import RedisRounds, RoundState
    from focuscrawl.frontier.redis_visits import VisitedPage
    from focuscrawl.records import Entry
    from focuscrawl.storage.crawldb import CrawlDb
    from focuscrawl.types import UrlKey
    from focuscrawl.visits import Saw

logger = logging.getLogger(__name__)

_KEPT_S = 3600.0  # what a round has come to, for workers that end later


class FleetRound(RefreshRound):
    """A round that a fleet makes together.

    Whoever comes first begins it, and its options hold; who comes while it runs takes part. A worker whose command was
    given before it ended, or in the same period of rounds that are repeated, has nothing left to do.
    """

    def __init__(self, options: RefreshOptions, *, seed: int, clock: Callable[[], float]) -> None:
        super().__init__(options, seed=seed, clock=clock)
        self.number = 0
        self._fleet: FleetFrontier | None = None
        self._late = False  # the round was over when this worker came
        self._state: RoundState | None = None

    async def begin(self, crawl: Crawl) -> None:
        """Begin the round, or take part in the one that runs."""
        fleet = self._fleet = crawl.fleet
        assert fleet is not None
        state = await self._rounds.state()
        begun = self._is_due(state) and await self._begin(state.number)
        state = self._state = await self._rounds.state(worker=fleet.worker)
        self.number, self.wanted = state.number, state.wanted
        self._late = not begun and not state.runs
        if self._late:
            logger.info("round %(number)d, which this command was for, is over", {"number": self.number})
        elif not begun:
            logger.info("takes part in round %(number)d, with its options", {"number": self.number})
        self.before = RunFreshness(**state.facts["before"])
        fleet.only_visits = True
        crawl.refresh = self
        # Of the crawl before; a round has its own.
        crawl.limits.pages = crawl.limits.relevant = fleet.page_limit = 0
        crawl.limits.min_harvest = 0.0

    async def poll(self) -> None:
        """Look where the round stands; about once a second, and this worker is known to take part."""
        assert self._fleet is not None
        if not self.over:
            self._state = await self._rounds.state(worker=self._fleet.worker)

    def is_over(self, visits: int) -> bool:
        """Tell whether all visits of the round have been made, by whomever, once."""
        del visits
        return not self.over and (self._is_past or not self._now.runs)

    def go_on(self, crawl: Crawl) -> None:
        """Follow new links up to the limit that all workers have, else end the crawl."""
        self.over = True
        if self._is_past or not self._now.links:
            crawl.stop(self._ending(), told=True)
            return
        assert self._fleet is not None
        self._fleet.only_visits = False
        crawl.limits.pages = self._fleet.page_limit = self._now.limit
        crawl.push(())  # wakes the loop up

    async def look_back(self) -> None:
        """Take note of what the round has come to; one worker works it out for all."""
        assert self._fleet is not None
        if self.over and not self._is_past:
            name = f"round {self.number}"
            line = await self._fleet.cached(name, lambda _: True, self._conclude, keep_s=_KEPT_S)
            self.after = RunFreshness(**json.loads(line))
        await self._rounds.leave(self._fleet.worker)

    def finish(self, db: CrawlDb, seen: Mapping[Saw, int], *, new_links: int) -> None:
        """Note what this worker's part of the round has come to."""
        if not self._late:
            self._note(db, seen, new_links=new_links, round=self.number)

    # ---------------------------------------------------------------- private

    @property
    def _rounds(self) -> RedisRounds:
        rounds = self._fleet.rounds if self._fleet is not None else None
        if rounds is None:
            raise InputError("The frontier of this fleet keeps no visits: its pages are not visited again.")
        return rounds

    @property
    def _now(self) -> RoundState:
        assert self._state is not None
        return self._state

    @property
    def _is_past(self) -> bool:
        return self._now.number != self.number

    def _is_due(self, state: RoundState) -> bool:
        if state.runs:
            return not state.workers  # what they have left is part of the next round
        if not state.number:
            return True
        given_at = state.now - (self._clock() - self.options.given_at)
        return state.ended < given_at and state.now - state.begun >= self.options.period_s / 2.0

    async def _begin(self, last: int) -> bool:
        """Begin the next round; False where another worker was faster."""
        pages = {page.key: page async for page in self._rounds.pages()}
        left = await self._rounds.left()
        if not pages:
            logger.warning(
                "no page is known that can be visited again: a fleet notes relevant pages when they are settled, which"
                " workers of earlier versions did not"
            )
        visits = await asyncio.get_running_loop().run_in_executor(None, self._planned, pages, left)
        options, before = self.options, self.before
        facts = {
            "allocation": str(options.allocation),
            "order": str(options.order),
            "before": asdict(before or RunFreshness()),
        }
        assert self._fleet is not None
        begun = await self._rounds.begin(last, visits, worker=self._fleet.worker, links=options.links, facts=facts)
        if begun:
            number, n = last + 1, len(visits) + len(left)
            logger.info("begins round %(number)d of %(n)d visits", {"number": number, "n": n})
        return begun

    def _planned(self, pages: Mapping[UrlKey, VisitedPage], left: Set[UrlKey]) -> list[Entry]:
        chosen = self._due(self._stored(list(pages.values())), left, left=len(left))
        return [_visit(pages[page.history.key].entry, page, score) for page, score in chosen]

    def _stored(self, pages: Sequence[VisitedPage]) -> list[StoredPage]:
        visits = [visit for page in pages for visit in page.visits]
        return visited_pages(pages, visits, versions=self.options.versions)

    async def _conclude(self, _: bytes | None) -> bytes:
        pages = {page.key: page async for page in self._rounds.pages()}

        def work_out() -> RunFreshness:
            return RunFreshness.of(self._stored(list(pages.values())), now=self._clock())

        after = asdict(await asyncio.get_running_loop().run_in_executor(None, work_out))
        await self._rounds.conclude(self.number, after)
        return json.dumps(after).encode()


def _visit(entry: Entry, page: StoredPage, score: float) -> Entry:
    return replace(entry, score=score, origin=replace(entry.origin, earlier=page.earlier))
