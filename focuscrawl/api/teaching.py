"""Teaching of a run's judge from Python: the answers are given, nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from focuscrawl.api.runs import CrawlRun
from focuscrawl.errors import ConfigError
from focuscrawl.teaching.labels import answer_of
from focuscrawl.teaching.run import open_taught


@dataclass(frozen=True, slots=True)
class Taught:
    """What answers have changed."""

    judged: int  # pages judged anew
    now_relevant: int
    no_more_relevant: int
    rescored: int  # waiting links with another score
    examples: int  # that the topic has now
    examples_file: Path
    unknown: tuple[str, ...]  # URLs that the run does not have, or of which it kept no text
    running: bool  # a crawl is at work, and judges by the answers from now on; the numbers are 0 then


def teach(run: str | Path | CrawlRun, labels: Mapping[str, object], *, topic: str | Path = "") -> Taught:
    """Teach the topic of a run by labelled pages, and judge the run anew; nothing is fetched.

    Parameters
    ----------
    run
        Run folder, the name of a topic (its newest run), "latest", or what `crawl` returned.
    labels
        URL of a page of the run -> whether it is on the topic: True or False, numpy's too, or a word that a file of
        labels may have, as "yes". Without any, the examples there are count; where there are none any more, the run
        is judged as it was without.
    topic
        Topic file to teach, where it is not the one the run was started with.

    Raises
    ------
    FocusCrawlError
        If `labels` is no mapping, a label is none, there is no such run, its topic file is gone, or a file cannot be
        written.
    """
    if not isinstance(labels, Mapping):
        raise ConfigError(f"labels={labels!r:.80}: expected addresses and their labels, as {{url: True}}.")
    answers = {url: _answer(url, label) for url, label in labels.items()}
    taught = open_taught(str(run.path if isinstance(run, CrawlRun) else run), topic=str(topic))
    lesson, named = taught.lesson(answers)
    for url, page in named.items():
        lesson.answer(page, answers[url])
    if named:
        taught.keep(lesson.examples)
    changes = bool(lesson.examples) or taught.is_judged_otherwise
    result = taught.apply(lesson) if changes else None
    return Taught(
        judged=result.judged if result else 0,
        now_relevant=result.now_relevant if result else 0,
        no_more_relevant=result.no_more_relevant if result else 0,
        rescored=result.rescored if result else 0,
        examples=len(lesson.examples),
        examples_file=taught.examples_file,
        unknown=tuple(url for url in labels if url not in named),
        running=result is None and changes,
    )


def _answer(url: str, label: object) -> bool:
    answer = answer_of(str(label))
    if answer is None:
        raise ConfigError(f"label of {url}: {label!r}: expected True or False. Nothing was taken.")
    return answer
