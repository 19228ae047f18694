"""Links, pages and a topic made by hand, for tests of scorers and rankers.

The topic has plain dictionaries where a fitted one has a model, so that a test states its numbers instead of
depending on a segmenter or on what a fit makes of samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.page.blank import blank_page
from focuscrawl.page.model import Block, Link, PageAnalysis
from focuscrawl.ranking.base import Judged
from focuscrawl.topic.base import Verdict
from focuscrawl.topic.link_matches import LinkMatcher
from focuscrawl.types import Explained, digest64


class WordMatcher:
    """Occurrence as docs/formulas.md B defines it: equal tokens, phrases, parts of URL tokens from 4 characters."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.terms = [(t, tuple(t.split())) for t in sorted(weights, key=lambda t: (-weights[t], t))]
        self.calls = 0

    def in_tokens(self, tokens: Sequence[str]) -> tuple[str, ...]:
        self.calls += 1
        tokens = tuple(tokens)
        return tuple(
            term
            for term, words in self.terms
            if any(tokens[i : i + len(words)] == words for i in range(len(tokens) - len(words) + 1))
        )

    def in_url(self, tokens: Sequence[str]) -> tuple[str, ...]:
        whole = self.in_tokens(tokens)
        return tuple(
            term
            for term, _ in self.terms
            if term in whole or (len(term) >= 4 and term.isascii() and any(term in token for token in tokens))
        )


class Spaces:
    """Tokens are what stands between spaces."""

    name = "spaces"

    def tokens(self, text: str) -> list[str]:
        return text.lower().split()

    def chunks(self, chunks: Sequence[str]) -> list[list[str]]:
        return [self.tokens(chunk) for chunk in chunks]


@dataclass
class HandTopic:
    """A topic whose every number is given."""

    weights: Mapping[str, float] = field(default_factory=lambda: {"chess": 1.0, "rook": 0.5})
    related: Mapping[str, float] = field(
        default_factory=lambda: {"chess": 1.0, "rook": 1.0, "board": 0.8, "opening": 0.6, "game": 0.3}
    )
    query: tuple[str, ...] = ("chess", "rook")
    expanded: Mapping[str, float] = field(default_factory=lambda: {"chess": 1.0, "rook": 1.0, "board": 0.5})
    own_words: Mapping[str, float] = field(default_factory=dict)
    stop_words: frozenset[str] = frozenset({"and", "the"})
    name: str = "chess"
    version: str = "0"

    def __post_init__(self) -> None:
        self.tokenizer = Spaces()
        self.matcher = WordMatcher(self.weights)
        self.link_matcher = LinkMatcher(self.matcher)
        self.own_matcher = WordMatcher(self.own_words)
        self.term_tokens = {term: tuple(term.split()) for term in self.weights}

    def tokens(self, text: str) -> list[str]:
        return self.tokenizer.tokens(text)

    def similarity(self, docs: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Share of topic words among the tokens."""
        return np.array([sum(t in self.weights for t in doc) / len(doc) if doc else 0.0 for doc in docs])

    def relatedness(self, terms: Sequence[str]) -> NDArray[np.float64]:
        return np.array([self.related.get(t, 0.0) for t in terms])

    def top_terms(self, n: int = 20) -> list[tuple[str, float]]:
        return sorted(self.weights.items(), key=lambda item: -item[1])[:n]


def link(
    url: str = "http://e.com/a/b",
    anchor: str = "",
    *,
    around: str = "",
    title: str = "",
    extra: str = "",
    **changes: Any,
) -> Link:
    """A link whose tokens are its words; those of the URL are what stands between its punctuation marks."""
    url_words = "".join(c if c.isalnum() else " " for c in url.partition("://")[2]).lower().split()
    fields: dict[str, Any] = {
        "url": url,
        "key": digest64(url),
        "host": url.partition("://")[2].partition("/")[0],
        "tag": "a",
        "anchor": anchor,
        "anchor_tokens": tuple(anchor.lower().split()),
        "text_tokens": tuple(anchor.lower().split()),
        "surrounding_tokens": tuple(around.lower().split()),
        "title_tokens": tuple(title.lower().split()),
        "extra_url_tokens": tuple(extra.lower().split()),
        "url_tokens": tuple(url_words),
    }
    return Link(**(fields | changes))


def block(
    index: int, parent: int, text: str = "", *, tag: str = "p", siblings: int = 1, boilerplate: bool = False
) -> Block:
    return Block(index, parent, tag, siblings, tuple(text.lower().split()), len(text), 0, boilerplate)


def page(
    url: str = "http://e.com/a/",
    *,
    title: str = "",
    text: str = "",
    blocks: Sequence[Block] = (),
    links: Sequence[Link] = (),
) -> PageAnalysis:
    tokens = tuple(text.lower().split())
    return replace(
        blank_page(url, key=digest64(url)),
        title=title,
        title_tokens=tuple(title.lower().split()),
        language="en",
        blocks=tuple(blocks),
        tokens=tokens,
        content_tokens=tokens,
        links=tuple(links),
    )


def judged(analysis: PageAnalysis | None = None, relevance: float = 0.0, **changes: Any) -> Judged:
    """A judged page, relevant from 0.5 on."""
    verdict = Verdict(Explained(relevance), 0.5, relevance >= 0.5, "chess@0")
    return Judged(analysis or page(), verdict, **changes)
