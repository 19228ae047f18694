"""Lines that say what is said elsewhere: the page's title, its description, its declared text, the line above."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from focuscrawl.text.scripts import WORD

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_DESCRIPTION_CHARS = 25
_DECLARED_CHARS = 10
_HEADING_WORDS = 20
_LABEL_WORDS = 6


def title_similarity(texts: Sequence[str], title: str) -> Floats:
    """Return how much each line's words are those of the page title, in [0, 1], 0 for long lines."""
    wanted = frozenset(WORD.findall(title.lower()))
    out = np.zeros(len(texts), np.float32)
    if not wanted:
        return out
    bound = 2 * len(title) + 20
    for at, text in enumerate(texts):
        if len(text) <= bound:
            held = _words_of(text)
            if not held.isdisjoint(wanted):
                out[at] = len(held & wanted) / (len(held | wanted) ** 0.5 * len(held) ** 0.5)
    return out


@lru_cache(maxsize=8192)  # menus and buttons repeat on a site's pages
def _words_of(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower()))


def title_line(similarity: Floats, level: Floats) -> int:
    """Return the line that is the page's title, -1 when none is like it."""
    if not len(similarity):
        return -1
    rated = similarity + 0.3 * (level == 1) + 0.15 * ((level > 1) & (level <= 3))
    at = int(rated.argmax())
    return at if rated[at] >= 0.5 else -1


def in_declared(texts: Sequence[str], declared: str) -> Floats:
    """Return 1 for each line that is in the text the page declares as its article body."""
    out = np.zeros(len(texts), np.float32)
    if declared:
        whole = _squeezed(declared)
        for at, text in enumerate(texts):
            part = _squeezed(text[:200])
            out[at] = len(part) >= _DECLARED_CHARS and part in whole
    return out


def starts_as(texts: Sequence[str], description: str) -> Floats:
    """Return 1 for each line that begins as the page's description does."""
    out = np.zeros(len(texts), np.float32)
    start = _squeezed(description[: 4 * _DESCRIPTION_CHARS])[:_DESCRIPTION_CHARS]
    if len(start) == _DESCRIPTION_CHARS:
        for at, text in enumerate(texts):
            if text[0] == start[0]:
                out[at] = _squeezed(text[: 4 * _DESCRIPTION_CHARS]).startswith(start)
    return out


def repetitions(texts: Sequence[str]) -> Floats:
    """Return how often each line's text stands on the page: menus for large and small screens, teasers."""
    seen: dict[str, int] = {}
    numbers = np.fromiter((seen.setdefault(text, len(seen)) for text in texts), np.int64, len(texts))
    return np.bincount(numbers, minlength=len(seen))[numbers].astype(np.float32)


def headings_above(phrases: Ints, level: Floats, bold: Floats, size: Floats) -> tuple[Ints, Floats, Floats]:
    """Return for each line the set phrases of the heading above it, the lines since, and that heading's level.

    A short line that is a set phrase, "Related:" or "Comments", is a heading by another name, of level 7.
    """
    count = len(phrases)
    short = size <= _HEADING_WORDS
    real = (level > 0) & short
    label = ~real & short & (phrases > 0) & ((bold > 0) | (size <= _LABEL_WORDS))
    order = np.arange(count)
    last = np.maximum.accumulate(np.where(real | label, order, -1))
    last = np.concatenate(([-1], last[:-1])) if count else last  # a heading stands under the one before it
    has = last >= 0
    safe = np.maximum(last, 0)
    under = np.where(has, phrases[safe], 0)
    since = np.where(has, order - safe, order)
    levels = np.where(has, np.where(real[safe], level[safe], 7.0), 0.0)
    return under, since.astype(np.float32), levels.astype(np.float32)


def _squeezed(text: str) -> str:
    return "".join(text.split())
