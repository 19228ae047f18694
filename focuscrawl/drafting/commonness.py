"""Words that would hit too many pages: common in the language, or on pages that are not about the subject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from focuscrawl.text.background import Background
from focuscrawl.text.base import Tokenizer
from focuscrawl.topic.matcher import TopicMatcher

LANGUAGE_SHARE = 0.05
"""From here on a word hits too much: one page of ordinary length in twenty has it, whatever the page is about."""
RUN_SHARE = 0.2
"""The same among pages of a run: a fifth of those that are not on the topic."""
LEAST_PAGES = 10
"""Of fewer pages a share says little."""


@dataclass(frozen=True, slots=True)
class CommonWord:
    """A word that would hit too much.

    Parameters
    ----------
    language_share
        Share of pages of 400 words in the language at large that have it, in [0, 1]; 0 of a phrase.
    run_share
        Share of the pages of a run that have it, in [0, 1]; None without a run.
    """

    word: str
    language_share: float
    run_share: float | None = None


def language_share(word: str, *, tokenizer: Tokenizer, background: Background) -> float:
    """Return the share of pages in the language that have `word`, in [0, 1]; of a phrase that of its rarest part.

    No page has a phrase that lacks a part of it, so for a phrase it is an upper bound.
    """
    return min((background.df_share(token) for token in tokenizer.tokens(word)), default=0.0)


def page_shares(matcher: TopicMatcher, pages: Iterable[Sequence[str]]) -> tuple[dict[str, float], int]:
    """Return term -> share of the pages that have it or another name of it, in (0, 1], and the number of pages.

    Parameters
    ----------
    pages
        Tokens of each page.
    """
    holders: Counter[str] = Counter()
    total = 0
    for tokens in pages:
        total += 1
        holders.update(matcher.counts(tokens).keys())
    return {word: count / total for word, count in holders.items()}, total


def common_words(
    words: Iterable[str],
    *,
    tokenizer: Tokenizer,
    background: Background,
    shares: dict[str, float] | None = None,
    pages: int = 0,
) -> list[CommonWord]:
    """Return the words that would hit too much, commonest first.

    How many pages of the language have a phrase nobody knows: only on pages of a run can it hit too much.

    Parameters
    ----------
    shares, pages
        Of `page_shares`; fewer than ten pages are left aside.
    """
    found = []
    for word in words:
        is_phrase = len(tokenizer.tokens(word)) > 1
        general = 0.0 if is_phrase else language_share(word, tokenizer=tokenizer, background=background)
        on_run = (shares or {}).get(word, 0.0) if pages >= LEAST_PAGES else None
        if general >= LANGUAGE_SHARE or (on_run or 0.0) >= RUN_SHARE:
            found.append(CommonWord(word, general, on_run))
    return sorted(found, key=lambda one: -max(one.language_share, one.run_share or 0.0))
