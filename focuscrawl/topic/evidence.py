"""Evidence: where the words of a topic stand on a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tags import tag_words
from focuscrawl.page.urls import host_tokens, path_tokens
from focuscrawl.text.tokenize import is_han
from focuscrawl.topic.base import TopicModel

PLACES = ("title", "headings", "text", "tags", "links", "url", "site")
"""Of `tags` are the page's own tags and categories, of `links` its other links, boilerplate and what a stored text
leaves out; of `site` is what its host repeats, which counts nothing or little."""

_OWN_PLACES = ("title", "text", "tags")
_LONGEST_PHRASE = 60  # characters of a term whose parts are looked for

Evidence = Mapping[str, Mapping[str, int]]
"""Place -> topic term -> how often it stands there; places without one are left out."""


def evidence_of(
    page: PageAnalysis, topic: TopicModel, *, text: tuple[Sequence[str], Sequence[str]] | None = None
) -> Evidence:
    """Return where the topic's terms stand on a page.

    Parameters
    ----------
    page
        The page's own view.
    text
        Tokens of the title and the text as they are stored; else those of the analysis.
    """
    counts = topic.matcher.counts
    title, content = text or (page.title_tokens, page.content_tokens)
    inside = counts(page.content_tokens)
    if text is not None:  # the judge read what the stored text leaves out, such as the beginnings of related pages
        kept = counts((*content, *page.heading_tokens))
        inside = {term: min(count, kept.get(term, 0)) for term, count in inside.items()}
    links = {term: count - inside.get(term, 0) for term, count in counts(page.tokens).items()}
    links = {term: count for term, count in links.items() if count > 0}
    tags = (
        {term: min(count, links[term]) for term, count in counts(tag_words(page)).items() if term in links}
        if links
        else {}
    )
    found = {
        "title": counts(title),
        "headings": counts(page.heading_tokens),
        "text": counts(content),
        "tags": tags,
        "links": {term: count - tags.get(term, 0) for term, count in links.items() if count > tags.get(term, 0)},
        "url": counts(path_tokens(page.url, topic.tokenizer)),
        "site": counts((*page.site_wide.tokens, *host_tokens(page.host, topic.tokenizer))),
    }
    return {place: found[place] for place in PLACES if found[place]}


def own_terms(evidence: Evidence, topic: TopicModel) -> int | None:
    """Return how many different terms stand in title, text and tags, where an author says what a page is about.

    None for a topic that has no words, of which no page can lack any. A phrase and a part of it are one word; a phrase
    and two of its words are two.
    """
    return count_of_words(evidence) if topic.weights else None


def count_of_words(evidence: Evidence) -> int:
    """Return how many words `own_words` are, of which a phrase made of several terms is as many.

    >>> count_of_words({"text": {"oklahoma": 4, "oklahoma city": 2}})
    1
    >>> count_of_words({"text": {"machine": 1, "learning": 1, "machine learning": 1}})
    2
    """
    found = {term.casefold() for place in _OWN_PLACES for term in evidence.get(place, ())}
    held = {term: found.intersection(_parts(term)) for term in found}
    inside = set().union(*held.values())
    return sum(
        max(1, len(parts.difference(*(held[part] for part in parts))))
        for term, parts in held.items()
        if term not in inside
    )


def own_words(evidence: Evidence) -> frozenset[str]:
    """Return the terms in title, text and tags without those that others there hold: a phrase counts once.

    >>> own_words({"title": {"oklahoma": 1}, "text": {"oklahoma": 4, "oklahoma city": 2}})
    frozenset({'oklahoma city'})
    """
    found = {term for place in _OWN_PLACES for term in evidence.get(place, ())}
    held = {part for term in found for part in _parts(term.casefold())}
    return frozenset(term for term in found if term.casefold() not in held)


def _parts(phrase: str) -> Iterator[str]:
    """Yield what is in a phrase and less than it: runs of its words, and of its characters in Chinese."""
    if len(phrase) > _LONGEST_PHRASE:
        return
    joint = "" if any(map(is_han, phrase)) else " "
    pieces = phrase.split(" ") if joint else list(phrase)
    for size in range(1, len(pieces)):
        for start in range(len(pieces) - size + 1):
            yield joint.join(pieces[start : start + size])
