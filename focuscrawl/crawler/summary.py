"""The line that shows where a crawl is, and the summary at its end."""

from __future__ import annotations

import math
import shlex

from focuscrawl.crawler.counters import WINDOW, Progress
from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.page_rate import PageRate
from focuscrawl.crawler.visit_summary import visit_facts, visit_line
from focuscrawl.report.sentences import corpus_warnings, few_found_advice
from focuscrawl.report.times import when
from focuscrawl.wording import summary as wording
from focuscrawl.wording.base import Say, speaker
from focuscrawl.wording.columns import fitted
from focuscrawl.wording.endings import REASONS, counted_reasons, detail_of

_RATE_S = 10.0  # the pages per second are those of so many last seconds
_NAME_COLUMNS = 11  # of the names in the summary


class ProgressLine:
    """The line of progress, which remembers what it said to tell the pages a second."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl
        self._rate, self._rate_of_all = PageRate(_RATE_S), PageRate(_RATE_S)  # that of a fleet from its first totals on
        self._rate.at(crawl.clock(), crawl.step.counters.pages)

    def __call__(self) -> str:
        """Return the line as of now."""
        line, since = self._line(), self.crawl.orders.paused_since
        return line if since is None else speaker(self.crawl.config.lang)(wording.PAUSED, at=when(since), line=line)

    @property
    def budget(self) -> tuple[int, int]:
        """What is done of the budget, and the budget, 0 for none: visits of a round, else pages of all workers."""
        crawl = self.crawl
        if crawl.refresh is not None and not crawl.refresh.over:
            return crawl.revisits.seen.total(), crawl.refresh.wanted
        return crawl.limits.fetched, crawl.limits.pages

    def _line(self) -> str:
        crawl = self.crawl
        if crawl.refresh is not None and not crawl.refresh.over:
            return visit_line(crawl.refresh, crawl.revisits, speaker(crawl.config.lang))
        progress, pages, queued = crawl.step.counters.progress(), crawl.limits.pages, crawl.loop.queued
        now = crawl.clock()
        speed = self._rate.at(now, progress.pages)
        left = self._left(now, speed)
        say = speaker(crawl.config.lang)
        goal = say(wording.GOAL, n=pages) if pages else ""
        if not progress.pages:
            return say(wording.NO_PAGES, goal=goal, queued=queued)
        return say(
            wording.PROGRESS,
            pages=progress.pages,
            goal=goal,
            relevant=progress.relevant,
            stored=progress.stored,
            window=min(progress.pages, WINDOW),
            recent=progress.harvest_recent,
            speed=speed,
            queued=queued,
            waiting=left + _waiting(crawl, now, say),
        )

    def _left(self, now: float, speed: float) -> str:
        """Return how long the rest of the budget takes at this speed, of a fleet at that of all; '' if unknown."""
        limits = self.crawl.limits
        if self.crawl.fleet is not None:
            if limits.totals is None:  # what all have fetched would else count as fetched since the last line
                return ""
            speed = self._rate_of_all.at(now, limits.fetched)
        return _time_left(limits.pages - limits.fetched, speed, speaker(self.crawl.config.lang))


def _time_left(pages: int, speed: float, say: Say) -> str:
    """Return how long so many pages take at this speed, '' where nobody can tell."""
    if pages <= 0 or speed <= 0.0:
        return ""
    minutes, seconds = divmod(round(pages / speed), 60)
    return say(wording.LEFT, time=f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes else f"0:{seconds:02}")


def summary(crawl: Crawl, say: Say, *, go_on: tuple[str, str]) -> str:
    """Return what is said at the end: pages, relevant, harvest rate, hosts, why it stopped, where the results are.

    Parameters
    ----------
    go_on
        Command that goes on with a crawl, before and after the run folder.
    """
    assert crawl.ending is not None
    progress: Progress = crawl.step.counters.progress()
    ending, folder = crawl.ending, crawl.output.folder
    why = say.known(REASONS, ending.reason)
    facts = [
        (
            wording.FETCHED,
            _pages_of_hosts(progress.pages, progress.hosts, say)
            + (say(wording.NO_PAGE, n=progress.failed) if progress.failed else "")
            + (say(wording.UNASKED, n=progress.unasked) if progress.unasked else ""),
        ),
        (wording.RELEVANT, _pages_of_hosts(progress.relevant, progress.relevant_hosts, say)),
        (
            wording.STORED,
            say(wording.PAGES, n=progress.stored)
            + (
                say(wording.NOT_STORED, reasons=counted_reasons(progress.not_stored, say))
                if progress.not_stored
                else ""
            ),
        ),
        (wording.HARVEST, _harvest(progress, say)),
        (wording.QUEUE, say(wording.LINKS, n=crawl.loop.queued)),
        (wording.STOPPED, say(wording.WHY, reason=why, detail=detail_of(ending.detail, say)) if ending.detail else why),
        (wording.RESULTS, say(wording.WHERE, folder=folder.path, files=", ".join(_results(crawl)))),
    ]
    if crawl.refresh is not None:
        facts[:0] = visit_facts(crawl.refresh, crawl.revisits, say)
    warnings = corpus_warnings(progress.words, progress.stored, say)
    facts += [(wording.WARNING, warning) for warning in warnings]
    if crawl.refresh is None:
        topic, run = crawl.plan.source, str(folder.path)
        advice = few_found_advice(progress.pages, progress.relevant, topic=topic, run=run, say=say)
        facts += [(wording.ADVICE, advice)] if advice else []
    lines = [fitted(say(name), _NAME_COLUMNS) + told for name, told in facts]
    if (ending.links_left or ending.reason in ("stopped", "error")) and folder.db.is_file():
        lines.append(say(wording.GO_ON, command=resuming_command(crawl, go_on)))
    return "\n".join(lines)


def resuming_command(crawl: Crawl, go_on: tuple[str, str]) -> str:
    """Return the command that goes on with a crawl; `go_on` is what stands before and after its run folder."""
    before, after = go_on
    return f"{before}{shlex.quote(str(crawl.output.folder.path))}{after}"


def _waiting(crawl: Crawl, now: float, say: Say) -> str:
    hosts, until = crawl.loop.waits_for, crawl.loop.waits_until
    if crawl.fleet is not None and crawl.fleet.waits_for is not None:  # the totals of a fleet do not have it
        hosts, until = crawl.fleet.waits_for.hosts, crawl.fleet.waits_for.until
    if not hosts or until <= now:  # as of the last look; by now the wait is over
        return ""
    return say(wording.WAITING, n=hosts, seconds=math.ceil(until - now))


def _pages_of_hosts(pages: int, hosts: int, say: Say) -> str:
    return say(wording.OF_HOSTS, pages=say(wording.PAGES, n=pages), n=hosts)


def _harvest(progress: Progress, say: Say) -> str:
    if not progress.pages:
        return say(wording.NO_HARVEST)
    window = min(progress.pages, WINDOW)
    return say(wording.HARVEST_RATE, harvest=progress.harvest, recent=progress.harvest_recent, window=window)


def _results(crawl: Crawl) -> list[str]:
    folder = crawl.output.folder
    names = [path.name for path in (folder.db, folder.pages_jsonl) if path.is_file()]
    return names + ([folder.report.name] if crawl.output.report_written else [])
