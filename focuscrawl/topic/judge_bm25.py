"""BM25 and the inference network: how well a page answers the topic as a query (docs/formulas.md H.4)."""

from __future__ import annotations

from collections import Counter
from math import log
from statistics import median
from typing import TYPE_CHECKING

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.background import DOCUMENT_TOKENS
from focuscrawl.topic.judge_base import (
    HEADING_WEIGHT,
    TITLE_WEIGHT,
    ScoredJudge,
    contributions,
    half_map,
    page_counts,
    reason_of,
)
from focuscrawl.topic.model import expanded_query
from focuscrawl.types import Explained

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focuscrawl.topic.model import FittedTopic

MODELS = ("bm25", "network")
_DOCUMENTS = 1_000_000
"""Nominal size of the collection the language's document frequencies stand for; idf hardly depends on it."""
_LEAST_SHARE = 0.125
"""Of the query's words that a page has to have for the value 0.5, whatever the samples say."""
_BELIEF = 0.4
"""Of a word that is not there (docs/formulas.md H.4)."""


def bm25_idf(documents: float, containing: float) -> float:
    """Return ``ln(1 + (N - df + 0.5) / (df + 0.5))``; 0 for df = 0: the term is ignored."""
    if containing <= 0:
        return 0.0
    return log(1.0 + (documents - containing + 0.5) / (containing + 0.5))


def bm25_term(tf: float, idf: float, *, relative_length: float, k1: float = 1.2, b: float = 0.75) -> float:
    """Return ``idf tf (k1 + 1) / (tf + k1 (1 - b + b dl/avdl))``.

    References
    ----------
    .. [1] Stephen Robertson, Hugo Zaragoza, The probabilistic relevance framework: BM25 and beyond, Foundations and
       Trends in Information Retrieval 3(4), 2009.
    """
    if tf <= 0:
        return 0.0
    return idf * tf * (k1 + 1.0) / (tf + k1 * (1.0 - b + b * relative_length))


def belief(tf: float, documents: float, containing: float, *, relative_length: float) -> float:
    """Return the belief of a term node, ``0.4 + 0.6 T I``, in [0.4, 1]; 0.4 without the term.

    ``T = tf / (tf + 0.5 + 1.5 dl/avdl)``, ``I = ln((N + 0.5) / df) / ln(N + 1)``.

    References
    ----------
    .. [1] Howard Turtle, W. Bruce Croft, Evaluation of an inference network-based retrieval model, ACM Transactions on
       Information Systems 9(3), 1991.
    """
    if tf <= 0 or containing <= 0 or documents <= 0:
        return _BELIEF
    t = tf / (tf + 0.5 + 1.5 * relative_length)
    i = log((documents + 0.5) / containing) / log(documents + 1.0)
    return _BELIEF + (1.0 - _BELIEF) * t * max(0.0, i)


class Bm25Judge(ScoredJudge):
    """Judges by BM25 or by the weighted-sum belief of an inference network, the expanded topic being the query.

    The value is s / (s + s0), with s0 the median score of the topic's own samples, so that a page like a sample has
    0.5. Each sample is scored under the query made without it, for it would fit its own words too well; s0 is at least
    what a page with an eighth of the query's words has, for samples may have no word in common.

    Parameters
    ----------
    model
        "bm25" or "network".
    k1, b
        Saturation of term frequency and strength of the length normalisation of BM25.
    """

    name = "bm25"

    def __init__(
        self,
        topic: FittedTopic,
        *,
        threshold: float | str = "adaptive",
        model: str = "bm25",
        k1: float = 1.2,
        b: float = 0.75,
    ) -> None:
        super().__init__(topic, threshold=threshold)
        if model not in MODELS:
            raise ConfigError(f"judge bm25: model {model!r} is unknown; known: {', '.join(MODELS)}")
        if not (k1 >= 0.0 and 0.0 <= b <= 1.0):
            raise ConfigError(f"judge bm25: k1 = {k1!r}, b = {b!r}: k1 must be 0 or more, b in [0, 1]")
        self.model, self.k1, self.b = model, k1, b
        self._query = self._query_of(topic.expanded)
        self._half = self._half_of(topic)

    def _query_of(self, expanded: Mapping[str, float]) -> dict[str, tuple[float, float]]:
        """Return token -> (weight in (0, 1], idf)."""
        top = max(expanded.values(), default=0.0)
        return {
            token: (weight / top, bm25_idf(_DOCUMENTS, self.topic.background.df_share(token) * _DOCUMENTS))
            for token, weight in expanded.items()
            if weight > 0.0 and token not in self.topic.stop_words
        }

    def _half_of(self, topic: FittedTopic) -> float:
        """Return s0: the median score of the samples, each under the query made without it."""
        scores = []
        for left_out, sample in enumerate(topic.samples):
            others = [other for index, other in enumerate(topic.samples) if index != left_out]
            query = self._query_of(expanded_query(others, topic.query, topic.idf))
            scores.append(sum(s for _, s in self._shares(Counter(sample), len(sample), query)))
        best = sum(s for _, s in self._shares(dict.fromkeys(self._query, 1), DOCUMENT_TOKENS, self._query))
        return max(median(scores) if scores else 0.0, _LEAST_SHARE * best)

    def _shares(
        self, counts: Mapping[str, int], length: int, query: Mapping[str, tuple[float, float]]
    ) -> list[tuple[str, float]]:
        relative = length / DOCUMENT_TOKENS
        total = sum(weight for weight, _ in query.values())
        out = []
        for token, (weight, idf) in query.items():
            tf = counts.get(token, 0)
            if not tf:
                continue
            if self.model == "bm25":
                share = bm25_term(tf, idf, relative_length=relative, k1=self.k1, b=self.b)
            else:
                # The part of the belief above that of an absent word: WSUM then is 0.4 + the sum of these.
                df = self.topic.background.df_share(token) * _DOCUMENTS
                share = (belief(tf, _DOCUMENTS, df, relative_length=relative) - _BELIEF) / total
            out.append((token, weight * share))
        return out

    def _score(self, page: PageAnalysis) -> Explained:
        text = page.content_tokens or page.tokens
        length = len(text) + TITLE_WEIGHT * len(page.title_tokens) + (HEADING_WEIGHT - 1) * len(page.heading_tokens)
        shares = self._shares(page_counts(page), length, self._query)
        raw = sum(share for _, share in shares)
        value = half_map(raw, self._half)
        parts = {self.model: value, **contributions(shares)}
        if self.model == "network":
            parts["belief"] = _BELIEF + raw
        return Explained(value, parts, reason_of(parts))
