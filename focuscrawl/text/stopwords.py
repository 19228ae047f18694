"""Stop words: what every text of a language is full of."""

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
    primary = language.partition("-")[0].lower()
    if primary in ("", "auto"):
        return _union()
    return _of(primary) if primary in _SHIPPED else frozenset()


@cache
def _union() -> frozenset[str]:
    return frozenset().union(*(_of(language) for language in _SHIPPED))


@cache
def _of(language: str) -> frozenset[str]:
    text = files("focuscrawl").joinpath("data", f"stopwords-{language}.txt").read_text("utf-8")
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    stem = make_tokenizer(language, name="words")
    return frozenset(words).union(*(stem.tokens(word) for word in words))
