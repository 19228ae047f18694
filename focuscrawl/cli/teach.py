"""``focuscrawl topic teach``: answers about pages of a run refit the judge, and the run is judged anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from focuscrawl.cli import console
from focuscrawl.cli.options import OutsideOption
from focuscrawl.cli.teach_model import ask_model
from focuscrawl.cli.teach_screen import Key, ask_key, show_page
from focuscrawl.topic.files import display
from focuscrawl.topic.word_finder import topic_words

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
        Path | None, typer.Option(metavar="FILE.csv", help="Take answers from a file of lines URL,yes or URL,no.")
    ] = None,
    ask: Annotated[
        str, typer.Option(metavar="URL", help="Ask a language model: http://localhost:11434/v1; key in OPENAI_API_KEY.")
    ] = "",
    model: Annotated[str, typer.Option(metavar="NAME", help="Name of the model that --ask asks.")] = "",
    allow_insecure: Annotated[
        bool, typer.Option("--allow-insecure", help="Let --ask send pages and key over http beyond this machine.")
    ] = False,
    topic: Annotated[
        str, typer.Option(metavar="FILE", help="Topic file to teach, not the one the run was started with.")
    ] = "",
    allow_outside: OutsideOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for programs; nobody is asked.")] = False,
) -> None:
    """Answer yes or no to pages of a run: the judge learns from it, and judges the run anew. Nothing is fetched."""
    if labels is not None and ask:
        raise typer.BadParameter("--labels and --ask: give one of them")
    if bool(ask) != bool(model):
        raise typer.BadParameter("--ask URL and --model NAME go together")
    from focuscrawl.teaching.labels import read_labels
    from focuscrawl.teaching.run import open_taught

    given = read_labels(labels) if labels is not None else None
    taught = open_taught(run, topic=topic, allow_outside=allow_outside)
    lesson, named = taught.lesson(given.answers if given is not None else ())
    told = [f"The topic came with the package; it is taught in a copy, {display(taught.topic_file)}."] * taught.copied
    if given is not None:
        by = labels.name if labels is not None else ""
        for url, page in named.items():
            lesson.answer(page, given.answers[url], by=by)
        told += _about_labels(given.contradicted, [url for url in given.answers if url not in named])
        taught.keep(lesson.examples)
    elif ask and questions:
        say = console.warn if as_json else console.print_line
        told += ask_model(taught, lesson, questions, address=ask, model=model, allow_insecure=allow_insecure, say=say)
    elif questions and not as_json:
        for sentence in told:
            console.print_line(sentence)
        told = []
        ask_person(taught, lesson, questions)
    finish(taught, lesson, told, as_json=as_json)


def ask_person(taught: TaughtRun, lesson: Lesson, questions: int) -> None:
    """Ask in the terminal; every answer is written when it is given.

    Raises
    ------
    typer.Exit
        On Ctrl-C: the answers are kept, and the run is as it was.
    """
    marks = topic_words(taught.spec)
    page = lesson.next()
    try:
        while page is not None and lesson.asked < questions:
            relevance = f"relevance {lesson.relevance(page):.2f}"
            show_page(page, marks, head=f"Question {lesson.asked + 1} of {questions}, {relevance}")
            key = ask_key()
            if key is Key.QUIT:
                return
            page = _take(taught, lesson, page, key)
    except KeyboardInterrupt:
        console.print_line()
        console.print_line(
            f"Interrupted: {_number(lesson.asked - lesson.skipped, 'answer')} kept in {display(taught.examples_file)};"
            f" the run is as it was. To judge it by them: focuscrawl topic teach {taught.folder.path} --questions 0"
        )
        raise typer.Exit(1) from None
    if page is None:
        console.print_line("There are no more pages to ask about: only results and near misses keep their text.")


def _take(taught: TaughtRun, lesson: Lesson, page: Candidate, key: Key) -> Candidate | None:
    """Take a key; return the page to ask about next."""
    if key is Key.UNDO:
        before = lesson.undo()
        if before is None:
            console.print_line("Nothing to undo.")
            return page
        taught.keep(lesson.examples)
        return before
    if key is Key.SKIP:
        lesson.skip(page)
    else:
        lesson.answer(page, key is Key.YES)
        taught.keep(lesson.examples)
    return lesson.next()


def finish(taught: TaughtRun, lesson: Lesson, told: Sequence[str], *, as_json: bool) -> None:
    """Judge the run anew, and say what became of it.

    Raises
    ------
    FocusCrawlError
        If the run cannot be changed; the answers are kept.
    """
    yes, no = lesson.labels
    result = taught.apply(lesson) if yes or no else None
    sentences = [*told, *_about_answers(yes, no)]
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
    for sentence in [*sentences, *(_about_run(taught, result) if yes or no else ())]:
        console.print_line(sentence)


def _about_labels(contradicted: Sequence[str], unknown: Sequence[str]) -> list[str]:
    told = []
    if contradicted:
        told.append(f"{_listed(contradicted)}: labelled yes and no; left out.")
    if unknown:
        told.append(
            f"{_listed(unknown)}: not among the pages of the run whose text was kept (results and near misses; all with"
            " FOCUSCRAWL_KEEP_IRRELEVANT); left out."
        )
    return told


def _about_answers(yes: int, no: int) -> list[str]:
    if not yes and not no:
        return ["No answers: the run is as it was."]
    told = [f"{_number(yes + no, 'example')}: {yes} on the topic, {no} not."]
    if not yes or not no:
        only, missing = ("yes", "no") if yes else ("no", "yes")
        told.append(
            f'Only "{only}" so far: the judge learns what to {"let in" if yes else "keep out"}; a few "{missing}" show'
            " it where the border is."
        )
    return told


def _about_run(taught: TaughtRun, result: Rejudged | None) -> list[str]:
    if result is None:
        return [
            "A crawl is at work in the run folder: it judges by the answers within a second or two. When it has ended,"
            f" focuscrawl topic teach {taught.folder.path} --questions 0 judges the earlier pages by them, too."
        ]
    told = [
        f"{_number(result.judged, 'page')} judged anew: {result.now_relevant} relevant now,"
        f" {result.no_more_relevant} no more; {result.relevant} in all."
        f" {_number(result.rescored, 'waiting link')} scored anew."
    ]
    if result.without_text:
        told.append(f"{_number(result.without_text, 'page')} far from the topic kept no text, so their verdicts stand.")
    told.append(f"The answers are in {display(taught.examples_file)}; the next crawl of this topic begins with them.")
    return told


def _listed(urls: Sequence[str]) -> str:
    shown = ", ".join(urls[:_TOLD])
    return f"{shown} and {len(urls) - _TOLD} more" if len(urls) > _TOLD else shown


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
