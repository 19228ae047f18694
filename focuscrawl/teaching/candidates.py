"""Pages of a run that may be asked about: those whose text was kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from focuscrawl.page.urls import normalize_url, url_key
from focuscrawl.records import Outcome, PageRecord
from focuscrawl.storage.reading import PageQuery, RunReader
from focuscrawl.text.vectors import Vector
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.topic.correction import log_odds
from focuscrawl.topic.examples import TEXT_CHARS, Example, without_examples
from focuscrawl.topic.judge_taught import text_page, uncorrected
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.traits import traits_of, words_of_text
from focuscrawl.types import Explained, HostKey

MOST = 2_000
"""Pages that are compared before each question, those nearest the threshold: a tenth of a second."""
MOST_OF_HOST = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be asked about."""

    url: str
    host: HostKey
    title: str
    text: str
    score: float  # by the judge that knows no examples
    threshold: float  # of the verdict that stands
    traits: Vector

    def example(self, relevant: bool, *, version: str, by: str = "", reason: str = "") -> Example:
        """Return the example that an answer makes of the page; `version` is that of the topic without examples."""
        return Example(
            url=self.url,
            relevant=relevant,
            title=self.title,
            text=self.text[:TEXT_CHARS],
            score=self.score,
            version=version,
            by=by,
            reason=reason,
        )


class UntaughtScores:
    """Scores of stored pages without examples.

    A score by the topic as its author wrote it stands in the row. Where the topic has changed since, its judge judges
    the text that was kept.
    """

    def __init__(self, spec: TopicSpec, topic: TopicModel) -> None:
        self.topic = topic
        self.version = spec.untaught_digest
        self._judge: PageJudge = make_judge(topic, spec.taught(()))

    def of(self, record: PageRecord) -> Explained:
        """Return the score of a page whose text was kept."""
        if without_examples(record.topic.partition("@")[2]) == self.version:
            return untaught(record)
        return self._judge.judge(text_page(record.final_url, record.title, kept_text(record), self.topic)).score

    def traits(self, record: PageRecord, parts: Mapping[str, float]) -> Vector:
        """Return the traits of a page by its kept text."""
        words = words_of_text(record.final_url, record.title, kept_text(record), self.topic)
        return traits_of(words, self.topic, parts=parts)


def untaught(record: PageRecord) -> Explained:
    """Return the score of a row as it was without examples."""
    return uncorrected(Explained(record.relevance, record.judged))


def kept_text(record: PageRecord) -> str:
    """Return the text of a result or of a near miss; '' where none was kept."""
    return record.text or record.set_aside


def candidate(record: PageRecord, scores: UntaughtScores) -> Candidate:
    """Return the page of a row whose text was kept."""
    score = scores.of(record)
    traits = scores.traits(record, score.parts)
    return Candidate(
        record.final_url, record.host, record.title, kept_text(record), score.value, record.threshold, traits
    )


def known_pages(reader: RunReader, scores: UntaughtScores, urls: Iterable[str]) -> dict[str, Candidate]:
    """Return those of `urls` that were fetched and whose text was kept, as they were written."""
    out = {}
    for url in urls:
        normal = normalize_url(url, url)
        record = reader.page(url_key(normal)) if normal is not None else None
        if record is not None and kept_text(record):
            out[url] = candidate(record, scores)
    return out


def candidates(reader: RunReader, scores: UntaughtScores) -> list[Candidate]:
    """Return the pages of a run that may be asked about, at most 2,000, those nearest the threshold."""
    hosts: Counter[HostKey] = Counter()
    nearest = nsmallest(MOST * 4, _distances(reader), key=lambda pair: pair[0])
    out: list[Candidate] = []
    for _, key in nearest:
        record = reader.page(key)
        if record is None or not kept_text(record) or hosts[record.host] >= MOST_OF_HOST:
            continue
        hosts[record.host] += 1
        out.append(candidate(record, scores))
        if len(out) >= MOST:
            break
    return out


def _distances(reader: RunReader) -> Iterator[tuple[float, int]]:
    """Yield how far each page is from its threshold, and its key; pages that repeat others are left out."""
    for record in reader.pages(PageQuery(outcome=Outcome.DONE.value, with_text=False)):
        if record.duplicate_of is None and record.relevance > 0.0:
            yield abs(log_odds(record.relevance) - log_odds(record.threshold)), record.key
