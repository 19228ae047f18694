"""A URL's priority written out as the sum it is, for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from focuscrawl.ranking.base import AHEAD, BEHIND, CALLED, LAST, LEARNED
from focuscrawl.types import clip01

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Term:
    """One addend of a score: ``weight * value``."""

    part: str
    value: float  # in [0, 1]
    weight: float

    @property
    def amount(self) -> float:
        """What the part adds to the score."""
        return self.weight * self.value


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A priority in full: the addends of the local score, the group's offset, and their total.

    ``terms`` is empty when the strategy's score is no weighted sum; ``facts`` then holds its parts as they are.
    """

    score: float  # local score in [0, 1], as it was queued
    offset: float  # of the group, in [-1, 1]
    terms: tuple[Term, ...]
    facts: Mapping[str, float]
    reason: str
    without_anchor: float | None = None  # the score without the words of the link's text; None: not told, or the same

    @property
    def total(self) -> float:
        """The priority: score + offset."""
        return self.score + self.offset

    @property
    def rest(self) -> float:
        """What the addends leave open of the score; 0 but for rounding when the strategy is a weighted sum."""
        return self.score - math.fsum(term.amount for term in self.terms) if self.terms else 0.0

    def as_json(self) -> dict[str, object]:
        """Return the breakdown as JSON-safe data."""
        return {
            "terms": [{"part": t.part, "value": t.value, "weight": t.weight, "amount": t.amount} for t in self.terms],
            "facts": dict(self.facts),
            "score": self.score,
            "offset": self.offset,
            "priority": self.total,
            "without_anchor": self.without_anchor,
            "reason": self.reason,
        }


def explain(
    parts: Mapping[str, float],
    weights: Mapping[str, float],
    *,
    score: float,
    offset: float = 0.0,
    reason: str = "",
    without_anchor: float | None = None,
) -> Breakdown:
    """Return the breakdown of a queued link.

    Parameters
    ----------
    parts
        What the strategy stored with the link (``Ranked.score.parts``); parts of value 0 may be missing.
    weights
        The strategy's weights (``Ranker.weights``), empty when its score is no weighted sum.
    score, offset, reason, without_anchor
        The local score as queued, the offset of its group, and the sentence and the other score stored with the link.
    """
    if LAST in parts:
        weights = {**(weights or {"score": 1.0}), LAST: -BEHIND}
        if "score" in weights:
            parts = {**parts, "score": score + BEHIND}
    if score > AHEAD - 1.0 and parts:
        parts, weights = {**parts, CALLED: 1.0}, {**(weights or {"score": 1.0}), CALLED: AHEAD}
        if "score" in weights:
            parts["score"] = score - AHEAD
    if parts and LEARNED in weights:
        # It was learned since the link was found: what else the score is made of stays as it was.
        others = math.fsum(weight * parts.get(part, 0.0) for part, weight in weights.items() if part != LEARNED)
        learned = clip01((score - others) / weights[LEARNED])
        if abs(learned - parts.get(LEARNED, 0.0)) > _ROUNDING:
            parts = {**parts, LEARNED: learned}
    terms = tuple(Term(part, parts.get(part, 0.0), weight) for part, weight in weights.items()) if parts else ()
    facts = {part: value for part, value in parts.items() if part not in weights}
    return Breakdown(score, offset, terms, facts, reason, without_anchor)
