"""Texts of a page, segmented together, and a memory of URLs across pages."""

from __future__ import annotations

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


class UrlMemory(dict[str, tuple[UrlKey, HostKey, tuple[str, ...]]]):
    """URLs that a crawl has taken apart: normal form -> key, host, tokens. It belongs to one tokenizer."""

    def keep_small(self) -> None:
        """Forget all once there are too many, which is cheaper than keeping track of what was used last."""
        if len(self) > _MAX_URLS:
            self.clear()
