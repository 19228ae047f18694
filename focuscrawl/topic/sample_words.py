"""Telling words of the samples, and odd ones that a person should look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from heapq import nlargest

from focuscrawl.text.background import RAREST_IDF, Background
from focuscrawl.text.quantity import is_quantity, is_telling
from focuscrawl.text.tokenize import is_han

STRONGEST = 10
"""Words of a topic that `focuscrawl topic check` shows."""


def telling_tokens(
    samples: Sequence[Sequence[str]], background: Background, *, own: Collection[str]
) -> list[tuple[str, ...]]:
    """Return the tokens of each sample without numbers, amounts, dates, single Chinese characters and mis-cut words.

    A Chinese word that the language does not know and all samples together have once is mostly a slip of the segmenter.
    Words of the topic's own terms stay.
    """
    counts = Counter(token for sample in samples for token in sample)
    dropped = {
        token
        for token, count in counts.items()
        if token not in own
        and (not is_telling(token) or (count == 1 and is_han(token) and background.idf(token) >= RAREST_IDF))
    }
    return [tuple(token for token in sample if token not in dropped) for sample in samples]


def odd_words(
    vector: Mapping[str, float],
    samples: Sequence[Sequence[str]],
    background: Background,
    *,
    own: Collection[str],
    terms: Collection[str],
) -> list[str]:
    """Return a sentence for each of the strongest words that is probably no word of the topic.

    Parameters
    ----------
    vector
        Word to weight in the topic.
    own
        Tokens of the terms.
    """
    out = [
        f"term {term!r} is a number, an amount or a date: pages on anything have those"
        for term in terms
        if is_quantity(term.casefold())
    ]
    for word, _ in nlargest(STRONGEST, vector.items(), key=lambda item: item[1]):
        if word in own or not (is_han(word) or any(map(str.isdigit, word))) or background.idf(word) < RAREST_IDF:
            continue
        holders = [number for number, sample in enumerate(samples, start=1) if word in sample]
        if len(holders) == 1 and len(samples) > 1:
            out.append(
                f"{word!r} is among the topic's strongest words, but only sample {holders[0]} has it and the language "
                f"does not know it: a name, or a slip of the segmenter? Add it to [terms] if it is meant"
            )
    return out
