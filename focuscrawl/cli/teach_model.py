"""Questions to a language model in the place of a person."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from focuscrawl.cli import console
from focuscrawl.topic.files import display
from focuscrawl.wording import teach as wording
from focuscrawl.wording.base import Say

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
    tell: Callable[[str], None] = console.print_line,
    say: Say,
) -> list[str]:
    """Have a model answer questions; return what is to be told of it. Every answer is written when it is given.

    Raises
    ------
    ConfigError
        If the address may not be used.
    ModelError
        If the model cannot be asked, or gave up without a single answer; answers given before are kept.
    typer.Exit
        On Ctrl-C: the answers are kept, and the run is as it was.
    """
    from focuscrawl.teaching.language_model import (
        ANSWER_TOKENS,
        KEY_VARIABLE,
        LanguageModel,
        ModelError,
        estimated_tokens,
    )

    asked = LanguageModel(address, model, key=os.environ.get(KEY_VARIABLE, ""), allow_insecure=allow_insecure)
    page = lesson.next()
    if page is None:
        return [say(wording.NO_PAGES)]
    each = estimated_tokens(taught.spec, page)
    cost = say(
        wording.MODEL_QUESTIONS,
        questions=questions,
        model=model,
        each=each,
        tokens=questions * each,
        answers=questions * ANSWER_TOKENS,
    )
    tell(cost if asked.is_local else cost + say(wording.MODEL_COST))
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
            answer = say(wording.MODEL_ANSWERS[{True: "yes", False: "no", None: "skip"}[reply.relevant]])
            named = page.title or page.url
            told_of = say(wording.MODEL_ANSWER, number=lesson.asked, answer=answer, page=named, reason=reply.reason)
            tell(console.one_line(told_of))
            page = lesson.next()
    except KeyboardInterrupt:
        answers = say(wording.ANSWERS, n=lesson.asked - lesson.skipped)
        tell(say(wording.INTERRUPTED_MODEL, answers=answers, file=display(taught.examples_file)))
        raise typer.Exit(1) from None
    answered = lesson.asked - lesson.skipped
    if failures >= _FAILURES and not answered:  # nothing came of it: a script has to notice
        raise ModelError(f"{model}: no answer; {_FAILURES} requests failed one after the other: {reply.reason}.")
    told = [say(wording.MODEL_TOLD, n=lesson.asked, answers=answered, skipped=lesson.skipped)]
    told += [say(wording.MODEL_SKIPPED, n=count, reason=reason) for reason, count in skipped.most_common(5)]
    if failures >= _FAILURES:
        told.append(say(wording.MODEL_FAILED, n=_FAILURES))
    if tokens_in or tokens_out:
        told.append(say(wording.MODEL_USED, tokens_in=tokens_in, tokens_out=tokens_out))
    return told
