"""A run judged anew by a taught topic: verdicts, what was learned of them, links that wait; nothing is fetched.

Rows and learned state change in one transaction: whoever is killed meanwhile finds the run as it was.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.recent_links import RecentLinks
from focuscrawl.crawler.rescoring import rank_anew
from focuscrawl.crawler.step import PageStep
from focuscrawl.dedupe.exact import content_digest
from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.page_summary import summarise
from focuscrawl.page.blank import blank_page
from focuscrawl.ranking.base import BEHIND, Judged
from focuscrawl.ranking.plain_ranks import changed_offsets
from focuscrawl.records import Entry, Judgement, Outcome, PageEvent, PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.learned_state import write_state
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.reading import PageQuery, StoredEntry
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.storage.values import to_json
from focuscrawl.teaching.candidates import UntaughtScores, kept_text, untaught
from focuscrawl.topic.base import Verdict
from focuscrawl.topic.correction import Correction
from focuscrawl.topic.judge_taught import corrected
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.types import Explained, GroupKey, UrlKey

TAUGHT = "taught"
"""Kind of the event that is noted."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What became of a run."""

    judged: int = 0  # pages judged anew
    now_relevant: int = 0
    no_more_relevant: int = 0
    without_text: int = 0  # pages whose text was not kept: their verdicts stand
    relevant: int = 0  # pages after it
    rescored: int = 0  # links that wait and have another priority
    scores: Mapping[UrlKey, float] | None = None  # of links that wait, to be given to the frontier
    offsets: Mapping[GroupKey, float] | None = None


def rejudge(db: CrawlDb, spec: TopicSpec, correction: Correction) -> Rejudged:
    """Judge the pages of a run anew by a taught topic, and learn from the verdicts once more.

    Parameters
    ----------
    db
        The run, open for writing.
    spec
        The topic with its examples; without any, the verdicts are those of its own judge again.
    correction
        What they come to.

    Raises
    ------
    FrontierError
        If the file fails; the run is what it was.
    """
    settings = RunSettings.load(db)
    step = build_step(spec, choices=StepChoices(strategy=settings.strategy or None, seed=settings.seed))
    scores = UntaughtScores(spec, step.topic)
    label = f"{spec.name}@{spec.digest}"
    before: dict[UrlKey, Verdict] = {}
    judged = without_text = lost = 0
    found: list[UrlKey] = []
    keys = [record.key for record in db.pages(PageQuery(outcome=Outcome.DONE.value, with_text=False))]
    thresholds = _thresholds(db, step)
    with db.transaction() as connection:
        for record in _records(db, keys):
            if not kept_text(record):
                without_text += 1
                continue
            revised = _revised(record, scores, correction, threshold=thresholds[record.key], label=label)
            judged += 1
            if revised.relevant and not record.relevant:
                found.append(record.key)
            elif revised.relevant and record.content_digest and record.duplicate_of is None:
                step.texts.check(record.key, record.content_digest, partial(step.topic.tokens, record.text))
            lost += record.relevant and not revised.relevant
            if (revised.relevance, revised.relevant) != (record.relevance, record.relevant):
                before[record.key] = verdict_of(record)
            connection.execute(PAGES.update, [*PAGES.to_row(revised), to_signed(record.key)])
        for record in _records(db, found):
            connection.execute(PAGES.update, [*PAGES.to_row(_as_result(record, step)), to_signed(record.key)])
        fresh = step.ranker.snapshot()
        _relearn(db, step)
        learns = step.ranker.snapshot() != fresh
        if learns:
            write_state(connection, step.snapshot(), at=time.time())
        ((relevant,),) = db.select("SELECT count(*) FROM pages WHERE relevant")
        event = {
            "topic": label,
            "examples": len(spec.examples),
            "judged": judged,
            "now_relevant": len(found),
            "no_more_relevant": lost,
        }
        connection.execute(
            "INSERT INTO events (at, kind, data) VALUES (?, ?, ?)", (time.time(), TAUGHT, to_json(event))
        )
    queue = db.queue(limit=1 << 40)
    new_scores = dict(_new_scores(db, step, queue, before))
    # A strategy that does not learn from verdicts alone keeps what it learned of groups.
    offsets = {_group(one.entry): 0.0 for one in queue} | changed_offsets(step.ranker) if learns else {}
    changed = sum(
        new_scores.get(one.entry.key, one.entry.score) + offsets.get(_group(one.entry), one.offset) != one.priority
        for one in queue
    )
    return Rejudged(
        judged=judged,
        now_relevant=len(found),
        no_more_relevant=lost,
        without_text=without_text,
        relevant=relevant,
        rescored=changed,
        scores=new_scores,
        offsets=offsets,
    )


