"""Contracts of the topic model and the judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from focuscrawl.records import PageEvent
from focuscrawl.text.base import Tokenizer
from focuscrawl.topic.link_matches import LinkMatcher
from focuscrawl.types import Explained

if TYPE_CHECKING:
    from focuscrawl.page.model import PageAnalysis


class TermMatcher(Protocol):
    """Finds topic words (terms, synonyms, aliases; docs/formulas.md B) in token lists."""

    def in_tokens(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return the distinct topic terms that occur in `tokens`, heaviest first; phrases as contiguous runs."""
        ...

    def in_url(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return the same for URL tokens: ASCII terms of at least four characters may be part of a token."""
        ...

    def counts(self, tokens: Sequence[str], *, bag: Mapping[str, int] | None = None) -> dict[str, int]:
        """Return how often each topic term occurs in `tokens`; `bag` is ``Counter(tokens)`` when the caller has it."""
        ...


class TopicModel(Protocol):
    """A fitted topic; read-only and shared."""

    @property
    def name(self) -> str:
        """Name of the topic file."""
        ...

    @property
    def version(self) -> str:
        """Digest of the spec and its samples, stored with each verdict."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that cut terms and samples, and cuts the pages."""
        ...

    @property
    def matcher(self) -> TermMatcher:
        """Finds the topic's words."""
        ...

    @property
    def link_matcher(self) -> LinkMatcher:
        """Finds the topic's words in links, for all scorers of a page at once."""
        ...

    @property
    def weights(self) -> Mapping[str, float]:
        """Topic term -> weight in (0, 1]."""
        ...

    @property
    def term_tokens(self) -> Mapping[str, tuple[str, ...]]:
        """Topic term -> its tokens."""
        ...

    @property
    def own_words(self) -> Mapping[str, float]:
        """Word of the topic's title or description that is no term -> weight in (0, 1]."""
        ...

    @property
    def own_matcher(self) -> TermMatcher:
        """Finds the topic's own words."""
        ...

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that say nothing in the topic's language."""
        ...

    @property
    def related(self) -> Mapping[str, float]:
        """R(t) in [0, 1] of every word that has one (B.6); absent means 0."""
        ...

    @property
    def query(self) -> tuple[str, ...]:
        """Distinct tokens of the topic's own terms, in order of first occurrence (D)."""
        ...

    @property
    def expanded(self) -> Mapping[str, float]:
        """Expanded query vector of docs/formulas.md D.1."""
        ...

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of `text` as this topic's tokenizer cuts it."""
        ...

    def idf(self, token: str) -> float:
        """Return how telling a word is: -ln of the share of documents that have it; 0 for stop words."""
        ...

    def similarity(self, docs: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return the similarity of each token list to the topic, shape (n,), in [0, 1]; an empty one gives 0."""
        ...

    def relatedness(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """Return R(t) of each word, shape (n,), in [0, 1]; 1 for topic words."""
        ...

    def top_terms(self, n: int = 20) -> list[tuple[str, float]]:
        """Return the heaviest words of the topic vector with weights in [0, 1], descending."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of a judge on a page."""

    score: Explained
    threshold: float  # in force when judged
    relevant: bool  # score.value >= threshold
    topic: str  # "<name>@<version>"

    @property
    def topicality(self) -> float:
        """How far the page's words are on the topic, in [0, 1], whatever kind of page it is.

        A judge may count an index page little because it holds nothing to keep; its words still say what it lists.
        """
        return self.score.parts.get("topicality", self.score.value)

    @property
    def lead(self) -> float:
        """How good a sign of more the page is, in [0, 1]: its relevance, and of an index of other pages more.

        An index is hardly ever a result, yet one of the topic tells of its host and of the links to it.
        """
        return lead_of(self.score)

    @property
    def leads(self) -> bool:
        """Whether the page is a find for those who look for the way: a result, or an index of results."""
        return self.lead >= self.threshold


def lead_of(score: Explained) -> float:
    """Return how good a sign of more a page with this score is, in [0, 1] (`Verdict.lead`)."""
    return score.parts.get("lead", score.value)


class PageJudge(ABC):
    """Base class of judges: how far a page is on the topic, from title, headings and content tokens.

    Only `judge` must be written; every other method is a hook that by default learns nothing.
    """

    name: str = ""

    @abstractmethod
    def judge(self, page: PageAnalysis) -> Verdict:
        """Return the verdict on `page`; deterministic for a given sequence of calls, never raises on odd pages."""

    def judge_again(self, page: PageAnalysis) -> Verdict:
        """Return the verdict on a page that was judged before; nothing is learned of it a second time."""
        return self.judge(page)

    def learn(self, event: PageEvent) -> None:  # noqa: B027 - hooks do nothing by default
        """Learn from the judgement of another worker of a fleet on a page."""

    def snapshot(self) -> dict[str, object]:
        """Return what the judge has learned (threshold, feedback) as JSON-safe data."""
        return {}

    def restore(self, state: Mapping[str, object]) -> None:  # noqa: B027
        """Take up what `snapshot` returned."""
