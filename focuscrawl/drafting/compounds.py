"""Words of names made of common words: "machine learning", "video games", 机器学习, "music for children".

Each word of such a name stands on pages about everything, and a topic of two or three words has nothing else that a
page could lack. So the name as a whole carries the topic, and a common word of it only bears it out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import sqrt

from focuscrawl.drafting.aspects import COMMON_SHARE
from focuscrawl.drafting.relations import Relation
from focuscrawl.text.tokenize import is_han

ALONE_SHARE = 0.25
"""How much of the length of all weights a common word of a compound may be. The judge `focus` begins at .17, so a page
with nothing but this word passes where the word has two thirds of its full count: four times in four hundred words."""
WEAK_SHARE_ALONE = 0.15
"""The same of a word that stands in the frame of pages, as "email" does, or that a preposition relates to another: no
page passes with nothing but that."""
_ROUNDS = 20
"""The length depends on the weights that it bounds; each round comes nearer to the end."""


def phrase(words: Sequence[str]) -> str:
    """Return neighbouring tokens as a term: what stands beside a Chinese one is written together with it.

    >>> phrase(["tea", "ceremony"]), phrase(["1930", "年代"])
    ('tea ceremony', '1930年代')
    """
    between = ("" if is_han(one[-1:]) or is_han(other[:1]) else " " for one, other in pairwise((*words, "")))
    return "".join(chain.from_iterable(zip(words, between, strict=True))).rstrip()


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


def related_names(
    related: Iterable[Relation],
    weights: Mapping[str, float],
    *,
    share: Callable[[str], float],
    idf: Callable[[str], float],
    weight: float,
) -> Iterator[tuple[Relation, float]]:
    """Yield the relations that are names, with the weights of their phrases in (0, 1].

    Both sides of such a relation have terms, and those of at least one side are all common: of both sides, the weight
    is full, else half. It is none where a rare word before it names the subject, as in "astronomy and life of stars",
    nor in a topic of many words, where no common word of it is more than a quarter of the length of all weights.

    Parameters
    ----------
    weights
        Terms with weights in (0, 1].
    share, idf
        Of a word: the share of pages in the language that have it, in [0, 1], and its weight in the judge, at least 0.
    """
    length = _length(weights, idf)

    def is_common(word: str) -> bool:
        return share(word) >= COMMON_SHARE

    for relation in related:
        sides = [[word for word in side if word in weights] for side in (relation.left, relation.right)]
        common = [all(map(is_common, side)) for side in sides]
        terms = relation.group.intersection(weights)
        if (
            all(sides)
            and any(common)
            and set(relation.left).isdisjoint(relation.right)
            and all(map(is_common, relation.before.intersection(weights)))
            and any(weights[word] * idf(word) > ALONE_SHARE * length for word in filter(is_common, terms))
        ):
            yield relation, weight if all(common) else weight / 2


def bounded(
    weights: Mapping[str, float],
    common: Collection[str],
    *,
    weak: Collection[str] = (),
    parts: Collection[str] = (),
    share: Callable[[str], float],
    idf: Callable[[str], float],
) -> dict[str, float]:
    """Return the weights of a topic's terms with those of the common words of its compounds bounded.

    A common word keeps as much of its weight as leaves it a quarter of the length of all weights, or what is inverse to
    the number of pages that have it, whichever is more::

        w' = min(w, max(0.25 * |weights * idf| / idf, w * 0.01 / share))

    Of a weak word it is 0.15 of that length. So in a topic of many words none is bounded: a page that has
    only one of them lacks the others.

    Parameters
    ----------
    weights
        Terms with weights in (0, 1].
    common
        The words to bound.
    weak
        Those of them that say least by themselves.
    parts
        Those of them that are part of a word, as 宇宙 of 元宇宙: the first of the two bounds holds however few pages
        have them.
    share, idf
        Of a term: the share of pages in the language that have it, in [0, 1], and its weight in the judge, at least 0.
    """
    rarity = {term: idf(term) for term in weights}
    out = dict(weights)
    for _ in range(_ROUNDS):
        length = _length(out, rarity.__getitem__)
        for term in common:
            most = WEAK_SHARE_ALONE if term in weak else ALONE_SHARE
            alone = most * length / rarity[term] if rarity[term] else weights[term]
            by_rarity = 0.0 if term in parts else weights[term] * min(1.0, COMMON_SHARE / share(term))
            out[term] = min(weights[term], max(alone, by_rarity))
    return {term: round(weight, 2) for term, weight in out.items()}


def _length(weights: Mapping[str, float], idf: Callable[[str], float]) -> float:
    """Return the length of the vector of all weights in the judge."""
    return sqrt(sum((weight * idf(term)) ** 2 for term, weight in weights.items()))
