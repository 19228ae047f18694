"""Which topic words each link of a page shows, found once a page and shared by scorers and rankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.topic.base import TopicModel

Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkMatches:
    """Topic words in the metadata classes of the links of a page (algorithms A.1, B); one entry for each link.

    ``text`` is the class TEXT without the surroundings, which are ``around``: a word in the link itself says more
    than one beside it, and only B.2 puts the two together.
    """

    url: Sequence[Terms]
    text: Sequence[Terms]
    around: Sequence[Terms]
    title: Sequence[Terms]


# The scorers of a page run one after the other on the same list of links. Remembering the last page is enough for all
# of them to share the look-ups; identity decides, so a stale answer is impossible while the entry holds its page.
_last: tuple[Sequence[Link], PageAnalysis, TopicModel, LinkMatches] | None = None


def matches_of(links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> LinkMatches:
    """Return the topic words of `links`; one matcher call for each distinct token list of the page."""
    global _last
    last = _last
    if (
        last is not None
        and last[0] is links
        and last[1] is page
        and last[2] is topic
        and len(last[3].url) == len(links)
    ):
        return last[3]
    in_tokens, in_url = topic.matcher.in_tokens, topic.matcher.in_url
    text_known: dict[Terms, Terms] = {(): ()}
    url_known: dict[Terms, Terms] = {(): ()}

    def text_terms(tokens: Terms) -> Terms:
        found = text_known.get(tokens)
        if found is None:
            found = text_known[tokens] = in_tokens(tokens)
        return found

    def url_terms(tokens: Terms) -> Terms:
        found = url_known.get(tokens)
        if found is None:
            found = url_known[tokens] = in_url(tokens)
        return found

    matches = LinkMatches(
        [
            _union(url_terms(link.url_tokens), url_terms(link.extra_url_tokens))
            if link.extra_url_tokens
            else url_terms(link.url_tokens)
            for link in links
        ],
        [text_terms(link.text_tokens) for link in links],
        [text_terms(link.surrounding_tokens) for link in links],
        [text_terms(link.title_tokens) for link in links],
    )
    _last = (links, page, topic, matches)
    return matches


def _union(first: Terms, second: Terms) -> Terms:
    return first if not second else tuple(dict.fromkeys(first + second))
