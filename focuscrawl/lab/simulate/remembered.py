"""Scores of pages and links that crawls of one topic share, computed once.

An ablation crawls the same pages again and again. What the judge and the link scorers say of a page depends on the
page and the topic alone, so the second crawl need not ask them again. Nothing here changes a value; whatever could
depend on what was crawled before is asked anew each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.scoring.base import PageScorer
from focuscrawl.topic.base import PageJudge, TopicModel, Verdict, lead_of
from focuscrawl.topic.judge_base import DelegatingJudge, ScoredJudge
from focuscrawl.topic.link_matches import LinkMatches
from focuscrawl.types import Explained

# What a judge keeps in its snapshot beside its names. A judge that learns more has more to keep, or a resumed crawl
# would forget it; its scores then depend on the crawl.
_ORDER_FREE = {"judge", "topic", "threshold"}


View = tuple[str, bool, frozenset[int], tuple[str, ...]]
"""A page as it was judged: its URL, and what was known to be its site's."""


def view_of(page: PageAnalysis) -> View:
    """Return what tells a page's own view from other views of the page."""
    wide = page.site_wide
    return (page.url, wide.known, wide.blocks, wide.title)


@dataclass(slots=True)
class TopicMemory:
    """Values of one web and one topic (and one judge), by the page's view."""

    pages: dict[View, Explained] = field(default_factory=dict)
    links: dict[tuple[str, int | None], dict[View, Sequence[Explained]]] = field(default_factory=dict)
    words: dict[View, LinkMatches] = field(default_factory=dict)


class RememberingJudge(DelegatingJudge):
    """A judge that looks up the score of pages it has seen in an earlier crawl; its threshold adapts as ever."""

    def __init__(self, judge: ScoredJudge, memory: TopicMemory) -> None:
        super().__init__(judge)
        self._threshold = judge.threshold
        self._label = f"{judge.topic.name}@{judge.topic.version}"
        self._memory = memory.pages

    def judge(self, page: PageAnalysis) -> Verdict:
        """Return what the judge would."""
        view = view_of(page)
        score = self._memory.get(view)
        if score is None:
            verdict = self._judge.judge(page)
            self._memory[view] = verdict.score
            return verdict
        threshold = self._threshold.value
        self._threshold.observe(lead_of(score))
        return Verdict(score, threshold, score.value >= threshold, self._label)


def remembering_judge(judge: PageJudge, memory: TopicMemory) -> PageJudge:
    """Return a judge that remembers, or `judge` itself where its scores may depend on the order of the pages."""
    if (
        isinstance(judge, ScoredJudge)
        and type(judge).judge is ScoredJudge.judge
        and judge.snapshot().keys() <= _ORDER_FREE
    ):
        return RememberingJudge(judge, memory)
    return judge


class RememberingScorer(PageScorer):
    """Scorer that scores a page's links once and picks from the result afterwards.

    Scorers that do not declare their scores repeatable are asked each time.
    """

    def __init__(self, scorer: PageScorer, memory: TopicMemory) -> None:
        super().__init__(scorer.scorers)
        self._words = memory.words
        self._own = {
            name: memory.links.setdefault((name, one.seed), {}) for name, one in self.scorers.items() if one.repeatable
        }
        self._others = PageScorer({name: one for name, one in self.scorers.items() if name not in self._own})

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> dict[str, list[Explained]]:
        """Return what the scorers would."""
        view = view_of(page)
        missing = [name for name, known in self._own.items() if view not in known]
        if missing:
            asked = PageScorer({name: self.scorers[name] for name in missing})
            for name, scores in asked.score(page.links, page, topic).items():
                self._own[name][view] = scores
        picks = _places(links, page.links)
        topic.link_matcher.know(links, self._matches(page, topic, picks))
        others = self._others.score(links, page, topic)
        out: dict[str, list[Explained]] = {}
        for name in self.scorers:
            known = self._own.get(name)
            if known is None:
                out[name] = others[name]
            else:
                column = known[view]
                out[name] = [column[i] for i in picks]
        return out

    def _matches(self, page: PageAnalysis, topic: TopicModel, picks: Sequence[int]) -> LinkMatches:
        """Return the topic words of some links of the page; rankers ask for them too."""
        view = view_of(page)
        known = self._words.get(view)
        if known is None:
            known = self._words[view] = topic.link_matcher.of(page.links)
        columns = (known.url, known.text, known.around, known.title)
        return LinkMatches(*[[column[i] for i in picks] for column in columns])


def _places(some: Sequence[Link], links: Sequence[Link]) -> Sequence[int]:
    """Return where `some` of the links, in their order, stand among all."""
    if len(some) == len(links):
        return range(len(links))
    places: list[int] = []
    at = 0
    for link in some:
        while links[at] is not link:
            at += 1
        places.append(at)
        at += 1
    return places
