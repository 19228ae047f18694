"""Which topic words each link of a page shows, found once a page and shared by scorers and rankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.topic.base import TopicModel

Terms = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkMatches:
    """Topic words in the metadata classes of the links of a page (docs/formulas.md A.1, B); one entry for each link.

    ``text`` is the class TEXT without the surroundings, which are ``around``: a word in the link itself says more
    than one beside it, and only B.2 puts the two together.
    """

    url: Sequence[Terms]
    text: Sequence[Terms]
    around: Sequence[Terms]
    title: Sequence[Terms]


# Sites repeat their links on every page, so words once looked up are asked for again and again. The bound keeps the
# memory at some 10 MB; forgetting everything now and then is cheaper than keeping track of what was used last.
_MAX_REMEMBERED = 20_000


class _Memory:
    """Topic words of token lists seen on earlier pages, for one topic."""

    def __init__(self, topic: TopicModel) -> None:
        self.topic = topic
        self.text: dict[Terms, Terms] = {(): ()}
        self.url: dict[Terms, Terms] = {(): ()}

    def text_terms(self, tokens: Terms) -> Terms:
        found = self.text.get(tokens)
        if found is None:
            if len(self.text) >= _MAX_REMEMBERED:
                self.text = {(): ()}
            found = self.text[tokens] = self.topic.matcher.in_tokens(tokens)
        return found

    def url_terms(self, link: Link) -> Terms:
        found = self.url.get(link.url_tokens)
        if found is None:
            if len(self.url) >= _MAX_REMEMBERED:
                self.url = {(): ()}
            found = self.url[link.url_tokens] = self.topic.matcher.in_url(link.url_tokens)
        if link.extra_url_tokens:
            return _union(found, self.topic.matcher.in_url(link.extra_url_tokens))
        return found


# The scorers of a page run one after the other on the same list of links. Remembering the last page is enough for all
# of them to share the look-ups; identity decides, so a stale answer is impossible while the entry holds its page.
_last: tuple[Sequence[Link], PageAnalysis, TopicModel, LinkMatches] | None = None
_memory: _Memory | None = None


def matches_of(links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> LinkMatches:
    """Return the topic words of `links`; each distinct token list is looked up once."""
    global _last, _memory
    last = _last
    if (
        last is not None
        and last[0] is links
        and last[1] is page
        and last[2] is topic
        and len(last[3].url) == len(links)
    ):
        return last[3]
    memory = _memory
    if memory is None or memory.topic is not topic:
        memory = _memory = _Memory(topic)
    text_terms, in_tokens = memory.text_terms, topic.matcher.in_tokens
    matches = LinkMatches(
        [memory.url_terms(link) for link in links],
        [text_terms(link.text_tokens) if link.text_tokens else () for link in links],
        # Long, and hardly ever the same twice: not worth remembering.
        [in_tokens(link.surrounding_tokens) if link.surrounding_tokens else () for link in links],
        [text_terms(link.title_tokens) if link.title_tokens else () for link in links],
    )
    _last = (links, page, topic, matches)
    return matches


def know_matches(links: Sequence[Link], page: PageAnalysis, topic: TopicModel, matches: LinkMatches) -> None:
    """Take the topic words of `links` as found before, so that `matches_of` need not look them up."""
    global _last
    _last = (links, page, topic, matches)


def _union(first: Terms, second: Terms) -> Terms:
    return first if not second else tuple(dict.fromkeys(first + second))
