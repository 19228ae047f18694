"""A judge that a person has taught: the topic's own judge, corrected by examples (`focuscrawl.topic.correction`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from math import exp, log

from focuscrawl.page.blank import blank_page
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.urls import normalize_url
from focuscrawl.text.vectors import Vector
from focuscrawl.topic.base import PageJudge, TopicModel, Verdict
from focuscrawl.topic.correction import Correction, fit_correction, moved
from focuscrawl.topic.examples import Example
from focuscrawl.topic.judge_base import DelegatingJudge
from focuscrawl.topic.threshold import START, make_threshold
from focuscrawl.topic.traits import LABELS, traits_of, words_of, words_of_text
from focuscrawl.types import Explained

UNTAUGHT = "untaught"
"""Part of a score: what it is without examples."""
EXAMPLES = "examples"
"""Part of a score: what the examples make of an even chance; above 0.5 they speak for the page."""
_NAMED = 3
_MOVED = ("topicality", "lead")  # what a ranking goes by; `UNTAUGHT` tells of the value alone
_SUREST = 1e-12


class TaughtJudge(DelegatingJudge):
    """Corrects the verdicts of a judge by examples; without examples, they are that judge's.

    The border is at 0.5, where a page is as likely on the topic as not: answers take the place of what an adaptive
    threshold guesses from the scores of all pages. A number in the topic file stays in force.

    Parameters
    ----------
    judge
        The topic's judge. It sees every page, so what it learns it learns as ever.
    topic
        The fitted topic, examples included.
    threshold
        A number in [0, 1], or "adaptive", which is 0.5 here.
    """

    def __init__(
        self, judge: PageJudge, topic: TopicModel, correction: Correction, *, threshold: float | str = "adaptive"
    ) -> None:
        super().__init__(judge)
        self.topic = topic
        self.correction = correction
        self.threshold = START if threshold == "adaptive" else make_threshold(threshold).value
        self._label = f"{topic.name}@{topic.version}"
        self.name = judge.name

    def judge(self, page: PageAnalysis) -> Verdict:
        """Return the corrected verdict on `page`."""
        return self._corrected(self._judge.judge(page), page)

    def judge_again(self, page: PageAnalysis) -> Verdict:
        """Return the corrected verdict on a page that was judged before."""
        return self._corrected(self._judge.judge_again(page), page)

    def _corrected(self, verdict: Verdict, page: PageAnalysis) -> Verdict:
        traits = traits_of(words_of(page, self.topic), self.topic, parts=verdict.score.parts)
        score = corrected(verdict.score, self.correction, traits)
        return Verdict(score, self.threshold, score.value >= self.threshold, self._label)


def corrected(score: Explained, correction: Correction, traits: Mapping[str, float]) -> Explained:
    """Return a score moved by what examples say of a page with these traits, with the words that moved it most."""
    shift = correction.shift(traits)
    if shift == 0.0:
        return score
    parts = {UNTAUGHT: score.value, EXAMPLES: moved(0.5, shift), **score.parts}
    for name in _MOVED:
        if name in parts:
            parts[name] = moved(parts[name], shift)
    return Explained(moved(score.value, shift), parts, f"{score.reason}; {_told(correction, traits, shift)}")


def uncorrected(score: Explained) -> Explained:
    """Return what a score was before `corrected`, but for its reason; a part of 0 or 1 comes back as 0.01 or 0.99."""
    if UNTAUGHT not in score.parts:
        return score
    shift = _odds(score.parts.get(EXAMPLES, 0.5))
    parts = {name: value for name, value in score.parts.items() if name not in (UNTAUGHT, EXAMPLES)}
    for name in _MOVED:
        if name in parts:
            parts[name] = 1.0 / (1.0 + exp(shift - _odds(parts[name])))
    return Explained(score.parts[UNTAUGHT], parts)


def _odds(p: float) -> float:
    """Return the log odds that `moved` made `p` of; there, they are as large as examples make them."""
    p = min(1.0 - _SUREST, max(_SUREST, p))
    return log(p / (1.0 - p))


def _told(correction: Correction, traits: Mapping[str, float], shift: float) -> str:
    """Return what the examples say, by the traits that go the way of the whole."""
    sign = 1.0 if shift > 0.0 else -1.0
    shares = ((sign * value * correction.weights.get(name, 0.0), name) for name, value in traits.items())
    names = [LABELS.get(name, name) for share, name in nlargest(_NAMED, shares) if share > 0.0]
    return f"examples speak {'for' if sign > 0.0 else 'against'} it ({', '.join(names)})"


def correction_of(examples: Sequence[Example], judge: PageJudge, topic: TopicModel, *, version: str) -> Correction:
    """Return the correction that examples come to.

    Parameters
    ----------
    examples
        In any order.
    judge
        A judge of the topic that has not seen a page yet: it judges the texts of examples whose score is not known.
    version
        Of the topic without examples: scores by another one are not believed.
    """
    traits: list[Vector] = []
    before: list[float] = []
    ordered = sorted(examples, key=lambda example: example.url)
    for example in ordered:
        words = words_of_text(example.url, example.title, example.text, topic)
        score = judge.judge(text_page(example.url, example.title, example.text, topic)).score
        known = example.score is not None and example.version == version
        before.append(example.score if known and example.score is not None else score.value)
        traits.append(traits_of(words, topic, parts=score.parts))
    return fit_correction(traits, before, [example.relevant for example in ordered])


def text_page(url: str, title: str, text: str, topic: TopicModel) -> PageAnalysis:
    """Return what a judge can know of a page whose extracted text is all that was kept."""
    tokens = tuple(topic.tokens(text))
    page = blank_page(normalize_url(url, url) or url)
    return replace(page, title=title, title_tokens=tuple(topic.tokens(title)), tokens=tokens, content_tokens=tokens)
