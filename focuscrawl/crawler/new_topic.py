"""Another topic for a running crawl: the page step keeps what it knows of the web, and learns the rest anew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.rescoring import rank_anew
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.page.model import PageAnalysis
from focuscrawl.ranking.base import BEHIND
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.examples import without_examples
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.types import UrlKey


class ChangedStep(PageStep):
    """The step after a change of topic: links found before it carry evidence of the old one, which is replaced.

    `mark` tells the links found since from those found before; it stands in their origin.
    """

    def carry_over(self, old: PageStep) -> None:
        """Know what `old` knows of pages fetched, whatever they are about."""
        self.counters = old.counters
        self.faults = old.faults
        self.texts = old.texts
        self.snapshot_pages = old.snapshot_pages
        self._fetched, self._gone, self.feeds = old._fetched, old._gone, old.feeds
        self._recent_links = old._recent_links  # else every known link would count as new once more
        if self.topic.tokenizer is old.topic.tokenizer:  # else blocks have other words now
            self.sites = old.sites

    def process_analysed(self, page: PageAnalysis, fetched: Fetched, lease: Lease) -> StepResult:
        """Return what an analysed page yields."""
        entry = lease.entry
        if entry.origin.parent is not None and entry.origin.topic != self.mark:
            (ranked,) = rank_anew(self, [entry])
            origin = replace(entry.origin, parts=ranked.score.parts, carried=ranked.inherit)
            entry = replace(entry, origin=origin)
        result = super().process_analysed(page, fetched, replace(lease, entry=entry))
        found = [replace(one, origin=replace(one.origin, topic=self.mark)) for one in result.settlement.found]
        return replace(result, settlement=replace(result.settlement, lease=lease, found=found))


def change_topic(old: PageStep, spec: TopicSpec, choices: StepChoices) -> ChangedStep:
    """Return a step for the topic `spec` that knows the pages and duplicates `old` knows.

    Judge, strategy and scope are those of the new topic; counters, budgets and bans go on. When only the examples are
    others, so do what the strategy has learned, the scores of links, and what is known of sites.

    Raises
    ------
    TopicError
        If a name in the topic file is not known, or its options are wrong.
    """
    same_words = has_same_words(old, spec)
    topic = fit_topic(spec, tokenizer=old.topic.tokenizer, lexicon=choices.lexicon) if same_words else None
    new = build_step(spec, topic, choices=choices)
    step = ChangedStep(
        new.topic,
        judge=new.judge,
        extractor=old.extractor,
        scorer=new.scorer,
        ranker=old.ranker if same_words else new.ranker,
        scope=new.scope,
        budgets=old.budgets,
        options=old.options,
    )
    if same_words:
        step.mark = old.mark
        step.calibration = old.calibration
    else:
        step.mark = spec.digest
    step.scope.ban(*old.scope.banned)
    step.carry_over(old)
    return step


def has_same_words(step: PageStep, spec: TopicSpec) -> bool:
    """Tell whether a topic is that of `step` but for its examples."""
    return without_examples(step.topic.version) == spec.untaught_digest


def scores_anew(step: PageStep, entries: Iterable[Entry]) -> dict[UrlKey, float]:
    """Return the local scores of queued links by the topic of `step`; seeds, which no page links to, keep theirs."""
    linked = [entry for entry in entries if entry.origin.parent is not None]
    linked.sort(key=lambda entry: entry.origin.parent_url)
    ranked = rank_anew(step, linked)
    # A link that waits behind all others goes on to.
    return {
        entry.key: one.score.value - (BEHIND if entry.score < 0.0 else 0.0)
        for entry, one in zip(linked, ranked, strict=True)
    }
