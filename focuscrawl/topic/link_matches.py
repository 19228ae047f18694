"""Topic words of each link of a page, found once and shared by scorers and rankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focuscrawl.topic.term_memory import TermMemory, Terms

if TYPE_CHECKING:
    from focuscrawl.page.model import Link
    from focuscrawl.topic.base import TermMatcher


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


class LinkMatcher:
    """Finder of topic words in links, with a memory of token lists.

    The scorers of a page, and a strategy that asks for words itself, run one after the other on the same list of links:
    with the last list remembered they share its look-ups. Identity decides, so a stale answer is impossible. The page
    is not held with its links: its tree would stand in memory until that of the next page is there beside it.
    """

    def __init__(self, matcher: TermMatcher) -> None:
        self._terms = TermMemory(matcher)
        self._last: tuple[Sequence[Link], LinkMatches] | None = None

    def of(self, links: Sequence[Link]) -> LinkMatches:
        """Return the topic words of `links`; each distinct token list is looked up once."""
        last = self._last
        if last is not None and last[0] is links and len(last[1].url) == len(links):
            return last[1]
        text_terms, in_tokens = self._terms.in_text, self._terms.matcher.in_tokens
        matches = LinkMatches(
            [self._url_terms(link) for link in links],
            [text_terms(link.text_tokens) if link.text_tokens else () for link in links],
            # Long, and hardly ever the same twice: not worth remembering.
            [in_tokens(link.surrounding_tokens) if link.surrounding_tokens else () for link in links],
            [text_terms(link.title_tokens) if link.title_tokens else () for link in links],
        )
        self._last = (links, matches)
        return matches

    def know(self, links: Sequence[Link], matches: LinkMatches) -> None:
        """Take the topic words of `links` as found before, so that `of` need not look them up."""
        self._last = (links, matches)

    def _url_terms(self, link: Link) -> Terms:
        found = self._terms.in_url(link.url_tokens)
        if link.extra_url_tokens:
            return _union(found, self._terms.matcher.in_url(link.extra_url_tokens))
        return found


def _union(first: Terms, second: Terms) -> Terms:
    return first if not second else tuple(dict.fromkeys(first + second))
