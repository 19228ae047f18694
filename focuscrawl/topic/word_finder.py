"""Pattern that finds the words of a topic in a text, to mark them for a person."""

from __future__ import annotations

from collections.abc import Iterable

import re2

from focuscrawl.text.simplified import either_script
from focuscrawl.topic.spec import TopicSpec


def topic_words(spec: TopicSpec) -> re2._Regexp[str] | None:
    """Return what finds the words of a topic in a text, with simple plurals; None for a topic without words.

    >>> topic_words(TopicSpec(name="tea", terms={"tea": 1.0, "茶": 1.0})).findall("Teas, a steamer and 红茶")
    ['Teas', '茶']
    """
    return word_finder((*spec.terms, *(form for forms in spec.synonyms.values() for form in forms)))


def word_finder(given: Iterable[str]) -> re2._Regexp[str] | None:
    """Return what finds words in a text, with simple plurals; None for none."""
    words = {word for word in given if word}
    if not words:
        return None
    forms = (
        rf"\b{re2.escape(word)}(?:e?s)?\b" if word.isascii() else _in_either_script(word)
        for word in sorted(words, key=lambda word: (-len(word), word))
    )
    options = re2.Options()
    options.case_sensitive = False
    return re2.compile("|".join(forms), options)


def _in_either_script(word: str) -> str:
    """Return a pattern of a word in simplified, in traditional or in mixed Chinese characters."""
    return "".join(f"[{spellings}]" if len(spellings := either_script(char)) > 1 else re2.escape(char) for char in word)
