"""What teaching is worth: the labels of a recorded web answer the questions, some of them wrongly.

A topic is crawled as ever; then a lesson asks about the pages fetched, and the labels answer. Precision and recall of
the verdicts, before and after, are those on the fetched pages that were not asked about.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.cases import Case, Laboratory
from focuscrawl.lab.simulate.recorded import RecordedWeb
from focuscrawl.page.model import PageAnalysis
from focuscrawl.teaching.candidates import Candidate
from focuscrawl.teaching.lesson import Lesson
from focuscrawl.topic.base import PageJudge, TopicModel, Verdict
from focuscrawl.topic.correction import moved
from focuscrawl.topic.judge_base import DelegatingJudge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.traits import traits_of, words_of

NEAR_MISS = 0.5
"""As in a crawl, which keeps the texts of these pages."""


@dataclass(frozen=True, slots=True)
class LessonResult:
    """Figures of one lesson; precision and recall are in [0, 1], None where there is nothing to divide by."""

    web: str
    topic: str
    start: str
    pages: int  # fetched and not asked about
    relevant: int  # of these, by the labels
    yes: int  # answers
    no: int
    wrong: int  # of the answers
    precision_before: float | None
    recall_before: float | None
    precision: float | None
    recall: float | None

    def as_row(self) -> dict[str, Any]:
        """Return the figures as JSON-safe data."""
        return {name: round(v, 4) if isinstance(v, float) else v for name, v in asdict(self).items()}


class WatchedJudge(DelegatingJudge):
    """A judge that keeps what a lesson needs of the pages it judges."""

    def __init__(self, judge: PageJudge, topic: TopicModel) -> None:
        super().__init__(judge)
        self.seen: list[tuple[Candidate, Verdict]] = []
        self._topic = topic

    def judge(self, page: PageAnalysis) -> Verdict:
        """Return the judge's verdict."""
        verdict = self._judge.judge(page)
        score = verdict.score
        traits = traits_of(words_of(page, self._topic), self._topic, parts=score.parts)
        found = Candidate(page.url, page.host, page.title, "", score.value, verdict.threshold, traits)
        self.seen.append((found, verdict))
        return verdict


def hold_lesson(laboratory: Laboratory, case: Case, *, questions: int, wrong: float) -> LessonResult:
    """Crawl a case, teach its judge by `questions` answers of the labels, and measure it.

    Parameters
    ----------
    wrong
        Share of the answers that are wrong, in [0, 1]; which ones, the seed of the case decides.

    Raises
    ------
    ConfigError
        If the web is no recorded web: a finished run has no labels but its own verdicts.
    """
    web = laboratory.web(case.web)
    if not isinstance(web, RecordedWeb):
        raise ConfigError(f"{case.web}: --teach needs the labels of a recorded web; a run has its own verdicts only.")
    spec = web.spec(case.topic, case.start)
    topic = fit_topic(spec)
    watched: list[WatchedJudge] = []

    def watch(judge: PageJudge) -> PageJudge:
        watched.append(WatchedJudge(judge, topic))
        return watched[0]

    laboratory.crawl(case, watch=watch)
    grades = web.topic(case.topic).grades
    # The first pages of a host are judged twice, and the second verdict stands.
    seen = {found.url: (found, verdict) for found, verdict in watched[0].seen}
    wanted = {url: grades.get(web.files.identity(url) or url, 0) >= laboratory.settings.grade for url in seen}
    lesson = Lesson(spec, topic, [found for found, verdict in seen.values() if _kept(verdict)])
    lies = set(random.Random(case.seed).sample(range(questions), round(wrong * questions)))  # noqa: S311 - not secret
    asked: list[str] = []
    told_wrong = 0
    while len(asked) < questions and (page := lesson.next()) is not None:
        lie = len(asked) in lies
        told_wrong += lie
        lesson.answer(page, wanted[page.url] != lie)
        asked.append(page.url)
    others = [pair for url, pair in seen.items() if url not in set(asked)]
    truth = [wanted[found.url] for found, _ in others]
    before = _quality([verdict.relevant for _, verdict in others], truth)
    correction = lesson.correction
    after = _quality(
        [moved(found.score, correction.shift(found.traits)) >= lesson.threshold for found, _ in others], truth
    )
    yes, no = lesson.labels
    return LessonResult(web.name, case.topic, case.start, len(others), sum(truth), yes, no, told_wrong, *before, *after)


def hold_lessons(
    laboratory: Laboratory,
    cases: Sequence[Case],
    *,
    questions: int,
    wrong: float,
    on_result: Callable[[LessonResult], None] | None = None,
) -> list[LessonResult]:
    """Hold a lesson for each case."""
    results = []
    for case in cases:
        results.append(hold_lesson(laboratory, case, questions=questions, wrong=wrong))
        if on_result is not None:
            on_result(results[-1])
    return results


def lesson_rows(results: Sequence[LessonResult]) -> tuple[list[str], list[list[str]]]:
    """Return the head and rows of a table, with the means over webs and over all."""
    head = ["web topic start", "pages", "yes/no", "wrong", "P before", "R before", "P", "R"]
    rows = [
        [f"{r.web} {r.topic} {r.start}", str(r.pages), f"{r.yes}/{r.no}", str(r.wrong), *map(_shown, _figures(r))]
        for r in results
    ]
    webs = list(dict.fromkeys(result.web for result in results))
    groups = [(f"mean of {web}", [r for r in results if r.web == web]) for web in webs if len(webs) > 1]
    for label, group in [*groups, (f"mean of {len(results)}", list(results))]:
        columns = zip(*map(_figures, group), strict=True)
        rows.append([label, "", "", "", *(_shown(_mean(column)) for column in columns)])
    return head, rows


def _kept(verdict: Verdict) -> bool:
    return verdict.relevant or verdict.score.value >= NEAR_MISS * verdict.threshold


def _figures(result: LessonResult) -> tuple[float | None, ...]:
    return result.precision_before, result.recall_before, result.precision, result.recall


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _quality(accepted: Sequence[bool], truth: Sequence[bool]) -> tuple[float | None, float | None]:
    """Return precision and recall."""
    right = sum(a and t for a, t in zip(accepted, truth, strict=True))
    return (right / sum(accepted) if any(accepted) else None), (right / sum(truth) if any(truth) else None)
