"""Background frequencies of words in the language at large.

Word frequencies are those of the `wordfreq` package. Only words that make up at least one in ten million are kept
(about 100,000 a language, some 15 MB): rarer ones are all equally telling. A list is loaded when a word of its script
is looked up for the first time (`word_lists`), once for all languages that share it: "zh", "zh-TW" and "auto".
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from math import exp

from focuscrawl.text.tokenize import is_han
from focuscrawl.text.word_lists import DOCUMENT_TOKENS, RAREST_IDF, has_wordfreq, listed_languages, word_list

__all__ = ["DOCUMENT_TOKENS", "RAREST_IDF", "Background", "background_idf", "warn_of_missing_list"]

logger = logging.getLogger(__name__)


class Background:
    """Document frequencies of a language; read-only, shared, loaded at the first look-up.

    Chinese tokens are looked up in the Chinese list (in the Japanese one for "ja"), all others in that of `language`,
    or in the English one for "zh", "auto" and languages without a list.
    """

    __slots__ = ("_han", "_han_words", "_language", "_words", "language")

    def __init__(self, language: str = "auto") -> None:
        self.language = language
        primary = language.partition("-")[0].lower()
        known = listed_languages()
        self._language = primary if primary in known and primary != "zh" else "en"
        self._han = "ja" if primary == "ja" and primary in known else "zh"
        # Empty until the first word of their script is looked up.
        self._han_words: Mapping[str, float] = _NO_WORDS
        self._words: Mapping[str, float] = _NO_WORDS

    def idf(self, token: str) -> float:
        """Return -ln df_share(token): 0 for the commonest words, about 10.1 for unknown ones."""
        known = self._words.get(token)
        if known is None:
            known = self._han_words.get(token)
        return self._look_up(token) if known is None else known

    def df_share(self, token: str) -> float:
        """Return the probability that a document of 400 tokens contains `token`, in (0, 1]: 1 - exp(-400 p)."""
        return exp(-self.idf(token))

    def _look_up(self, token: str) -> float:
        if is_han(token[:1]):
            if self._han_words is _NO_WORDS:
                self._han_words = word_list(self._han, han=True)
                return self.idf(token)
        elif self._words is _NO_WORDS:
            self._words = word_list(self._language, han=self._language == self._han)
            return self.idf(token)
        return RAREST_IDF


def background_idf(language: str = "auto") -> Background:
    """Return the document frequencies of `language` (BCP-47 or "auto"); one object a language."""
    return _shared(language)


def warn_of_missing_list(language: str) -> None:
    """Log that the English list stands in for that of a topic's `language`.

    Pages are not asked about: a crawl meets many languages, and its topic is in one.
    """
    primary = language.partition("-")[0].lower()
    if primary not in listed_languages() and primary != "auto" and not has_wordfreq():
        logger.warning(
            'language = "%(language)s": no list of how common its words are is installed; the English one stands'
            " in. pip install 'focuscrawl[languages]' brings those of 40 languages.",
            {"language": language},
        )


_NO_WORDS: Mapping[str, float] = {}


@cache
def _shared(language: str) -> Background:
    return Background(language)
