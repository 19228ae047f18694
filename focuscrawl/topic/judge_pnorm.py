"""The extended boolean model: degrees instead of true and false, combined by p-norms (docs/formulas.md H.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import PageAnalysis
from focuscrawl.topic.expression import any_of, degree, parse, terms_of
from focuscrawl.topic.judge_base import ScoredJudge, contributions, half_map, page_counts, reason_of, term_counts
from focuscrawl.topic.matcher import TopicMatcher
from focuscrawl.types import Explained

if TYPE_CHECKING:
    from focuscrawl.topic.model import FittedTopic


class PnormJudge(ScoredJudge):
    """Judges by the p-norm degree of an expression.

    The degree of a word is its normalised tf-idf (Salton, Fox and Wu): its frequency over the greatest of the page's
    telling words, times its idf over the greatest of the expression's words.

    Parameters
    ----------
    expression
        As in `BooleanJudge`; default: OR of the topic's terms with their weights.
    p
        1 makes AND and OR the same weighted mean; with larger values they come nearer to minimum and maximum.
    """

    name = "pnorm"

    def __init__(
        self,
        topic: FittedTopic,
        *,
        threshold: float | str = "adaptive",
        expression: str = "",
        p: float = 2.0,
    ) -> None:
        super().__init__(topic, threshold=threshold)
        if not p >= 1.0:
            raise ConfigError(f"judge pnorm: p = {p!r}: must be 1 or more")
        self.p = p
        self.expression = parse(expression) if expression else any_of(topic.weights)
        words = dict.fromkeys(terms_of(self.expression), 1.0)
        self._matcher = TopicMatcher(words, tokenizer=topic.tokenizer) if expression else topic.matcher
        idf = {word: max((topic.idf(t) for t in topic.tokens(word)), default=0.0) for word in words}
        greatest = max(idf.values(), default=0.0)
        self._idf = {word: value / greatest for word, value in idf.items()} if greatest else idf
        self._half = HALF

    def _score(self, page: PageAnalysis) -> Explained:
        counts = term_counts(self._matcher, page)
        if not counts:
            greatest = 1
        else:
            stop_words = self.topic.stop_words
            greatest = max((c for token, c in page_counts(page).items() if token not in stop_words), default=1)
        degrees = {term: min(1.0, count / greatest) * self._idf[term] for term, count in counts.items()}
        raw = degree(self.expression, lambda word: degrees.get(word, 0.0), p=self.p)
        parts = {"degree": raw, **contributions(degrees.items())}
        return Explained(half_map(raw, self._half), parts, reason_of(parts))


HALF = 0.06
