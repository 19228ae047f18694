"""Base of the judges: weighted words of a page, the verdict, the explanation."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import TYPE_CHECKING

from focuscrawl.page.model import PageAnalysis
from focuscrawl.records import PageEvent
from focuscrawl.topic.base import PageJudge, Verdict, lead_of
from focuscrawl.topic.matcher import TopicMatcher
from focuscrawl.topic.threshold import Threshold, make_threshold
from focuscrawl.types import OF_WORD, Explained, clip01

if TYPE_CHECKING:
    from focuscrawl.topic.model import FittedTopic

TITLE_WEIGHT = 3
HEADING_WEIGHT = 2
"""How often a word of the title or of a heading counts (docs/formulas.md H.1)."""
TOP_TERMS = 5
"""Contributions named in an explanation."""


class DelegatingJudge(PageJudge):
    """Base of a judge that changes or keeps the verdicts of another one: what is learned is that one's."""

    def __init__(self, judge: PageJudge) -> None:
        self.name = judge.name
        self._judge = judge

    def learn(self, event: PageEvent) -> None:
        """Have the other judge learn."""
        self._judge.learn(event)

    def snapshot(self) -> dict[str, object]:
        """Return the other judge's; what a sub-class has beside it is made anew at each start."""
        return self._judge.snapshot()

    def restore(self, state: Mapping[str, object]) -> None:
        """Restore the other judge."""
        self._judge.restore(state)


class ScoredJudge(PageJudge):
    """Judge that maps a raw score to [0, 1] and compares it with its threshold.

    Sub-classes say what the raw score is and at which raw score a page is as likely on topic as not (`_half`): there
    the value is 0.5, and it grows as s / (s + half), so that values and thresholds of all judges read alike.

    Parameters
    ----------
    topic
        The fitted topic.
    threshold
        A number in [0, 1], or "adaptive" (see `AdaptiveThreshold`).
    """

    def __init__(self, topic: FittedTopic, *, threshold: float | str = "adaptive") -> None:
        self.topic = topic
        self.threshold: Threshold = make_threshold(threshold, breadth=topic.breadth)
        self._label = f"{topic.name}@{topic.version}"

    def judge(self, page: PageAnalysis) -> Verdict:
        """Return the verdict on `page`; the threshold in force is the one before this page was seen."""
        verdict = self.judge_again(page)
        self.threshold.observe(verdict.lead)
        return verdict

    def judge_again(self, page: PageAnalysis) -> Verdict:
        """Return the verdict on `page`, which moves no threshold."""
        score = self._score(page)
        threshold = self.threshold.value
        return Verdict(score, threshold, score.value >= threshold, self._label)

    def learn(self, event: PageEvent) -> None:
        """Move the threshold as another worker's has moved."""
        if event.judgement is not None:
            self.threshold.observe(lead_of(Explained(event.judgement.relevance, event.judgement.judged)))

    def snapshot(self) -> dict[str, object]:
        """Return what the judge has learned as JSON-safe data."""
        return {"judge": self.name, "topic": self._label, "threshold": self.threshold.snapshot()}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned; a snapshot of another judge or topic version is left alone."""
        if state.get("judge") != self.name or state.get("topic") != self._label:
            return
        learned = state.get("threshold")
        if isinstance(learned, Mapping):
            self.threshold.restore(learned)

    @abstractmethod
    def _score(self, page: PageAnalysis) -> Explained:
        """Return the page's score in [0, 1], explained."""


def page_counts(page: PageAnalysis) -> dict[str, int]:
    """Return how often each token occurs in title (three times), headings (twice) and main text (once).

    The main text is that outside links and boilerplate; a page that has none of it is read whole. Headings are part of
    it, so their second count is added here.
    """
    counts = Counter(page.content_tokens or page.tokens)
    for token in page.heading_tokens:
        counts[token] += HEADING_WEIGHT - 1
    for token in page.title_tokens:
        counts[token] += TITLE_WEIGHT
    return counts


def term_counts(matcher: TopicMatcher, page: PageAnalysis) -> dict[str, int]:
    """Return how often each topic term occurs, with the weights of `page_counts`."""
    counts = matcher.counts(page.content_tokens or page.tokens)
    for term, count in matcher.counts(page.heading_tokens).items():
        counts[term] = counts.get(term, 0) + (HEADING_WEIGHT - 1) * count
    for term, count in matcher.counts(page.title_tokens).items():
        counts[term] = counts.get(term, 0) + TITLE_WEIGHT * count
    return counts


def half_map(raw: float, half: float) -> float:
    """Return raw / (raw + half): 0 at 0, 0.5 at `half`, towards 1 above (docs/formulas.md H.4)."""
    if raw <= 0.0:
        return 0.0
    return clip01(raw / (raw + half)) if half > 0.0 else 1.0


def contributions(shares: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the largest shares of a sum as explanation parts, "term:<word>" to its share in [0, 1]."""
    positive = [(word, share) for word, share in shares if share > 0.0]
    total = sum(share for _, share in positive)
    best = nlargest(TOP_TERMS, positive, key=lambda item: item[1])
    return {f"{OF_WORD}{word}": round(share / total, 4) for word, share in best}


def reason_of(parts: Mapping[str, float]) -> str:
    """Return the sentence that goes with the contributions."""
    words = [name.removeprefix(OF_WORD) for name in parts if name.startswith(OF_WORD)]
    return "speaks of " + ", ".join(words) if words else "no word of the topic"
