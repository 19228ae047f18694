"""Words proposed for a topic: the keywords of its texts, merged by rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise

import re2

from focuscrawl.drafting.aspects import COMMON_SHARE, aspect_words
from focuscrawl.drafting.commonness import LANGUAGE_SHARE, language_share
from focuscrawl.drafting.compounds import bounded, compound_phrases
from focuscrawl.drafting.texts import SourceText
from focuscrawl.text.background import RAREST_IDF, Background, background_idf
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.normalize import collapse, fold
from focuscrawl.text.quantity import is_quantity
from focuscrawl.text.signed_names import written_out
from focuscrawl.text.stopwords import stopwords
from focuscrawl.text.summary import keywords
from focuscrawl.text.surface import surface_forms
from focuscrawl.text.tokenize import is_han
from focuscrawl.topic.matcher import TopicMatcher
from focuscrawl.topic.ruled_out import wanted_clauses

PROPOSED = 30
"""Words proposed at most."""
FUSION_DEPTH = 10.0
"""Constant of reciprocal rank fusion. Lists of keywords are short and their first few matter, so it is less than the
sixty of result lists of search engines."""
HEAVIEST, LIGHTEST = 0.8, 0.3
"""Weights of the first and of the last proposal where a topic has no other words."""
BESIDE_OTHERS = 0.4, 0.1
"""The same beside words that a person has named: what stands on an example is a guess, and often its site's."""
SENTENCE_WEIGHT = 0.8
"""Weight of the words of a sentence: a person chose them, but not as words to look for."""
_JOINING = "的与和及或在是对为以之其而等了"
"""Chinese words of one sign that join others."""
_VAGUE_WORDS = """
常见 常用 各种 各类 各式 各样 各地 多种 种种 方面 相关 有关 主要 不同 其他 其它 一些 某些 如何 怎样 怎么
了解 介绍 此次 首次 关于 寻找 喜欢
various different several common general kind kinds type types sort sorts aspect aspects thing things
everything anything learn know find finding look looking search interested page pages article articles
giving describing detail details related
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
"""Words around a subject, which pages on any have."""
_DOING_WORDS = """
buying caring choosing doing getting growing having keeping owning raising using
"""
_DOING = frozenset(_DOING_WORDS.split())
"""What a person does with a subject that is named behind it: "growing vegetables" is on vegetables."""
_ENGLISH_KINDS = """
advice article basic beginner blog essay guide handbook introduction news note overview post primer tip tutorial website
"""
_KINDS = frozenset(_ENGLISH_KINDS.split())
_CHINESE_KINDS = re2.compile(
    r"(?:文章|博客|博文|帖子|网站|网页|笔记|教程|指南|入门|简介|概述|综述|资料|资讯|新闻|随笔|心得|经验|体会|技巧|攻略|大全"
    r"|(?:基本|基础)?知识|常识)+"
)
"""What names a kind of text or its readers, not what it is about; English words are stems, as tokens are."""
_WAYS = frozenset(["方法", "办法"])
"""Kinds of text where they stand for themselves, as in 减肥的方法, and part of the subject elsewhere: 研究方法."""
_SITES = frozenset(["blog", "website", "博客", "网站", "网页"])
_MAKING_WORDS = """
build building create creating host hosting launch launching make making start starting
创建 建立 建设 开设 搭建 架设 制作
"""
_MAKING = frozenset(_MAKING_WORDS.split())
"""What a person does with a site, which is what the sentence is about then."""
_SIGN_SHARE = 0.1
"""Share of pages from which on a single Chinese character that stands for itself is no word: 狗 has less, 找 more."""
_SIGNS_OF_WORD = 2
_KEYWORDS = 40
_FEW_WORDS = 2
_BRACKET = re2.compile(r"[(（]")
_SIGN = re2.compile(r"[^\pL\pN\s'’·.-]+|\.\s|\.$|[\n。]")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A word proposed for a topic.

    Parameters
    ----------
    weight
        In (0, 1].
    texts
        How many of the texts have it among their keywords.
    """

    word: str
    weight: float
    texts: int


