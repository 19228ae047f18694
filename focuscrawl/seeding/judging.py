"""Verdicts on candidates from what is known before a fetch: title and snippet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape

from focuscrawl.page.analysis import analyse
from focuscrawl.page.urls import url_words
from focuscrawl.seeding.candidates import Candidate
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.wording.base import Say
from focuscrawl.wording.seeds import NO_WORD

_MOST_WORDS_SHOWN = 4
_ENGLISH = Say()


def judged(
    candidates: Iterable[Candidate], topic: TopicModel, judge: PageJudge, say: Say = _ENGLISH
) -> list[Candidate]:
    """Return the candidates with a score in [0, 1] and a reason, best first; equals keep their order.

    Title and snippet are judged as a page of that title and text by the topic's own judge. A candidate of which
    nothing is known but its URL is judged by the words of it.
    """
    scored = []
    for found in candidates:
        words = found.title or url_words(found.url)
        page = analyse(
            f"<title>{escape(words)}</title><h1>{escape(words)}</h1><p>{escape(found.snippet)}</p>".encode(),
            found.url,
            content_type="text/html; charset=utf-8",
            tokenizer=topic.tokenizer,
        )
        score = judge.judge(page).score.value
        named = list(topic.matcher.counts(page.tokens))[:_MOST_WORDS_SHOWN]
        scored.append(replace(found, score=score, reason=", ".join(named) if named else say(NO_WORD)))
    return sorted(scored, key=lambda found: -(found.score or 0.0))
