"""The Chinese segmenters behind the tokenizers, loaded when the first Chinese text comes.

A segmenter with words of its own holds a dictionary for itself: another topic's words are not in it.
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

_FREQUENCY = 100_000
"""Of an added word, as in jieba's dictionary (60 million in all): as a whole it is likelier than any cut of it, and it
does not tear two common words apart ("茶艺" in "红茶艺术")."""

_PIECE_CHARS = 100_000
_PLACE = "ns"
"""What jieba's dictionary marks the name of a place with."""

Segment = Callable[[str], list[str]]
"""Cuts text into words that, joined, give the text again."""


def rjieba_segment(text: str) -> list[str]:
    """Return the words of `text` as the compiled port of jieba cuts them, with its model for unknown words."""
    import rjieba

    return _in_pieces(rjieba.cut, text)


def rjieba_with(words: Sequence[str]) -> Segment:
    """Return a segmenter as `rjieba_segment`, with more words in its dictionary."""

    @cache
    def dictionary() -> Any:
        import rjieba

        made = rjieba.Jieba()
        for word in words:
            made.add_word(word, _FREQUENCY, None)
        return made

    def segment(text: str) -> list[str]:
        return _in_pieces(dictionary().cut, text)

    return segment


def _in_pieces(cut: Callable[..., list[str]], text: str) -> list[str]:
    """Return the words of a text, a long one cut piece by piece with equal words as one object.

    At once, a word of a million signs would take 150 MB; a piece may end within a word.
    """
    if len(text) <= _PIECE_CHARS:
        return cut(text, True)
    known: dict[str, str] = {}
    starts = range(0, len(text), _PIECE_CHARS)
    return [known.setdefault(word, word) for at in starts for word in cut(text[at : at + _PIECE_CHARS], True)]


def jieba_with(words: Sequence[str]) -> Segment:
    """Return a segmenter as `jieba_segment`, with more words in its dictionary."""

    @cache
    def dictionary() -> Any:
        made = _load_jieba()
        for word in words:
            made.add_word(word, _FREQUENCY)
        return made

    def segment(text: str) -> list[str]:
        found: list[str] = dictionary().lcut(text)
        return found

    return segment


def jieba_segment(text: str) -> list[str]:
    """Return the words of `text` as jieba cuts them; the first call takes about a second to read the dictionary."""
    words: list[str] = _jieba().lcut(text)
    return words


def is_place(word: str) -> bool:
    """Tell whether jieba's dictionary has a word as the name of a place.

    >>> is_place("上海"), is_place("历史")
    (True, False)
    """
    return [(word, _PLACE)] == _tag()(word)


@cache
def _tag() -> Callable[[str], list[tuple[str, str]]]:
    """Return what gives the words of a text with their marks."""
    if find_spec("rjieba") is not None:
        import rjieba

        tag: Callable[[str], list[tuple[str, str]]] = rjieba.tag
        return tag
    dictionary = _jieba()
    from jieba.posseg import POSTokenizer

    tagger = POSTokenizer(dictionary)
    return lambda text: [(pair.word, pair.flag) for pair in tagger.cut(text)]


@cache
def _jieba() -> Any:
    return _load_jieba()


def _load_jieba() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba 0.42.1 imports pkg_resources and has invalid escapes in its patterns
        import jieba

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    # jieba keeps its dictionary as marshalled code under a fixed name in the shared temporary directory, where another
    # user may have put something else first: a private directory that lives only while it loads takes that way out.
    with tempfile.TemporaryDirectory(prefix="focuscrawl-jieba-") as private:
        tokenizer.tmp_dir = private
        tokenizer.initialize()
    return tokenizer
