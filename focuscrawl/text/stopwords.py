"""Stop words: what every text of a language, or the frame of every web page, is full of."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from focuscrawl.text.tokenize import make_tokenizer

_SHIPPED = ("zh", "en")


def stopwords(language: str = "auto") -> frozenset[str]:
    """Return the stop words of `language` (BCP-47) as the tokenizers cut them; both lists for "auto".

    The plural stem of an English stop word is one too ("ourselves" and "ourselve"), so the set serves stemmed tokens
    and plain ones. A language without a list has no stop words.
    """
    return _words("stopwords", language) | frame_words(language)


def frame_words(language: str = "auto") -> frozenset[str]:
    """Return those of the stop words that stand in the frame of every web page, and in the names of subjects, too.

    >>> {"email", "policy", "电话"} <= frame_words()
    True
    """
    return _words("frame-words", language)


@cache
def _words(kind: str, language: str) -> frozenset[str]:
    primary = language.partition("-")[0].lower()
    known = _SHIPPED if primary in ("", "auto") else (primary,) if primary in _SHIPPED else ()
    return frozenset().union(*(_shipped(kind, one) for one in known))


@cache
def _shipped(kind: str, language: str) -> frozenset[str]:
    text = files("focuscrawl").joinpath("data", f"{kind}-{language}.txt").read_text("utf-8")
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    stem = make_tokenizer(language, name="words")
    return frozenset(words).union(*(stem.tokens(word) for word in words))
