"""Questions to a language model in the place of a person."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from focuscrawl.cli import console
from focuscrawl.topic.files import display

if TYPE_CHECKING:
    from focuscrawl.teaching.lesson import Lesson
    from focuscrawl.teaching.run import TaughtRun

_FAILURES = 3
"""Requests that may fail one after the other before no more are sent."""


def ask_model(
    taught: TaughtRun,
    lesson: Lesson,
    questions: int,
    *,
    address: str,
    model: str,
    allow_insecure: bool,
    say: Callable[[str], None] = console.print_line,
) -> list[str]:
    """Have a model answer questions; return what is to be told of it. Every answer is written when it is given.

    Raises
    ------
    ConfigError
        If the address may not be used.
    ModelError
        If the model cannot be asked; answers given before are kept.
    typer.Exit
        On Ctrl-C: the answers are kept, and the run is as it was.
    """
    from focuscrawl.teaching.language_model import ANSWER_TOKENS, KEY_VARIABLE, LanguageModel, estimated_tokens

    asked = LanguageModel(address, model, key=os.environ.get(KEY_VARIABLE, ""), allow_insecure=allow_insecure)
    page = lesson.next()
    if page is None:
        return ["There are no pages to ask about: only results and near misses keep their text."]
    each = estimated_tokens(taught.spec, page)
    say(
        f"At most {questions} questions to {model}, about {each:,} tokens each and {questions * each:,} in all, and at"
        f" most {questions * ANSWER_TOKENS:,} tokens of answers."
        + ("" if asked.is_local else " What they cost is your provider's price; texts of pages are sent there.")
    )
    skipped: Counter[str] = Counter()
    tokens_in = tokens_out = failures = 0
    try:
        while page is not None and lesson.asked < questions and failures < _FAILURES:
            reply = asked.ask(taught.spec, page)
            tokens_in, tokens_out = tokens_in + reply.tokens_in, tokens_out + reply.tokens_out
            failures = failures + 1 if reply.failed else 0
            if reply.relevant is None:
                lesson.skip(page)
                skipped[reply.reason] += 1
            else:
                lesson.answer(page, reply.relevant, by=model, reason=reply.reason)
                taught.keep(lesson.examples)
            answer = {True: "yes", False: "no", None: "skip"}[reply.relevant]
            say(console.one_line(f"{lesson.asked} {answer}: {page.title or page.url}: {reply.reason}"))
            page = lesson.next()
    except KeyboardInterrupt:
        kept = lesson.asked - lesson.skipped
        say(f"Interrupted: {kept} answers kept in {display(taught.examples_file)}; the run is as it was.")
        raise typer.Exit(1) from None
    told = [f"{lesson.asked} questions: {lesson.asked - lesson.skipped} answers, {lesson.skipped} skipped."]
    told += [f"Skipped {count}: {reason}" for reason, count in skipped.most_common(5)]
    if failures >= _FAILURES:
        told.append(f"{_FAILURES} requests failed one after the other, so no more were sent.")
    if tokens_in or tokens_out:
        told.append(f"Used {tokens_in:,} tokens of questions and {tokens_out:,} of answers, as the server counts them.")
    return told
