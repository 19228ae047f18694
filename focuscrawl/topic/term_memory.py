"""Look-ups of topic words in token lists, remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.topic.base import TermMatcher

Terms = tuple[str, ...]

MAX_REMEMBERED = 20_000
"""Sites repeat their links on every page, so words once looked up are asked for again and again. The bound keeps the
memory at some 10 MB; forgetting everything now and then is cheaper than keeping track of what was used last."""


class TermMemory:
    """Finder of a matcher's words in the texts and URLs of links, with a memory of token lists."""

    def __init__(self, matcher: TermMatcher) -> None:
        self.matcher = matcher
        self._text: dict[Terms, Terms] = {(): ()}
        self._url: dict[Terms, Terms] = {(): ()}

    def in_text(self, tokens: Terms) -> Terms:
        """Return the words in the tokens of a text."""
        found = self._text.get(tokens)
        if found is None:
            if len(self._text) >= MAX_REMEMBERED:
                self._text = {(): ()}
            found = self._text[tokens] = self.matcher.in_tokens(tokens)
        return found

    def in_url(self, tokens: Terms) -> Terms:
        """Return the words in the tokens of a URL."""
        found = self._url.get(tokens)
        if found is None:
            if len(self._url) >= MAX_REMEMBERED:
                self._url = {(): ()}
            found = self._url[tokens] = self.matcher.in_url(tokens)
        return found
