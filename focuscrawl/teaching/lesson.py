"""A lesson: which page to ask about next, the answers so far, and what they make of the judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp

from focuscrawl.teaching.candidates import Candidate
from focuscrawl.text.vectors import Vector, dot
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.correction import Correction, fit_correction, log_odds, moved
from focuscrawl.topic.examples import Example
from focuscrawl.topic.judge_taught import text_page
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.threshold import START
from focuscrawl.topic.traits import WORDS, traits_of, words_of_text
from focuscrawl.types import HostKey


class Lesson:
    """Questions about the pages of a run, most informative first, and the answers.

    How much an answer tells is (nearness to the threshold) * (mean similarity to all pages) * (1 - similarity to what
    was asked) / (1 + questions about the host), by the judge as the answers so far have made it.

    Parameters
    ----------
    spec
        The topic with the examples it has.
    topic
        The fitted topic; examples have no part in it.
    pages
        Pages that may be asked about.
    """

    def __init__(self, spec: TopicSpec, topic: TopicModel, pages: Sequence[Candidate]) -> None:
        self.spec = spec
        self.version = spec.untaught_digest
        self.threshold = START if spec.judge.threshold == "adaptive" else float(spec.judge.threshold)
        self.asked = 0
        self.skipped = 0
        self._topic = topic
        self._pages = {page.url: page for page in pages}
        self._examples: dict[str, Example] = {}
        self._known: dict[str, tuple[Vector, float]] = {}  # traits and score without examples
        self._similarity = dict.fromkeys(self._pages, 0.0)  # to the nearest page asked about
        self._common = _common(pages)
        self._hosts: Counter[HostKey] = Counter()
        self._done: set[str] = set()
        self._history: list[tuple[str, Example | None]] = []  # what stood there before
        self._judge = make_judge(topic, spec.taught(()))
        self._correction: Correction | None = None
        for example in spec.examples:
            self._take(example)
            if (page := self._pages.get(example.url)) is not None:
                self._count(page)

    @property
    def examples(self) -> tuple[Example, ...]:
        """All examples, those the topic had and the answers."""
        return tuple(self._examples.values())

    @property
    def correction(self) -> Correction:
        """What the examples come to."""
        if self._correction is None:
            ordered = sorted(self._examples.values(), key=lambda example: example.url)
            known = [self._known[example.url] for example in ordered]
            self._correction = fit_correction(
                [traits for traits, _ in known],
                [score for _, score in known],
                [example.relevant for example in ordered],
            )
        return self._correction

    @property
    def labels(self) -> tuple[int, int]:
        """How many examples are on the topic, and how many are not."""
        yes = sum(example.relevant for example in self._examples.values())
        return yes, len(self._examples) - yes

    def page(self, url: str) -> Candidate | None:
        """Return the page of a URL that may be asked about."""
        return self._pages.get(url)

    def relevance(self, page: Candidate) -> float:
        """Return the relevance of a page as the answers so far make it, in [0, 1]."""
        return moved(page.score, self.correction.shift(page.traits))

    def next(self) -> Candidate | None:
        """Return the page whose answer tells most; None when all were asked about."""
        best, chosen = -1.0, None
        border = log_odds(self.threshold)
        for url, page in self._pages.items():
            if url in self._done:
                continue
            odds = log_odds(page.score) + self.correction.shift(page.traits) - border
            near = 2.0 / (1.0 + exp(min(abs(odds), 50.0)))
            told = near * self._common[url] * (1.0 - self._similarity[url]) / (1 + self._hosts[page.host])
            if told > best:
                best, chosen = told, page
        return chosen

    def answer(self, page: Candidate, relevant: bool, *, by: str = "", reason: str = "") -> Example:
        """Take an answer; an earlier one on the page gives way to it."""
        self._history.append((page.url, self._examples.get(page.url)))
        example = page.example(relevant, version=self.version, by=by, reason=reason)
        self._take(example)
        self._count(page)
        self.asked += 1
        return example

    def skip(self, page: Candidate) -> None:
        """Ask about the page no more."""
        self._history.append((page.url, self._examples.get(page.url)))
        self._count(page)
        self.asked += 1
        self.skipped += 1

    def undo(self) -> Candidate | None:
        """Take the last answer back and return its page; None when there is none in this lesson."""
        if not self._history:
            return None
        url, before = self._history.pop()
        page = self._pages[url]
        self.asked -= 1
        if self._examples.get(url) == before:
            self.skipped -= 1
        elif before is None:
            del self._examples[url]
        else:
            self._examples[url] = before
        self._correction = None
        self._done.discard(url)
        self._hosts[page.host] -= 1
        asked = [self._pages[one] for one in self._done if one in self._pages]
        for other, traits in self._pages.items():
            self._similarity[other] = max((_similarity(traits, one) for one in asked), default=0.0)
        return page

    def _take(self, example: Example) -> None:
        self._examples[example.url] = example
        self._correction = None
        if example.url in self._known:
            return
        page = self._pages.get(example.url)
        if page is not None:
            self._known[example.url] = (page.traits, page.score)
            return
        score = self._judge.judge(text_page(example.url, example.title, example.text, self._topic)).score
        words = words_of_text(example.url, example.title, example.text, self._topic)
        known = example.score if example.version == self.version else None
        self._known[example.url] = (
            traits_of(words, self._topic, parts=score.parts),
            score.value if known is None else known,
        )

    def _count(self, page: Candidate) -> None:
        self._done.add(page.url)
        self._hosts[page.host] += 1
        for url, other in self._pages.items():
            if url not in self._done:
                self._similarity[url] = max(self._similarity[url], _similarity(other, page))


def _common(pages: Sequence[Candidate]) -> dict[str, float]:
    """Return the mean similarity of each page to all pages."""
    total: Vector = {}
    for page in pages:
        for name, value in page.traits.items():
            if ":" not in name:
                total[name] = total.get(name, 0.0) + value
    scale = 1.0 / (WORDS * WORDS * max(1, len(pages)))
    return {page.url: scale * dot(page.traits, total) for page in pages}


def _similarity(one: Candidate, other: Candidate) -> float:
    """Return the cosine of the words of two pages, in [0, 1]."""
    product = dot(one.traits, other.traits)
    for name, value in one.traits.items():
        if ":" in name:
            product -= value * other.traits.get(name, 0.0)
    return min(1.0, max(0.0, product / (WORDS * WORDS)))
