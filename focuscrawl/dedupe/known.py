"""The texts a crawl has kept: each new one is looked up among them before it is stored."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from focuscrawl.dedupe.near import NearDuplicates
from focuscrawl.records import PageEvent
from focuscrawl.types import UrlKey

MAX_OTHERS = 200_000
"""Texts of other workers that are remembered, the newest: about 1.2 kB each."""


class KnownTexts:
    """Exact and near duplicates, of the texts this process has kept and of those of other workers.

    Parameters
    ----------
    max_others
        How many texts of other workers are remembered.
    """

    def __init__(self, *, max_others: int = MAX_OTHERS) -> None:
        self.near = NearDuplicates()
        self._digests: dict[str, UrlKey] = {}
        self._of_page: dict[UrlKey, tuple[str, ...]] = {}  # its digests
        self._others: deque[tuple[UrlKey, str]] = deque()  # oldest first
        self._max_others = max_others

    def check(
        self, key: UrlKey, digest: str, tokens: Callable[[], Sequence[str]], *, extracted: str = ""
    ) -> UrlKey | None:
        """Return the page whose text this one repeats, or None after noting the text.

        Parameters
        ----------
        digest
            `content_digest` of the text; not ''.
        tokens
            Gives its words, when its digest is new.
        extracted
            `content_digest` of all that was extracted, what the page's host repeats included; '' for unknown. A page
            that comes again under another address loses what it has meanwhile said twice.
        """
        for one in (digest, extracted):
            if one and (earlier := self._digests.get(one, key)) != key:
                return earlier
            if one and one not in self._digests:
                self._note(key, one)
        near = self.near.check(key, tokens())
        return near.key if near else None

    def learn(self, event: PageEvent) -> None:
        """Note the text another worker has kept, if it has, whatever is like it here.

        Two workers may store the same text before they know of each other. Both texts are there then, and the one known
        first stays the one that later texts are said to repeat.

        Raises
        ------
        ValueError
            If the signature is none.
        """
        key, digest, signature = event.key, event.digest, event.signature
        if not digest or digest in self._digests or self.near.signature(key) is not None:
            return
        if signature is not None:
            self.near.add(key, signature)
        self._note(key, digest)
        self._others.append((key, digest))
        if len(self._others) > self._max_others:
            oldest, its_digest = self._others.popleft()
            if self._digests.get(its_digest) == oldest:  # else it was forgotten, when this process asked for it again
                self.forget(oldest)

    def forget(self, key: UrlKey) -> None:
        """Take out the text of a page that was not kept after all; nothing happens when there is none."""
        for digest in self._of_page.pop(key, ()):
            del self._digests[digest]
        self.near.remove(key)

    def _note(self, key: UrlKey, digest: str) -> None:
        self._digests[digest] = key
        self._of_page[key] = (*self._of_page.get(key, ()), digest)
