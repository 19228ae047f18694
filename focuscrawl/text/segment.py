"""The Chinese segmenters behind the tokenizers, loaded when the first Chinese text comes."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Callable
from functools import cache

Segment = Callable[[str], list[str]]
"""Cuts text into words that, joined, give the text again."""


def rjieba_segment(text: str) -> list[str]:
    """Return the words of `text` as the compiled port of jieba cuts them, with its model for unknown words."""
    import rjieba

    words: list[str] = rjieba.cut(text, True)
    return words


def jieba_segment(text: str) -> list[str]:
    """Return the words of `text` as jieba cuts them; the first call takes about a second to read the dictionary."""
    return _jieba()(text)


@cache
def _jieba() -> Segment:
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
    segment: Segment = tokenizer.lcut
    return segment
