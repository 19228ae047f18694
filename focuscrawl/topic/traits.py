"""Traits of a page: what a correction by examples weighs beside the relevance by the judge.

They are of the page's own words only: title, the first 300 words of the text, the address. Each has a standard normal
prior (`focuscrawl.topic.correction`), so their scale says how much one example may move; docs/teach.md has the
measurements that these were chosen by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.urls import url_tokens
from focuscrawl.text.quantity import is_telling
from focuscrawl.text.vectors import Vector
from focuscrawl.topic.base import TopicModel

WORDS = 2.0
"""Length of the vector of words, those of all pages alike: pages that share no word are moved apart."""
TEXT_TOKENS = 300
TITLE_WEIGHT = 3
_LEAST_IDF = 2.0  # words of every seventh document and commoner ones tell nothing
_HALF_TERMS = 2.0
# Names of the traits that are no words; no word has a colon in it.
ALWAYS, IN_TITLE, TERMS, IN_URL, LISTING = "page:any", "page:title", "page:terms", "page:url", "page:listing"
LABELS: Mapping[str, str] = {
    ALWAYS: "all pages",
    IN_TITLE: "a topic word in the title",
    TERMS: "several topic words",
    IN_URL: "a topic word in the address",
    LISTING: "an index of other pages",
}
"""What the traits that are no words are called for people."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page that examples are compared by, as tokens."""

    title: Sequence[str]
    text: Sequence[str]
    url: Sequence[str]


def words_of(page: PageAnalysis, topic: TopicModel) -> PageWords:
    """Return the words of an analysed page, in its own view."""
    return PageWords(page.title_tokens, page.content_tokens[:TEXT_TOKENS], url_tokens(page.url, topic.tokenizer))


def words_of_text(url: str, title: str, text: str, topic: TopicModel) -> PageWords:
    """Return the words of a page by its extracted text."""
    return PageWords(
        tuple(topic.tokens(title)), tuple(topic.tokens(text))[:TEXT_TOKENS], url_tokens(url, topic.tokenizer)
    )


def traits_of(words: PageWords, topic: TopicModel, *, parts: Mapping[str, float]) -> Vector:
    """Return the traits of a page, trait to value.

    Parameters
    ----------
    words
        Its words.
    parts
        Parts of the judge's score, which tell an index of other pages.
    """
    traits = word_vector(words, topic)
    traits[ALWAYS] = 1.0
    matcher = topic.matcher
    in_title = matcher.counts(words.title)
    terms = len({*in_title, *matcher.counts(words.text)})
    if in_title:
        traits[IN_TITLE] = 1.0
    if terms:
        traits[TERMS] = 1.0 - exp(-terms / _HALF_TERMS)
    if matcher.counts(words.url):
        traits[IN_URL] = 1.0
    if "listing" in parts:
        traits[LISTING] = 1.0
    return traits


def word_vector(words: PageWords, topic: TopicModel) -> Vector:
    """Return the telling words with (1 + ln tf) * idf, those of the title three times; of length `WORDS`, or empty."""
    counts = Counter(words.text)
    counts.update(words.url)
    for token in words.title:
        counts[token] += TITLE_WEIGHT
    vector: Vector = {}
    squares = 0.0
    for token, count in counts.items():
        idf = topic.idf(token)
        if idf >= _LEAST_IDF and is_telling(token):
            weight = (1.0 + log(count)) * idf
            vector[token] = weight
            squares += weight * weight
    scale = WORDS / sqrt(squares) if squares else 0.0
    return {token: weight * scale for token, weight in vector.items()}
