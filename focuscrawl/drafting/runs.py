"""Runs of telling words in a sentence on a subject, which end at a stop word, a number or a sign.

Source: Stuart Rose and others, Automatic keyword extraction from individual documents, in: Text mining, 2010, where
runs are the candidates for keywords.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

import re2

from focuscrawl.drafting.joined_words import JOINING, NOUNS, JoinedWords, joined
from focuscrawl.text.background import RAREST_IDF, Background
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.quantity import is_quantity
from focuscrawl.text.signed_names import written_out
from focuscrawl.text.stopwords import frame_words, stopwords
from focuscrawl.text.tokenize import is_han

_VAGUE_WORDS = """
常见 常用 各种 各类 各式 各样 各地 多种 种种 方面 相关 有关 主要 不同 其他 其它 一些 某些 如何 怎样 怎么
了解 介绍 此次 首次 关于 寻找 喜欢 适合 学好 最好 最佳
best latest difference differences
various different several common general kind kinds type types sort sorts aspect aspects thing things
everything anything learn know find finding look looking searching interested page pages article articles
giving describing detail details related
"""
VAGUE = frozenset(_VAGUE_WORDS.split())
"""Words around a subject, which pages on any have."""
_ENGLISH_KINDS = """
advice article basic beginner blog comment essay guide handbook introduction news note overview post primer tip tutorial
website
"""
_KINDS = frozenset(_ENGLISH_KINDS.split())
_CHINESE_KINDS = re2.compile(
    r"(?:文章|博客|博文|帖子|评论|网站|网页|笔记|教程|指南|入门|简介|概述|综述|资料|资讯|新闻|报道|随笔|心得|经验|体会|技巧|攻略|推荐|大全|新手|初学者"
    r"|(?:基本|基础)?知识|常识)+"
)
"""What names a kind of text or its readers, not what it is about; English words are stems, as tokens are."""
_WAYS = frozenset(["方法", "办法"])
"""Kinds of text where they stand for themselves, as in 减肥的方法, and part of the subject elsewhere: 研究方法."""
SITES = frozenset(["blog", "website", "博客", "网站", "网页"])
_MAKING_WORDS = """
build building create creating host hosting launch launching make making start starting
创建 建立 建设 开设 搭建 架设 制作
"""
MAKING = frozenset(_MAKING_WORDS.split())
"""What a person does with a site, which is what the sentence is about then."""
_HANDLING = frozenset(
    ["阅读", "分享", "发布", "发表", "编辑", "查看", "回复", "收藏", "收集", "搜集", "关注", "联系", "登录"]
)
"""Words of a page's frame that say what is done with what stands behind them, and are part of a name before or behind
others only: 分享旅行经历 is on journeys, 邮票收藏 on collecting."""
_SIGN_SHARE = 0.1
"""Share of pages from which on a single Chinese character that stands for itself is no word: 狗 has less, 找 more."""
_SIGNS_OF_WORD = 2
_LEAST_SHARE = 0.01
"""Share of texts from which on a word of pages' frames names nothing by itself: "home" does not, "privacy" does."""
_POSSESSIVE = "s"
"""What a tokenizer makes of the end of "women's"."""
_SET_PHRASES = (
    "best practices?|pros and cons|advantages and disadvantages|of all time|state of the art|top (?:ten|[0-9]+)"
)
"""What is said of any subject, and parts its words as a sign does."""
_SIGN = re2.compile(rf"[^\pL\pN\s'’·.-]+|\.\s|\.$|[\n。]|(?i:\b(?:{_SET_PHRASES})\b)")


def run_breaks(language: str) -> frozenset[str]:
    """Return the words that no subject has in its name: stop words and vague ones, but for words of pages' frames."""
    return VAGUE.union(stopwords(language)) - frame_words(language)


def clause_tokens(sentence: str, tokenizer: Tokenizer) -> list[list[str]]:
    """Return the tokens between the signs of a sentence, and between phrases such as "best practices"."""
    return [list(tokenizer.tokens(part)) for part in _SIGN.split(written_out(sentence))]


def owned(tokens: Sequence[str]) -> set[tuple[str, str]]:
    """Return the pairs of tokens of which the second is something of the first: of "women's rights" both."""
    threes = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return {(owner, thing) for owner, sign, thing in threes if sign == _POSSESSIVE}


def telling_runs(
    clauses: Iterable[Sequence[str]], words: JoinedWords, language: str, background: Background
) -> list[list[str]]:
    """Return the runs of telling words of a sentence, given by the tokens of its clauses, in its order.

    Each of `words` is one, its parts with a space between, and what something is of is part of
    its name: "women's rights". Words of pages' frames ("home", 电话) are part of a run with others, and no run by
    themselves unless they are rare.
    """
    runs: list[list[str]] = [[]]
    breaks = run_breaks(language)
    weak = {word for word in frame_words(language) - SITES if background.df_share(word) >= _LEAST_SHARE}
    for tokens in clauses:
        for token in (*joined(tokens, words), ""):
            word, ends = token, False
            if token == _POSSESSIVE and runs[-1]:
                continue
            if is_han(token[:1]) and " " not in token and background.idf(token) >= RAREST_IDF:
                # A word the language does not know is often a slip of the segmenter: 与品 of 工艺与品饮.
                word = token.lstrip(JOINING)
                if word != token:
                    runs.append([])
                ends = word.endswith(tuple(JOINING))
                word = word.rstrip(JOINING)
            short = len(word) == 1 and is_han(word) and background.df_share(word) < _SIGN_SHARE
            telling = word not in breaks and not is_quantity(word) and (short or len(word) > 1)
            if telling:
                runs[-1].append(word)
            if not telling or ends:
                runs.append([])
    named = (_without_handling(part, weak) for run in runs for part in _without_slips(run))
    return [run for run in named if run]


def without_kinds(runs: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return runs without the kinds of text that they end in: what a run is about stands before that."""
    kept = []
    before = ""
    for run in runs:
        end = len(run)
        is_made = bool(run) and run[-1] in SITES and not MAKING.isdisjoint([before, *run])
        while not is_made and end and (run[end - 1] in _KINDS or _CHINESE_KINDS.fullmatch(run[end - 1]) is not None):
            end -= 1
        if end == 1 and run[0] in _WAYS:
            end = 0
        kept.append(run[:end])
        before = run[-1] if run else before
    return kept


def _without_handling(run: Sequence[str], weak: Collection[str]) -> list[str]:
    """Return a run without what is done with its other words, and nothing of a run of one word that is weak."""
    start = 0
    while start < len(run) and run[start] in _HANDLING:
        start += 1
    named = list(run[start:])
    return [] if len(named) == 1 and named[0] in weak else named


def _without_slips(run: Sequence[str]) -> Iterator[list[str]]:
    """Yield the parts of a run without single Chinese characters, which are slips of the segmenter.

    A run of one is a word, as 诗 of 诗与画, and so is the name of a thing, as 猫 of 猫行为. Two side by side are one
    word that it does not know, as 猫粮 of 猫粮选择.
    """
    if len(run) == 1:
        yield list(run)
        return
    part: list[str] = []
    for long, group in groupby(run, key=lambda word: len(word) > 1):
        words = list(group)
        if long:
            part += words
        elif len(words) == _SIGNS_OF_WORD:
            part.append("".join(words))
        elif len(words) == 1 and words[0] in NOUNS:
            part += words
        else:
            yield part
            part = []
    yield part
