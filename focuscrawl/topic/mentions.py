"""Mentions of a topic's words in raw text, to choose among the links of a page that has more than are kept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, islice

import re2

from focuscrawl.text.simplified import simplified

_MOST_WORDS = 500
# Each costs 8 µs; a page of 16 MB of nothing but topic words has millions, and its first texts are as good as its last.
_MOST_MENTIONS = 100_000
_BORDER = "\0"  # never in a decoded page


class Mentions:
    """Finds words as they stand in raw text: a plain search, without the tokenizer and its costs.

    A word of an alphabet counts where it begins a word, so that `lock` is found in `locks` and not in `block`.

    Parameters
    ----------
    weights
        Word -> weight, greater than 0.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        heaviest = sorted(weights, key=lambda word: (-weights[word], word))[:_MOST_WORDS]
        self._weights = {_plain(word).encode(): weights[word] for word in heaviest if word.strip()}
        # Of two words that begin at one place the longer is found.
        longest = sorted(self._weights, key=lambda word: (-len(word), word))
        self._pattern = re2.compile(b"|".join(map(_bounded, longest))) if longest else None

    def __call__(self, texts: Sequence[str]) -> list[float]:
        """Return for each text the sum of the weights of the different words in it, 100,000 mentions in all."""
        sums = [0.0] * len(texts)
        if self._pattern is None:
            return sums
        parts = [_plain(text).encode("utf-8", "replace") for text in texts]
        ends = list(accumulate(len(part) + 1 for part in parts))
        found = set()
        for match in islice(self._pattern.finditer(_BORDER.encode().join(parts)), _MOST_MENTIONS):
            found.add((bisect_right(ends, match.start()), match.group()))
        for at, word in sorted(found):
            sums[at] += self._weights[word]
        return sums


def _plain(text: str) -> str:
    return simplified(text.casefold())


def _bounded(word: bytes) -> bytes:
    escaped: bytes = re2.escape(word)
    return rb"\b" + escaped if word[:1].isalnum() else escaped
