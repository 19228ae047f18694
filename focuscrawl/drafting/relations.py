"""Words that a sentence relates by a preposition: "music for children", "philosophy of science", 孩子的教育.

Neither word is the subject by itself, and a topic of two words has nothing else that a page could lack.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby

_PREPOSITION_WORDS = """
about after against among around at before between by during for from in inside into near of on outside through to under
with within without
"""
_PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
_PARTICLES = frozenset("的中里上内在对")
"""Chinese words that relate what stands behind them to what stands before them; each is a token by itself."""
_JOINING = frozenset(["and", "or", "和", "与", "及", "或"])
_LONGEST = 3
"""Words between the two at most: "in your own", 中的."""
_NEAREST = 2
"""Words of either side that a relation has at most."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Telling words on both sides of a preposition.

    Parameters
    ----------
    left, right
        One or two words on either side, those nearest to it.
    between
        The preposition, and the stop words behind it.
    group
        All words that are related by it: of both sides, and of what "and", "or" or another preposition joins to them.
    before
        Those of the group that stand before the left side.
    """

    left: tuple[str, ...]
    between: tuple[str, ...]
    right: tuple[str, ...]
    group: frozenset[str]
    before: frozenset[str]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words as they stand in the sentence."""
        return (*self.left, *self.between, *self.right)


def relations(clauses: Iterable[Sequence[str]], *, stops: Collection[str]) -> list[Relation]:
    """Return the relations of a sentence, in its order.

    >>> found = relations(["religion and politics in america".split(), ["religion"]], stops={"and", "in"})
    >>> [(relation.tokens, sorted(relation.group)) for relation in found]
    [(('politics', 'in', 'america'), ['america', 'politics'])]

    Parameters
    ----------
    clauses
        The tokens of each, stop words among them. A word that a clause without relations names by itself is a subject
        and in no group.
    """
    runs = [[(is_stop, tuple(words)) for is_stop, words in groupby(one, key=stops.__contains__)] for one in clauses]
    found = [list(_of_clause(parts)) for parts in runs]
    subjects = {
        words[0]
        for parts, related in zip(runs, found, strict=True)
        if not related
        for is_stop, words in parts
        if not is_stop and len(words) == 1
    }
    return [replace(one, group=one.group - subjects) for one in chain.from_iterable(found)]


def _of_clause(parts: Sequence[tuple[bool, tuple[str, ...]]]) -> Iterator[Relation]:
    """Yield the relations of a clause that is cut into telling words and what is between them."""
    found: list[tuple[int, frozenset[str]]] = []  # place of a preposition, and the words before its left side
    group: set[str] = set()
    for at, (is_stop, words) in enumerate([*parts, (True, ())]):
        if not is_stop:
            group.update(words)
        elif _relates(words) and 0 < at < len(parts) - 1:
            found.append((at, frozenset(group.difference(parts[at - 1][1][-_NEAREST:]))))
        elif _JOINING.isdisjoint(words):
            for place, before in found:
                (_, left), (_, between), (_, right) = parts[place - 1 : place + 2]
                yield Relation(left[-_NEAREST:], between, right[:_NEAREST], frozenset(group), before)
            found, group = [], set()


def _relates(between: Sequence[str]) -> bool:
    """Tell whether stop words between two runs of telling words are a preposition and what belongs to it."""
    if not between or len(between) > _LONGEST or not _JOINING.isdisjoint(between):
        return False
    return between[0] in _PREPOSITIONS or _PARTICLES.issuperset(between)
