"""Sentences about what a crawl stored, as summary, status and report tell them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from focuscrawl.topic.corpus_words import CorpusWords
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import (
    COMMA,
    COMMON_WORDS,
    FEW_FOUND,
    LONE_WORDS,
    MORE_HOSTS,
    OF_COMMON_WORD,
    OF_HOST,
    OF_LONE_WORD,
    WORDLESS,
)

_FEW_PAGES, _FEW, _FEW_SHARE = 100, 20, 0.01
_WARN_COUNT, _WARN_SHARE, _WARN_HOSTS = 5, 0.1, 3
# With seven topics of a dozen words 5 to 36 % of the results of a crawl had one of them alone, and 61 % of those of an
# anatomist's blog; of topics that took what was not meant 56 to 88 %.
_LONE_SHARE, _COMMON_SHARE = 0.5, 0.25
_TOLD_WORDS = 3


def corpus_warnings(words: CorpusWords, stored: int, say: Say) -> list[str]:
    """Return the warnings that the results of a crawl give cause for, of which each surface tells all.

    Parameters
    ----------
    words
        The topic's words in title, text and tags of the pages.
    stored
        Results in all.
    """
    told = [wordless_warning(words.wordless, stored, say)]
    told.append(common_word_warning(words.common, words.only_common, stored, say))
    if not told[-1]:
        told.append(lone_word_warning(words.lone, stored, say))
    return [sentence for sentence in told if sentence]


def wordless_warning(wordless: Mapping[str, int], stored: int, say: Say) -> str:
    """Return a warning when too many results have no topic word of their own, '' when few have none.

    >>> wordless_warning({"blog.example": 60, "a.example": 5}, 130, Say())
    '65 of 130 results (50%) have no topic word in title, text or tags: 60 of blog.example, 5 of a.example'
    >>> wordless_warning({"blog.example": 3}, 130, Say())
    ''
    """
    count = sum(wordless.values())
    if count < _WARN_COUNT or count < _WARN_SHARE * stored:
        return ""
    ordered = sorted(wordless.items(), key=lambda item: (-item[1], item[0]))
    hosts = say(COMMA).join(say(OF_HOST, n=n, host=host) for host, n in ordered[:_WARN_HOSTS])
    more = say(MORE_HOSTS, n=len(ordered) - _WARN_HOSTS) if len(ordered) > _WARN_HOSTS else ""
    return say(WORDLESS, n=count, stored=stored, share=count / stored, hosts=hosts, more=more)


def lone_word_warning(lone: Mapping[str, int], stored: int, say: Say) -> str:
    """Return a warning when most results have one topic word alone, '' when most have several or none.

    >>> lone_word_warning({"bitcoin": 115, "node": 3}, 134, Say())[:75]
    "118 of 134 results (88%) have only one of the topic's words in title, text "
    >>> lone_word_warning({"bitcoin": 60}, 134, Say())
    ''
    """
    count = sum(lone.values())
    if count < _WARN_COUNT or count < _LONE_SHARE * stored:
        return ""
    ordered = sorted(lone.items(), key=lambda item: (-item[1], item[0]))[:_TOLD_WORDS]
    words = say(COMMA).join(say(OF_LONE_WORD, n=n, word=word) for word, n in ordered)
    return say(LONE_WORDS, n=count, stored=stored, share=count / stored, words=words)


def common_word_warning(common: Mapping[str, float], only: int, stored: int, say: Say) -> str:
    """Return a warning when many results rest on words that other pages have as well, '' when few do.

    Parameters
    ----------
    common
        Such words, and which share of the pages that are not relevant has each.
    only
        Results without any other.

    >>> common_word_warning({"student": 0.29, "london": 0.14}, 88, 116, Say())[:96]
    '88 of 116 results (76%) have in title, text and tags only topic words that many other pages have'
    >>> common_word_warning({"student": 0.29, "london": 0.14}, 8, 116, Say())
    ''
    """
    if only < _WARN_COUNT or only < _COMMON_SHARE * stored:
        return ""
    ordered = sorted(common.items(), key=lambda item: (-item[1], item[0]))[:_TOLD_WORDS]
    words = say(COMMA).join(say(OF_COMMON_WORD, share=share, word=word) for word, share in ordered)
    return say(COMMON_WORDS, n=only, stored=stored, share=only / stored, words=words)


def few_found_advice(pages: int, relevant: int, *, topic: str, run: str, say: Say) -> str:
    """Return what to do when hardly any of 100 pages and more is relevant, '' when some are.

    >>> few_found_advice(600, 1, topic="tea.toml", run="crawls/tea", say=Say())[:76]
    'hardly any page is on the topic: start nearer to it (focuscrawl seeds find t'
    >>> few_found_advice(600, 7, topic="tea.toml", run="crawls/tea", say=Say())
    ''
    """
    if pages < _FEW_PAGES or relevant >= _FEW or relevant > _FEW_SHARE * pages:
        return ""
    return say(FEW_FOUND, topic=shlex.quote(topic), run=shlex.quote(run))
