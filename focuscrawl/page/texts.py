"""Texts of a page to be segmented together, and what is remembered of URLs from page to page."""

from __future__ import annotations

from focuscrawl.text.base import Tokenizer
from focuscrawl.types import HostKey, UrlKey

# About 600 bytes each; navigation links stand on every page of a host, so most links of a page are found here.
_MAX_URLS = 30_000


class Texts:
    """Texts to be segmented in one call; equal texts are segmented once."""

    __slots__ = ("_numbers", "texts")

    def __init__(self, chunks: list[str]) -> None:
        self.texts = chunks.copy()
        self._numbers: dict[str, int] = {}

    def add(self, text: str) -> int:
        """Return the number of `text`, -1 for an empty one."""
        if not text:
            return -1
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return number


UrlMemo = dict[str, tuple[UrlKey, HostKey, tuple[str, ...]]]
"""URL in normal form -> key, host, tokens."""

_last: tuple[Tokenizer | None, UrlMemo] = (None, {})


def url_memo(tokenizer: Tokenizer) -> UrlMemo:
    """Return what this process knows of URLs with this tokenizer; a crawl has one, so only the last is kept."""
    global _last
    if _last[0] is not tokenizer or len(_last[1]) > _MAX_URLS:
        _last = (tokenizer, {})
    return _last[1]
