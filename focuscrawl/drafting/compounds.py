"""Words of names made of common words: "machine learning", "video games", 机器学习.

Each word of such a name stands on pages about everything, and a topic of two or three words has nothing else that a
page could lack. So the name as a whole carries the topic, and a common word of it only bears it out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from math import sqrt

from focuscrawl.drafting.aspects import COMMON_SHARE
from focuscrawl.text.tokenize import is_han

ALONE_SHARE = 0.25
"""How much of the length of all weights a common word of a compound may be. The judge `focus` begins at .17, so a page
with nothing but this word passes where the word has two thirds of its full count: four times in four hundred words."""
FRAME_SHARE_ALONE = 0.15
"""The same of a word that stands in the frame of pages, as "email" does: no page passes with nothing but that."""
_ROUNDS = 20
"""The length depends on the weights that it bounds; each round comes nearer to the end."""


def phrase(words: Sequence[str]) -> str:
    """Return neighbouring tokens as a term: Chinese ones are written together."""
    return "".join(words) if is_han(words[-1][:1]) and is_han(words[0][-1:]) else " ".join(words)


def compound_phrases(
    run: Sequence[str], *, told: Collection[str], share: Callable[[str], float], weight: float
) -> dict[str, float]:
    """Return the phrases of two that a run of telling words has, with their weights in (0, 1].

    Two common words that are told are one name, of full weight; one common word and another one are a phrase of half of
    it. Where no word of the run is told, its last two are the name. A word with a hyphen, whose parts have a space
    between, is a name itself.

    Parameters
    ----------
    told
        Words of the run that are rare or name the subject.
    share
        Of a word, the share of pages in the language that have it, in [0, 1].
    """
    found: dict[str, float] = {}
    for pair in pairwise(run) if told else list(pairwise(run))[-1:]:
        if any(" " in word for word in pair):
            continue
        common = [word for word in pair if share(word) >= COMMON_SHARE]
        if common and (not told or not set(told).isdisjoint(pair)):
            is_name = not told or (len(common) == len(pair) and set(told).issuperset(pair))
            found[phrase(pair)] = weight if is_name else weight / 2
    return found


def bounded(
    weights: Mapping[str, float],
    common: Collection[str],
    *,
    frame: Collection[str] = (),
    share: Callable[[str], float],
    idf: Callable[[str], float],
) -> dict[str, float]:
    """Return the weights of a topic's terms with those of the common words of its compounds bounded.

    A common word keeps as much of its weight as leaves it a quarter of the length of all weights, or what is inverse to
    the number of pages that have it, whichever is more::

        w' = min(w, max(0.25 * |weights * idf| / idf, w * 0.01 / share))

    Of a word of pages' frames it is 0.15 of that length. So in a topic of many words none is bounded: a page that has
    only one of them lacks the others.

    Parameters
    ----------
    weights
        Terms with weights in (0, 1].
    common
        The words to bound.
    frame
        Those of them that stand in the frame of every web page, too.
    share, idf
        Of a term: the share of pages in the language that have it, in [0, 1], and its weight in the judge, at least 0.
    """
    rarity = {term: idf(term) for term in weights}
    out = dict(weights)
    for _ in range(_ROUNDS):
        length = sqrt(sum((weight * rarity[term]) ** 2 for term, weight in out.items()))
        for term in common:
            most = FRAME_SHARE_ALONE if term in frame else ALONE_SHARE
            alone = most * length / rarity[term] if rarity[term] else weights[term]
            out[term] = min(weights[term], max(alone, weights[term] * min(1.0, COMMON_SHARE / share(term))))
    return {term: round(weight, 2) for term, weight in out.items()}
