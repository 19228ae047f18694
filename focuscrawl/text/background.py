"""Background frequencies of words in the language at large.

Word frequencies come from the `wordfreq` package. Only words that make up at least one in ten million are kept (about
100,000 a language, some 15 MB): rarer ones are all equally telling. A list is loaded in about 0.3 s when a word of its
script is looked up for the first time, once for all languages that share it: "zh", "zh-TW" and "auto".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import exp, expm1, log

from focuscrawl.text.stem import s_stem
from focuscrawl.text.tokenize import is_han, make_tokenizer, stemming_of

DOCUMENT_TOKENS = 400
"""Length of the typical document `df_share` speaks of: the main text of an article."""
_RAREST_CENTIBEL = 700
"""One in ten million: at 400 tokens a document, a word in 25,000 documents. In the lists, what is rarer is mostly
names, misspellings and numbers."""


class Background:
    """Document frequencies of a language; read-only, shared, loaded at the first look-up.

    Chinese tokens are looked up in the Chinese list (in the Japanese one for "ja"), all others in that of `language`,
    or in the English one for "zh", "auto" and languages without a list.
    """

    __slots__ = ("_han", "_han_words", "_language", "_words", "language")

    def __init__(self, language: str = "auto") -> None:
        self.language = language
        primary = language.partition("-")[0].lower()
        known = _listed_languages()
        self._language = primary if primary in known and primary != "zh" else "en"
        self._han = "ja" if primary == "ja" else "zh"
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
                self._han_words = _idf_of_list(self._han, han=True)
                return self.idf(token)
            return RAREST_IDF
        if self._words is _NO_WORDS:
            self._words = _idf_of_list(self._language, han=self._language == self._han)
            return self.idf(token)
        return self._number(token) if token.isdecimal() and token.isascii() else RAREST_IDF

    def _number(self, token: str) -> float:
        """The lists hold numbers by their number of digits only; this shares that out among them."""
        from wordfreq.numbers import digit_freq

        shape = self._words.get("0" * len(token))
        if shape is None:
            return RAREST_IDF
        return min(RAREST_IDF, _idf(_probability(shape) * digit_freq(token)))


def background_idf(language: str = "auto") -> Background:
    """Return the document frequencies of `language` (BCP-47 or "auto"); one object a language."""
    return _shared(language)


_NO_WORDS: Mapping[str, float] = {}


@cache
def _shared(language: str) -> Background:
    return Background(language)


def _idf(probability: float) -> float:
    return -log(-expm1(-DOCUMENT_TOKENS * probability)) if probability > 0.0 else RAREST_IDF


def _probability(idf: float) -> float:
    return -log(-expm1(-idf)) / DOCUMENT_TOKENS if idf > 0.0 else 1.0


RAREST_IDF = -log(-expm1(-DOCUMENT_TOKENS * 10.0 ** (-_RAREST_CENTIBEL / 100)))


@cache
def _listed_languages() -> frozenset[str]:
    from wordfreq import available_languages

    return frozenset(available_languages("best"))


@cache
def _idf_of_list(language: str, *, han: bool) -> Mapping[str, float]:
    """Return token -> idf, of Chinese words only with `han`, else without them.

    Words are cut and stemmed as the tokenizers do, and the probabilities of equal ones added.
    """
    from wordfreq import get_frequency_list

    # Without wordfreq's own cache, which would keep all 300,000 words of the list in memory for good.
    buckets: list[list[str]] = get_frequency_list.__wrapped__(language, "best")
    if han:
        return {
            word: _idf(10.0 ** (-centibel / 100))
            for centibel, bucket in enumerate(buckets[: _RAREST_CENTIBEL + 1])
            for word in bucket
            if is_han(word[:1])
        }
    tokenizer = make_tokenizer(language, name="words")
    stemmed = stemming_of(language) == "s"
    probability: dict[str, float] = {}
    for centibel, bucket in enumerate(buckets[: _RAREST_CENTIBEL + 1]):
        share = 10.0 ** (-centibel / 100)
        for word in bucket:
            plain = word.isalnum() and word.isascii()
            for token in (s_stem(word) if stemmed else word,) if plain else tokenizer.tokens(word):
                probability[token] = probability.get(token, 0.0) + share
    return {token: _idf(share) for token, share in probability.items() if not is_han(token[:1])}