def proposals(
    texts: Sequence[SourceText],
    *,
    tokenizer: Tokenizer,
    known: Collection[str] = (),
    language: str = "auto",
    count: int = PROPOSED,
) -> list[Proposal]:
    """Return words that tell what the texts are about, the best first.

    Each text gives its forty best keywords (docs/formulas.md H.7); a word's value is the sum over the texts of
    ``1 / (10 + place)``, so that words of several texts come before those of one. Of several texts, a word that only
    one has comes last. Weights fall linearly from 0.8 to 0.3, beside `known` words from 0.4 to 0.1. Words that would
    hit too much are left out.

    Parameters
    ----------
    known
        Words the topic has already, and words refused.
    count
        Words at most.
    """
    background = background_idf(language)
    values: defaultdict[str, float] = defaultdict(float)
    holders: defaultdict[str, int] = defaultdict(int)
    for source in texts:
        tokens = tokenizer.tokens(source.text)
        found = keywords(
            tokens, title=tokenizer.tokens(source.title), idf=background.idf, count=_KEYWORDS, language=language
        )
        for place, word in enumerate(found, start=1):
            values[word] += 1.0 / (FUSION_DEPTH + place)
            holders[word] += 1
    own = TopicMatcher({collapse(fold(word)): 1.0 for word in known}, tokenizer=tokenizer) if known else None
    order = {word: at for at, word in enumerate(values)}
    ranked = [
        word
        for word in sorted(values, key=lambda word: (holders[word] < min(2, len(texts)), -values[word], order[word]))
        if not is_quantity(word)
        and word not in _VAGUE
        and language_share(word, tokenizer=tokenizer, background=background) < LANGUAGE_SHARE
        and not (own is not None and _is_known(word, own, tokenizer))
    ][:count]
    written = surface_forms(ranked, [f"{source.title}\n{source.text}" for source in texts], tokenizer)
    first, last = BESIDE_OTHERS if known else (HEAVIEST, LIGHTEST)
    step = (first - last) / max(1, len(ranked) - 1)
    return [Proposal(written[word], round(first - step * place, 2), holders[word]) for place, word in enumerate(ranked)]


def words_of_sentence(sentence: str, *, tokenizer: Tokenizer, language: str = "auto") -> dict[str, float]:
    """Return the words a sentence on a subject names, in its order, with weights in (0, 1].

    A run of telling words ends at a stop word, a number or a sign (Rose and others, Automatic keyword extraction
    from individual documents, 2010): a sentence has no counts to tell terms by. A word that is a run of its own
    stands for the subject, as does each word of the first clause, which names it: all of them are words of the
    topic, however many pages have them, as the judge weighs words by their frequency, too. Of other runs, those
    that fewer than one page in a hundred has. Two neighbours that are common words are a phrase, and weigh less by
    themselves where the topic has few other words (`focuscrawl.drafting.compounds`); where one of them is rare, the
    phrase has half the weight. Few pages have longer phrases: topics made of them found fewer pages
    (docs/experiments.md, Words of an idea). Kinds of text that a run ends in, notes
    or 教程, are left out unless the sentence has no others, or they are made, as in "building a blog", and so is what a
    person does with what is named next, as in "keeping chickens"; aspects of the subject
    (`focuscrawl.drafting.aspects`) and clauses that rule something out give none.

    >>> from focuscrawl.text.tokenize import make_auto
    >>> words_of_sentence("Mechanical watches: their repair, the design of old clocks", tokenizer=make_auto())
    {'mechanical': 0.8, 'watches': 0.71, 'mechanical watches': 0.4, 'repair': 0.8, 'design': 0.8, 'clocks': 0.8}
    >>> words_of_sentence("Machine learning", tokenizer=make_auto())
    {'machine': 0.23, 'learning': 0.24, 'machine learning': 0.8}
    >>> words_of_sentence("Film and cinema", tokenizer=make_auto())
    {'film': 0.8, 'cinema': 0.8}
    """
    background = background_idf(language)
    stops = stopwords(language)

    def share(word: str) -> float:
        return language_share(word, tokenizer=tokenizer, background=background)

    def idf(word: str) -> float:
        return max((background.idf(token) for token in tokenizer.tokens(word)), default=0.0)

    clauses = wanted_clauses(sentence) or [sentence]
    subject = {word for run in _runs(_BRACKET.split(clauses[0])[0], tokenizer, stops, background) for word in run}
    wanted = "\n".join(clauses)
    runs = _runs(wanted, tokenizer, stops, background)
    parts = [tokenizer.tokens(part) for part in _SIGN.split(written_out(wanted))]
    spared = [] if _SITES.isdisjoint(chain.from_iterable(parts)) else _MAKING
    breaks = _VAGUE.union(stops)
    aspects = {word for part in parts for word in aspect_words(part, stops=breaks, share=share, spared=spared)}
    telling = [[word for word in run if word not in aspects] for run in _without_kinds(runs)]
    alone = {run[0] for run in runs if len(run) == 1}
    weights = _weights(telling, subject, alone=alone, share=share, idf=idf) or _weights(
        runs, subject, alone=alone, share=share, idf=idf
    )
    if not weights:
        weights = dict.fromkeys(_only_words(clauses[0], tokenizer, stops), SENTENCE_WEIGHT)
    written = surface_forms([token for word in weights for token in word.split(" ")], [sentence], tokenizer)
    return {" ".join(written[token] for token in word.split(" ")): weight for word, weight in weights.items()}


