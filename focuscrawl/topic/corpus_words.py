"""Topic words in the results of a crawl and on its other pages, which tell what the results rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from focuscrawl.topic.evidence import Evidence, own_words

COMMON_SHARE = 0.12
"""Of the pages that are not relevant and no indexes: words that so many have tell little. In crawls with topics made of
a sentence the words that took what was not meant (London, growing, 管理) stood on 13 to 22 % of these."""
INDEX_PARTS = ("listing", "stub")
"""Parts by which a judge says that it took a page for an index of others, or for one that sends its visitors on."""
LEAST_PAGES = 50
"""Pages that are not relevant, with fewer of which the shares are chance."""

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class CorpusWords:
    """Which results have few topic words in title, text and tags, where an author says what a page is about."""

    wordless: Mapping[str, int] = field(default_factory=dict)  # host -> results without one
    lone: Mapping[str, int] = field(default_factory=dict)  # word -> results with no other; none while no page has two
    common: Mapping[str, float] = field(default_factory=dict)
    """Word -> share of the pages that are neither relevant nor indexes which have it, in [0.12, 1]."""
    only_common: int = 0  # results with no other words than these

    def by_name(self) -> dict[str, object]:
        """Return the figures for programs."""
        return {
            "wordless": dict(self.wordless),
            "lone_words": dict(self.lone),
            "common_words": dict(self.common),
            "only_common_words": self.only_common,
        }


@dataclass(slots=True)
class CorpusWordCounts:
    """Counts the topic words of judged pages; `look` sums up."""

    _wordless: Counter[str] = field(default_factory=Counter)
    _sets: Counter[frozenset[str]] = field(default_factory=Counter)  # of results, the words that each has
    _lone: Counter[str] = field(default_factory=Counter)  # of results with one word, that
    _others: Counter[str] = field(default_factory=Counter)  # of pages that are neither relevant nor indexes
    _other_pages: int = 0
    _most: int = 0  # words of a page

    def add(
        self,
        host: str,
        evidence: Evidence,
        own_terms: int | None,
        *,
        relevant: bool,
        stored: bool,
        index: bool = False,
        sign: int = 1,
    ) -> None:
        """Count a judged page, or take it back with a `sign` of -1.

        Parameters
        ----------
        own_terms
            Different topic words in title, text and tags, None for a topic without words: its pages are left aside.
        relevant, stored
            The verdict, and whether the page is a result.
        index
            The page is an index of others or sends its visitors on: the words on it are theirs.
        """
        if own_terms is None:
            return
        self._most = max(self._most, own_terms)
        if not stored and (relevant or index):
            return
        if not relevant:
            self._other_pages = max(0, self._other_pages + sign)
        elif not own_terms:
            _count(self._wordless, host, sign)
        if not own_terms:
            return
        found = own_words(evidence)
        if relevant:
            _count(self._sets, found, sign)
            if own_terms == 1 and found:
                _count(self._lone, min(found), sign)
        else:
            for word in found:
                _count(self._others, word, sign)

    def look(self) -> CorpusWords:
        """Return what is known so far."""
        lone = dict(self._lone) if self._most > 1 else {}
        common: dict[str, float] = {}
        if self._most > 1 and self._other_pages >= LEAST_PAGES:
            common = {word: n / self._other_pages for word, n in self._others.items()}
            common = {word: share for word, share in common.items() if share >= COMMON_SHARE}
        return CorpusWords(
            wordless=dict(self._wordless),
            lone=lone,
            common=common,
            only_common=sum(n for words, n in self._sets.items() if words and words <= common.keys()),
        )


def is_index(judged: Mapping[str, object]) -> bool:
    """Tell by a judge's parts whether it took a page for an index of others or for a stub."""
    return any(part in judged for part in INDEX_PARTS)


def _count(counts: Counter[_Key], key: _Key, sign: int) -> None:
    counts[key] += sign
    if counts[key] <= 0:
        del counts[key]
