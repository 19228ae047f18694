"""The boolean model: a page satisfies an expression of topic words, or it does not (docs/formulas.md H.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import PageAnalysis
from focuscrawl.topic.expression import any_of, holds, parse, terms_of
from focuscrawl.topic.judge_base import ScoredJudge, contributions, reason_of, term_counts
from focuscrawl.topic.matcher import TopicMatcher
from focuscrawl.types import Explained, clip01

if TYPE_CHECKING:
    from focuscrawl.topic.model import FittedTopic

MODES = ("any", "all")
_DEGREE_HALF = 5.0
"""Occurrences at which the degree of the full scan is one half (docs/formulas.md H.2)."""
_FIXED = 0.5
"""Between false and true; there is nothing to adapt."""


class BooleanJudge(ScoredJudge):
    """Judges by an expression: true is 1, false is 0.

    Parameters
    ----------
    expression
        Words, "phrases in quotes", AND, OR, NOT, parentheses; default: any topic word and no excluded word.
    mode
        "any" (default) uses `expression`; "all" is the full scan: all topic words have to be there, and the value is
        the degree tf / (tf + 5) of the sum of their frequencies.
    """

    name = "boolean"

    def __init__(
        self,
        topic: FittedTopic,
        *,
        threshold: float | str = "adaptive",
        expression: str = "",
        mode: str = "any",
    ) -> None:
        super().__init__(topic, threshold=_FIXED if threshold == "adaptive" else threshold)
        if mode not in MODES:
            raise ConfigError(f"judge boolean: mode {mode!r} is unknown; known: {', '.join(MODES)}")
        if mode == "all" and expression:
            raise ConfigError('judge boolean: mode "all" takes the topic\'s terms, so it cannot have an expression')
        self.mode = mode
        self.expression = parse(expression) if expression else None
        words = list(terms_of(self.expression)) if self.expression is not None else []
        self._matcher = TopicMatcher(dict.fromkeys(words, 1.0), tokenizer=topic.tokenizer) if words else topic.matcher
        self._default = any_of(topic.weights)

    def _score(self, page: PageAnalysis) -> Explained:
        counts = term_counts(self._matcher, page)
        parts = contributions(counts.items())
        if self.mode == "all":
            missing = [term for term in self.topic.weights if term not in counts]
            total = 0 if missing or not self.topic.weights else sum(counts.values())
            reason = f"lacks {', '.join(missing[:3])}" if missing else reason_of(parts)
            return Explained(clip01(total / (total + _DEGREE_HALF)), parts, reason)
        if self.expression is not None:
            true = holds(self.expression, counts.__contains__)
        else:
            against = term_counts(self.topic.excluded_matcher, page) if self.topic.excluded else {}
            true = holds(self._default, counts.__contains__) and not against
        return Explained(1.0 if true else 0.0, parts, reason_of(parts))
