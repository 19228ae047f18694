"""The vector space model: cosine of a page's tf-idf vector to the topic vector (docs/formulas.md H.1)."""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt
from typing import TYPE_CHECKING

from focuscrawl.errors import ConfigError
from focuscrawl.options import NotNegative
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.vectors import tf_idf, unit
from focuscrawl.topic.feedback import ALPHA, BETA, GAMMA, FeedbackVector
from focuscrawl.topic.judge_base import ScoredJudge, contributions, half_map, page_counts, reason_of
from focuscrawl.types import Explained, clip01

if TYPE_CHECKING:
    from focuscrawl.topic.base import Verdict
    from focuscrawl.topic.model import FittedTopic

RULES = ("cosine", "inner", "nearest")
HALF = 0.04
"""Cosine at which the value is 0.5. Pages on a topic known by a dozen terms and three paragraphs have 0.03 to 0.1 in
Chinese and 0.05 to 0.2 in English, most others less than 0.03."""


class VsmJudge(ScoredJudge):
    """Judges by the angle between page and topic.

    Parameters
    ----------
    rule
        "cosine" (default); "inner", the inner product with the topic vector divided by the number of words;
        "nearest", the class-centroid rule: the share of the topic's centroid in the similarity to both centroids, that
        of the relevant and that of the irrelevant samples; 0 for a page that has no word of either.
    sublinear
        1 + ln tf instead of tf, so that one word repeated fifty times does not decide.
    feedback
        Move the topic vector by the pages judged (Rocchio); off by default, because a crawl that has begun to drift
        then drifts faster.
    alpha, beta, gamma
        Weights of the topic vector, of pages judged relevant and of others, when `feedback` is on.

    Raises
    ------
    ConfigError
        If the rule is unknown, or "nearest" without samples of both kinds or with feedback.
    """

    name = "vsm"

    def __init__(
        self,
        topic: FittedTopic,
        *,
        threshold: float | str = "adaptive",
        rule: str = "cosine",
        sublinear: bool = True,
        feedback: bool = False,
        alpha: NotNegative = ALPHA,
        beta: NotNegative = BETA,
        gamma: NotNegative = GAMMA,
    ) -> None:
        super().__init__(topic, threshold=threshold)
        if rule not in RULES:
            raise ConfigError(f"judge vsm: rule {rule!r} is unknown; known: {', '.join(RULES)}")
        if rule == "nearest" and not (topic.centroid and topic.negative_centroid):
            raise ConfigError('judge vsm: rule "nearest" needs relevant and irrelevant samples in the topic file')
        if rule == "nearest" and feedback:
            raise ConfigError('judge vsm: feedback moves the topic vector, which rule "nearest" does not read')
        self.rule = rule
        self.sublinear = sublinear
        self.feedback = FeedbackVector(topic.vector, alpha=alpha, beta=beta, gamma=gamma) if feedback else None
        self._half = HALF

    def judge(self, page: PageAnalysis) -> Verdict:
        """Return the verdict on `page`, and learn from it when feedback is on."""
        verdict = super().judge(page)
        if self.feedback is not None:
            vector = unit(tf_idf(page.content_tokens or page.tokens, self.topic.idf, sublinear=self.sublinear))
            self.feedback.observe(vector, score=verdict.score.value, threshold=verdict.threshold)
        return verdict

    def snapshot(self) -> dict[str, object]:
        """Return threshold and, with feedback, the moved vector."""
        state = super().snapshot()
        if self.feedback is not None:
            state["feedback"] = self.feedback.snapshot()
        return state

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        super().restore(state)
        learned = state.get("feedback")
        if self.feedback is not None and isinstance(learned, Mapping) and state.get("topic") == self._label:
            self.feedback.restore(learned)

    def _score(self, page: PageAnalysis) -> Explained:
        counts = page_counts(page)
        topic = self.topic
        target = topic.vector if self.feedback is None else self.feedback.vector
        if self.rule == "nearest":
            return self._nearest(counts)
        known, idf, sublinear = topic._idf, topic.idf, self.sublinear
        squares = 0.0
        shares: list[tuple[str, float]] = []
        for token, count in counts.items():
            weight = known.get(token)
            if weight is None:
                weight = idf(token)
            if weight:
                if count > 1:
                    weight *= 1.0 + log(count) if sublinear else count
                squares += weight * weight
                share = target.get(token)
                if share is not None:
                    shares.append((token, weight * share))
        product = sum(share for _, share in shares)
        if self.rule == "inner":
            total = sum(counts.values())
            raw = product / total if total else 0.0
        else:
            raw = min(1.0, product / sqrt(squares)) if squares else 0.0
        parts = {"similarity": clip01(raw), **contributions(shares)}
        return Explained(half_map(raw, self._half), parts, reason_of(parts))

    def _nearest(self, counts: Mapping[str, int]) -> Explained:
        to_topic = self.topic.cosine_of_counts(counts, vector=self.topic.centroid)
        to_others = self.topic.cosine_of_counts(counts, vector=self.topic.negative_centroid)
        total = to_topic + to_others
        parts = {"similarity": to_topic, "other": to_others}
        if not total:  # one half would be a result wherever the threshold begins
            return Explained(0.0, parts, "no word of the samples")
        value = to_topic / total
        return Explained(clip01(value), parts, "nearer to the topic" if value > 0.5 else "not nearer to the topic")
