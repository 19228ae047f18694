"""Pattern that finds words of a topic in a text, to mark them for a person."""

from __future__ import annotations

from collections.abc import Iterable

import re2

from focuscrawl.text.simplified import either_script, simplified
from focuscrawl.topic.spec import TopicSpec


def topic_words(spec: TopicSpec) -> tuple[str, ...]:
    """Return the terms of a topic and their other names."""
    return (*spec.terms, *(form for forms in spec.synonyms.values() for form in forms))


def word_finder(given: Iterable[str], text: str) -> re2._Regexp[str] | None:
    """Return what finds words in a text, with simple plurals; None where it has none of them.

    RE2 has no room for all words of a long list, nor has it to look for those that the text does not have.

    >>> word_finder(["tea", "茶", "coffee"], "Teas, a steamer and 红茶").findall("Teas, a steamer and 红茶")
    ['Teas', '茶']
    """
    plain = _plain(text)
    words = {word for word in given if word and _plain(word) in plain}
    if not words:
        return None
    forms = (
        rf"\b{re2.escape(word)}(?:e?s)?\b" if word.isascii() else _in_either_script(word)
        for word in sorted(words, key=lambda word: (-len(word), word))
    )
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False  # of a text of nothing but words it takes more memory than it may, and goes on without
    return re2.compile("|".join(forms), options)


def _plain(text: str) -> str:
    return simplified(text.casefold())


def _in_either_script(word: str) -> str:
    """Return a pattern of a word in simplified, in traditional or in mixed Chinese characters."""
    return "".join(f"[{spellings}]" if len(spellings := either_script(char)) > 1 else re2.escape(char) for char in word)