def left_out(sentence: str, taken: Iterable[str], *, tokenizer: Tokenizer, language: str = "auto") -> tuple[str, ...]:
    """Return the telling words of a sentence that stand in none of the `taken` words and phrases, in its order."""
    stops, background = stopwords(language), background_idf(language)
    known = {token for word in taken for token in tokenizer.tokens(word)}
    clauses = wanted_clauses(sentence) or [sentence]
    runs = _runs("\n".join(clauses), tokenizer, stops, background)
    missing = dict.fromkeys(word for run in runs for word in run if not known.issuperset(tokenizer.tokens(word)))
    return tuple(surface_forms(list(missing), [sentence], tokenizer).values())


def _without_kinds(runs: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return runs without the kinds of text that they end in: what a run is about stands before that."""
    kept = []
    before = ""
    for run in runs:
        end = len(run)
        is_made = bool(run) and run[-1] in _SITES and not _MAKING.isdisjoint([before, *run])
        while not is_made and end and (run[end - 1] in _KINDS or _CHINESE_KINDS.fullmatch(run[end - 1]) is not None):
            end -= 1
        if end == 1 and run[0] in _WAYS:
            end = 0
        kept.append(run[:end])
        before = run[-1] if run else before
    return kept


def _weights(
    runs: Iterable[Sequence[str]],
    subject: Collection[str],
    *,
    alone: Collection[str],
    share: Callable[[str], float],
    idf: Callable[[str], float],
) -> dict[str, float]:
    """Return the words and phrases that runs give, with their weights.

    `subject` are the words that name it, `alone` those that are a run by themselves.
    """
    weights: dict[str, float] = {}
    joined: set[str] = set()
    for run in runs:
        doing = {word for word, _ in pairwise(run) if word in _DOING}
        naming = {word for word in run if len(run) == 1 or word in subject} - doing
        taken = [word for word in run if word in naming or share(word) < COMMON_SHARE]
        weights |= dict.fromkeys(taken, SENTENCE_WEIGHT)
        for name, weight in compound_phrases(run, told=taken, share=share, weight=SENTENCE_WEIGHT).items():
            weights.setdefault(name, weight)
        if len(run) - len(doing) > 1:
            joined.update(taken)
    common = [word for word in joined.difference(alone) if share(word) >= COMMON_SHARE]
    return bounded(weights, common, share=share, idf=idf)


def _only_words(clause: str, tokenizer: Tokenizer, stops: Collection[str]) -> list[str]:
    """Return the words of a clause of which each is common or one character: "Food", 茶; none of a longer one."""
    words = [word for word in tokenizer.tokens(clause) if word not in stops and not is_quantity(word)]
    return words if len(words) <= _FEW_WORDS else []


def _runs(sentence: str, tokenizer: Tokenizer, stops: Collection[str], background: Background) -> list[list[str]]:
    """Return the runs of telling words between stop words and signs."""
    runs: list[list[str]] = [[]]
    stops = _VAGUE.union(stops) - _SITES
    for part in _SIGN.split(written_out(sentence)):
        for token in (*tokenizer.tokens(part), ""):
            word, ends = token, False
            if is_han(token[:1]) and background.idf(token) >= RAREST_IDF:
                # A word the language does not know is often a slip of the segmenter: 与品 of 工艺与品饮.
                word = token.lstrip(_JOINING)
                if word != token:
                    runs.append([])
                ends = word.endswith(tuple(_JOINING))
                word = word.rstrip(_JOINING)
            short = len(word) == 1 and is_han(word) and background.df_share(word) < _SIGN_SHARE
            telling = word not in stops and not is_quantity(word) and (short or len(word) > 1)
            if telling:
                runs[-1].append(word)
            if not telling or ends:
                runs.append([])
    return [part for run in runs for part in _without_slips(run)]


def _without_slips(run: Sequence[str]) -> list[list[str]]:
    """Return the parts of a run without single Chinese characters, which are slips of the segmenter.

    A run of one is a word, as 诗 of 诗与画, and two side by side are one that it does not know, as 猫粮 of 猫粮选择.
    """
    if len(run) == 1:
        return [list(run)]
    parts: list[list[str]] = [[]]
    for long, group in groupby(run, key=lambda word: len(word) > 1):
        words = list(group)
        if long:
            parts[-1] += words
        elif len(words) == _SIGNS_OF_WORD:
            parts[-1].append("".join(words))
        else:
            parts.append([])
    return [part for part in parts if part]


def _is_known(word: str, own: TopicMatcher, tokenizer: Tokenizer) -> bool:
    """Tell whether a word is one of the topic's, and not one that has more to it."""
    tokens = tokenizer.tokens(word)
    return any(len(tokenizer.tokens(term)) == len(tokens) for term in own.counts(tokens))