def _thresholds(db: CrawlDb, step: PageStep) -> dict[UrlKey, float]:
    """Return the threshold that each page met; the judge of `step` learns from the scores in the order of the fetches.

    That of a taught judge stands still, an adaptive one moves as it did in the crawl.
    """
    thresholds: dict[UrlKey, float] = {}
    for record in db.pages(PageQuery(outcome=Outcome.DONE.value, with_text=False)):
        page = blank_page(record.final_url, host=record.host)
        threshold = thresholds[record.key] = step.judge.judge_again(page).threshold
        score = untaught(record)
        judgement = Judgement(
            topic=step.topic.version, relevance=score.value, threshold=threshold, judged=dict(score.parts)
        )
        step.judge.learn(PageEvent(url=record.final_url, host=record.host, key=record.key, judgement=judgement))
    return thresholds


def _records(db: CrawlDb, keys: Iterable[UrlKey]) -> Iterator[PageRecord]:
    """Yield the rows of pages one by one: they are changed meanwhile."""
    for key in keys:
        record = db.page(key)
        if record is not None:
            yield record


def _revised(
    record: PageRecord, scores: UntaughtScores, correction: Correction, *, threshold: float, label: str
) -> PageRecord:
    """Return a row with the verdict of the taught judge; the text goes where such a verdict keeps it."""
    score = scores.of(record)
    score = corrected(score, correction, scores.traits(record, score.parts))
    relevant = score.value >= threshold
    text = kept_text(record)
    keep = relevant or (record.text != "" and not record.relevant)  # all texts are kept of this run
    return replace(
        record,
        relevance=score.value,
        threshold=threshold,
        relevant=relevant,
        topic=label,
        judged=dict(score.parts),
        text=text if keep else "",
        set_aside="" if keep else text,
    )


def _as_result(record: PageRecord, step: PageStep) -> PageRecord:
    """Return the row of a near miss as that of a result: keywords and summary, or the page it repeats."""
    digest = content_digest(record.text)
    duplicate_of = step.texts.check(record.key, digest, lambda: step.topic.tokens(record.text))
    if duplicate_of is not None:
        return replace(record, content_digest=digest, duplicate_of=duplicate_of)
    page = replace(blank_page(record.final_url), title=record.title, language=record.language)
    found = Extraction(record.extractor, record.text, record.title)
    summary = summarise(page, found, step.topic.tokenizer)
    return replace(record, content_digest=digest, keywords=summary.keywords, summary=summary.text)


def verdict_of(record: PageRecord) -> Verdict:
    """Return the verdict that stands in a row."""
    return Verdict(
        Explained(record.relevance, record.judged), record.threshold, record.relevant, record.topic.partition("@")[0]
    )


def _relearn(db: CrawlDb, step: PageStep) -> None:
    """Have a new strategy learn from the verdicts of a run in the order of the fetches, as a worker of a fleet does."""
    recent = RecentLinks()
    for record in db.pages(PageQuery(with_text=False)):
        if record.outcome != Outcome.DONE:
            step.ranker.missed(record.host, record.key)
            continue
        judged = _judged(db, record, recent.count_new(db.links_of(record.key)))
        step.ranker.observe_event(judged)
        step.calibration.learn(_event(record, judged, step.topic.version))


def _judged(db: CrawlDb, record: PageRecord, new_links: int) -> Judged:
    stored = db.entry(record.key)
    return Judged(
        blank_page(record.final_url, host=record.host),
        verdict_of(record),
        depth=record.depth,
        tunnel=record.tunnel,
        priority=record.score,
        group=record.group,
        inherited=stored.entry.origin.carried if stored is not None else {},
        key=record.key,
        parent=record.parent,
        anchor=record.anchor,
        new_links=new_links,
    )


def _event(record: PageRecord, judged: Judged, topic: str) -> PageEvent:
    judgement = Judgement(topic=topic, relevance=record.relevance, threshold=record.threshold, priority=record.priority)
    return PageEvent(
        url=record.final_url,
        host=record.host,
        key=record.key,
        relevant=judged.verdict.relevant,
        leads=judged.verdict.leads,
        judgement=judgement,
    )


def _group(entry: Entry) -> GroupKey:
    return entry.group or entry.host


def _new_scores(
    db: CrawlDb, step: PageStep, queue: Iterable[StoredEntry], before: Mapping[UrlKey, Verdict]
) -> Iterator[tuple[UrlKey, float]]:
    """Yield the new local scores of links that wait and were found on pages whose verdict is another now.

    The words around a link are not kept, so its score is moved by what the new verdict changes for one without them.
    """
    waiting = [stored.entry for stored in queue if stored.entry.origin.parent in before]
    waiting.sort(key=lambda entry: entry.origin.parent or 0)
    for parent, group in groupby(waiting, key=lambda entry: entry.origin.parent or 0):
        record = db.page(parent)
        if record is None:
            continue
        links = list(group)
        was, now = (rank_anew(step, links, verdict) for verdict in (before[parent], verdict_of(record)))
        for entry, old, new in zip(links, was, now, strict=True):
            moved_by = new.score.value - old.score.value
            low = -BEHIND if entry.score < 0.0 else 0.0
            score = min(low + 1.0, max(low, entry.score + moved_by))
            if score != entry.score:
                yield entry.key, score
