"""Words proposed for a topic: the keywords of its texts, merged by rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import re2

from focuscrawl.drafting.commonness import LANGUAGE_SHARE, language_share
from focuscrawl.drafting.texts import SourceText
from focuscrawl.text.background import RAREST_IDF, Background, background_idf
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.normalize import collapse, fold
from focuscrawl.text.quantity import is_quantity, is_telling
from focuscrawl.text.stopwords import stopwords
from focuscrawl.text.summary import keywords
from focuscrawl.text.surface import surface_forms
from focuscrawl.text.tokenize import is_han
from focuscrawl.topic.matcher import TopicMatcher
from focuscrawl.topic.ruled_out import wanted_part

PROPOSED = 30
"""Words proposed at most."""
FUSION_DEPTH = 10.0
"""Constant of reciprocal rank fusion. Lists of keywords are short and their first few matter, so it is less than the
sixty of result lists of search engines."""
HEAVIEST, LIGHTEST = 0.8, 0.3
"""Weights of the first and of the last proposal: a word from texts is a guess, and a person's own words weigh 1."""
PHRASE_WEIGHT, WORD_WEIGHT = 0.8, 0.5
"""Weights of words of a sentence: of a phrase or a rare word, which name a subject, and of others."""
RARE_SHARE, TELLING_SHARE = 0.001, 0.005
"""Shares of pages in the language below which a word of a phrase is rare, or tells something by itself."""
_JOINING = "的与和及或在是对为以之其而等了"
"""Chinese words of one sign that join others."""
_VAGUE_WORDS = """
常见 常用 各种 各类 各式 各样 各地 多种 种种 方面 相关 有关 主要 不同 其他 其它 一些 某些 如何 怎样 怎么
了解 介绍 此次 首次
various different several common general kind kinds type types sort sorts aspect aspects thing things
everything anything learn know interested
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
"""Words around a subject, which pages on any have."""
_KEYWORDS = 40
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
    one has comes last. Weights fall linearly from 0.8 to 0.3. Words that would hit too much are left out.

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
    step = (HEAVIEST - LIGHTEST) / max(1, len(ranked) - 1)
    return [
        Proposal(written[word], round(HEAVIEST - step * place, 2), holders[word]) for place, word in enumerate(ranked)
    ]


def words_of_sentence(sentence: str, *, tokenizer: Tokenizer, language: str = "auto") -> dict[str, float]:
    """Return the words a sentence on a subject names, in its order, with weights in (0, 1].

    A run of telling words ends at a stop word, a number or a sign (Rose and others, Automatic keyword extraction from
    individual documents, 2010): a sentence has no counts to tell terms by. Of a run of more than three words common
    ones at its ends go. Two or three words are a phrase of weight 0.8; its rare words stand for the subject alone, too:
    with 0.8 those that one page in a thousand has, with 0.5 one in two hundred. The words of other runs have 0.5 at
    least. Clauses that rule something out give none.

    >>> from focuscrawl.text.tokenize import make_auto
    >>> words_of_sentence("Repair of mechanical watches and the history of hairsprings", tokenizer=make_auto())
    {'repair': 0.5, 'mechanical watches': 0.8, 'hairsprings': 0.8}
    """
    background = background_idf(language)

    def share(word: str) -> float:
        return language_share(word, tokenizer=tokenizer, background=background)

    weights: dict[str, float] = {}
    for run in _runs(wanted_part(sentence), tokenizer, stopwords(language), background):
        while len(run) > 3 and share(run[0]) >= LANGUAGE_SHARE:
            del run[0]
        while len(run) > 3 and share(run[-1]) >= LANGUAGE_SHARE:
            del run[-1]
        if len(run) in (2, 3):
            weights["".join(run) if is_han(run[0][-1:]) else " ".join(run)] = PHRASE_WEIGHT
        for word in run:
            if (rarity := share(word)) < RARE_SHARE:
                weights[word] = PHRASE_WEIGHT
            elif rarity < TELLING_SHARE or (len(run) not in (2, 3) and rarity < LANGUAGE_SHARE):
                weights[word] = WORD_WEIGHT
    written = surface_forms([token for word in weights for token in word.split(" ")], [sentence], tokenizer)
    return {" ".join(written[token] for token in word.split(" ")): weight for word, weight in weights.items()}


def _runs(sentence: str, tokenizer: Tokenizer, stops: Collection[str], background: Background) -> list[list[str]]:
    """Return the runs of telling words between stop words and signs."""
    runs: list[list[str]] = [[]]
    stops = _VAGUE.union(stops)
    for part in _SIGN.split(sentence):
        for token in (*tokenizer.tokens(part), ""):
            word = token
            if is_han(token[:1]) and background.idf(token) >= RAREST_IDF:
                # A word the language does not know is often a slip of the segmenter: 与品 of 工艺与品饮.
                word = token.lstrip(_JOINING)
                if word != token:
                    runs.append([])
                word = word.rstrip(_JOINING)
            if word and word not in stops and len(word) > 1 and is_telling(word):
                runs[-1].append(word)
            if not word or word != token or token in stops or len(word) < 2 or not is_telling(word):
                runs.append([])
    return [run for run in runs if run]


def _is_known(word: str, own: TopicMatcher, tokenizer: Tokenizer) -> bool:
    """Tell whether a word is one of the topic's, and not one that has more to it."""
    tokens = tokenizer.tokens(word)
    return any(len(tokenizer.tokens(term)) == len(tokens) for term in own.counts(tokens))
