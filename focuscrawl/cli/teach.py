"""``focuscrawl topic teach``: answers about pages of a run refit the judge, and the run is judged anew."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from focuscrawl.cli import console
from focuscrawl.cli.options import AskOption, InsecureOption, LangOption, ModelOption, OutsideOption, check_model
from focuscrawl.cli.teach_model import ask_model
from focuscrawl.cli.teach_screen import Key, ask_key, show_page
from focuscrawl.topic.files import display
from focuscrawl.topic.word_finder import topic_words
from focuscrawl.wording import teach as wording
from focuscrawl.wording.base import Say, speaker

if TYPE_CHECKING:
    from focuscrawl.teaching.candidates import Candidate
    from focuscrawl.teaching.lesson import Lesson
    from focuscrawl.teaching.rejudge import Rejudged
    from focuscrawl.teaching.run import TaughtRun

QUESTIONS = 20
_TOLD = 3


def teach(
    run: Annotated[str, typer.Argument(metavar="RUN", help='Run folder, "latest", or a topic (its newest run).')],
    questions: Annotated[
        int, typer.Option(min=0, metavar="N", help="Questions at most; 0 judges the run by the answers there are.")
    ] = QUESTIONS,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", readable=False, help="Take answers from a file of lines URL,yes or URL,no."),
    ] = None,
    ask: AskOption = "",
    model: ModelOption = "",
    allow_insecure: InsecureOption = False,
    topic: Annotated[
        str, typer.Option(metavar="FILE", help="Topic file to teach, not the one the run was started with.")
    ] = "",
    allow_outside: OutsideOption = False,
    lang: LangOption = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for programs; nobody is asked.")] = False,
) -> None:
    """Answer yes or no to pages of a run: the judge learns from it, and judges the run anew. Nothing is fetched."""
    if labels is not None and ask:
        raise typer.BadParameter("--labels and --ask: give one of them")
    check_model(ask, model)
    from focuscrawl.teaching.labels import read_labels
    from focuscrawl.teaching.run import open_taught

    given = read_labels(labels) if labels is not None else None
    say = speaker("en" if as_json else lang)
    taught = open_taught(run, topic=topic, allow_outside=allow_outside, say=speaker(lang))
    lesson, named = taught.lesson(given.answers if given is not None else ())
    told = [say(wording.COPIED, file=display(taught.topic_file))] * taught.copied
    if given is not None:
        by = labels.name if labels is not None else ""
        for url, page in named.items():
            lesson.answer(page, given.answers[url], by=by)
        told += _about_labels(given.contradicted, [url for url in given.answers if url not in named], say)
        taught.keep(lesson.examples)
    elif ask and questions:
        told += ask_model(
            taught,
            lesson,
            questions,
            address=ask,
            model=model,
            allow_insecure=allow_insecure,
            tell=console.warn if as_json else console.print_line,
            say=say,
        )
    elif questions and not as_json:
        for sentence in told:
            console.print_line(sentence)
        told = []
        ask_person(taught, lesson, questions, say)
    finish(taught, lesson, told, say, as_json=as_json)


def ask_person(taught: TaughtRun, lesson: Lesson, questions: int, say: Say) -> None:
    """Ask in the terminal; every answer is written when it is given.

    Raises
    ------
    typer.Exit
        On Ctrl-C: the answers are kept, and the run is as it was.
    """
    words = topic_words(taught.spec)
    page = lesson.next()
    try:
        while page is not None and lesson.asked < questions:
            relevance = lesson.relevance(page)
            head = say(wording.QUESTION, number=lesson.asked + 1, questions=questions, relevance=relevance)
            show_page(page, words, say, head=head)
            key = ask_key(say)
            if key is Key.QUIT:
                return
            page = _take(taught, lesson, page, key, say)
    except KeyboardInterrupt:
        console.print_line()
        answers = say(wording.ANSWERS, n=lesson.asked - lesson.skipped)
        file = display(taught.examples_file)
        console.print_line(
            say(wording.INTERRUPTED, answers=answers, file=file, run=shlex.quote(str(taught.folder.path)))
        )
        raise typer.Exit(1) from None
    if page is None:
        console.print_line(say(wording.NO_MORE_PAGES))


def _take(taught: TaughtRun, lesson: Lesson, page: Candidate, key: Key, say: Say) -> Candidate | None:
    """Take a key; return the page to ask about next."""
    if key is Key.UNDO:
        before = lesson.undo()
        if before is None:
            console.print_line(say(wording.NOTHING_TO_UNDO))
            return page
        taught.keep(lesson.examples)
        return before
    if key is Key.SKIP:
        lesson.skip(page)
    else:
        lesson.answer(page, key is Key.YES)
        taught.keep(lesson.examples)
    return lesson.next()


def finish(taught: TaughtRun, lesson: Lesson, told: Sequence[str], say: Say, *, as_json: bool) -> None:
    """Judge the run anew, and say what became of it.

    Raises
    ------
    FocusCrawlError
        If the run cannot be changed; the answers are kept.
    """
    yes, no = lesson.labels
    changes = bool(yes or no) or taught.is_judged_otherwise
    result = taught.apply(lesson) if changes else None
    sentences = [*told, *_about_answers(yes, no, say, changes=changes)]
    if as_json:
        facts = {} if result is None else {k: v for k, v in asdict(result).items() if k not in ("scores", "offsets")}
        console.print_json(
            {
                "examples": {"relevant": yes, "irrelevant": no},
                "file": str(taught.examples_file),
                "running": taught.running,
                "rejudged": facts or None,
                "told": sentences,
            }
        )
        return
    for sentence in [*sentences, *(_about_run(taught, result, say, answers=bool(yes or no)) if changes else ())]:
        console.print_line(sentence)


def _about_labels(contradicted: Sequence[str], unknown: Sequence[str], say: Say) -> list[str]:
    told = []
    if contradicted:
        told.append(say(wording.CONTRADICTED, urls=_listed(contradicted, say)))
    if unknown:
        told.append(say(wording.UNKNOWN, urls=_listed(unknown, say)))
    return told


def _about_answers(yes: int, no: int, say: Say, *, changes: bool) -> list[str]:
    if not yes and not no:
        return [say(wording.FILE_ALONE if changes else wording.NO_ANSWERS)]
    told = [say(wording.EXAMPLES, n=yes + no, yes=yes, no=no)]
    if not yes or not no:
        told.append(say(wording.ONLY_YES if yes else wording.ONLY_NO))
    return told


def _about_run(taught: TaughtRun, result: Rejudged | None, say: Say, *, answers: bool) -> list[str]:
    if result is None:
        return [say(wording.AT_WORK if answers else wording.AT_WORK_WITHOUT, run=shlex.quote(str(taught.folder.path)))]
    told = [
        say(
            wording.REJUDGED,
            pages=say(wording.PAGES, n=result.judged),
            now=result.now_relevant,
            gone=result.no_more_relevant,
            relevant=result.relevant,
            links=say(wording.WAITING_LINKS, n=result.rescored),
        )
    ]
    if result.without_text:
        told.append(say(wording.WITHOUT_TEXT, pages=say(wording.PAGES, n=result.without_text)))
    if answers:
        told.append(say(wording.ANSWERS_IN, file=display(taught.examples_file)))
    return told


def _listed(urls: Sequence[str], say: Say) -> str:
    shown = ", ".join(urls[:_TOLD])
    return say(wording.MORE, urls=shown, n=len(urls) - _TOLD) if len(urls) > _TOLD else shown
