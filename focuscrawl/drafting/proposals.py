"""Words proposed for a topic: the keywords of its texts, merged by rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise

import re2

from focuscrawl.drafting.aspects import COMMON_SHARE, aspect_words
from focuscrawl.drafting.commonness import LANGUAGE_SHARE, language_share
from focuscrawl.drafting.compounds import bounded, compound_phrases, phrase, related_names
from focuscrawl.drafting.joined_words import JoinedWords, joined, joined_words, written_names
from focuscrawl.drafting.relations import Relation, relations
from focuscrawl.drafting.runs import (
    MAKING,
    SITES,
    VAGUE,
    clause_tokens,
    owned,
    run_breaks,
    telling_runs,
    without_kinds,
)
from focuscrawl.drafting.texts import SourceText
from focuscrawl.text.background import background_idf
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.normalize import collapse, fold
from focuscrawl.text.quantity import is_quantity
from focuscrawl.text.stopwords import frame_words
from focuscrawl.text.summary import keywords
from focuscrawl.text.surface import surface_forms
from focuscrawl.topic.asking import subject_of
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
_DOING_WORDS = """
buying caring choosing doing getting growing having keeping owning raising using
"""
_DOING = frozenset(_DOING_WORDS.split())
"""What a person does with a subject that is named behind it: "growing vegetables" is on vegetables."""
_FRAME_SHARE = 0.1
"""Least share of pages that have a word of pages' frames: texts of the language have fewer than pages do."""
_HYPHENATED_SHARE = 0.1
"""How many of the pages with the rarer part of "self-driving" have the word: hardly any word of that kind is common."""
_KEYWORDS = 40
_FEW_WORDS = 2
_BRACKET = re2.compile(r"[(（]")


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
        and word not in VAGUE
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
    phrase has half the weight. So are words that a preposition relates, as in "music for children"
    (`focuscrawl.drafting.relations`). Few pages have longer phrases: topics made of them found fewer pages
    (docs/experiments.md, Words of an idea). Kinds of text that a run ends in, notes
    or 教程, are left out unless the sentence has no others, or they are made, as in "building a blog", and so is what a
    person does with what is named next, as in "keeping chickens"; aspects of the subject
    (`focuscrawl.drafting.aspects`) and clauses that rule something out give none.

    >>> from focuscrawl.text.tokenize import make_auto
    >>> words_of_sentence("Mechanical watches: their repair, old clocks", tokenizer=make_auto())
    {'mechanical': 0.8, 'watches': 0.67, 'mechanical watches': 0.4, 'repair': 0.8, 'clocks': 0.8}
    >>> words_of_sentence("Music for children", tokenizer=make_auto())
    {'music': 0.12, 'children': 0.16, 'music for children': 0.8}
    >>> words_of_sentence("Machine learning", tokenizer=make_auto())
    {'machine': 0.23, 'learning': 0.24, 'machine learning': 0.8}
    >>> words_of_sentence("Film and cinema", tokenizer=make_auto())
    {'film': 0.8, 'cinema': 0.8}
    """
    background = background_idf(language)
    frame = frame_words(language) - SITES

    def share(word: str) -> float:
        found = language_share(word, tokenizer=tokenizer, background=background)
        if " " in word:
            return found * _HYPHENATED_SHARE
        return found if frame.isdisjoint(tokenizer.tokens(word)) else max(found, _FRAME_SHARE)

    def idf(word: str) -> float:
        return max((background.idf(token) for token in tokenizer.tokens(word)), default=0.0)

    clauses, breaks = wanted_clauses(sentence) or [sentence], run_breaks(language)
    wanted, parts, words = _cut(clauses, tokenizer, language)
    named = subject_of(clauses[0])
    first = clause_tokens(_BRACKET.split(named)[0], tokenizer)
    subject = set(chain.from_iterable(telling_runs(first, words, language, background)))
    runs = telling_runs(parts, words, language, background)
    spared = [] if SITES.isdisjoint(chain.from_iterable(parts)) else MAKING
    aspects = {word for part in parts for word in aspect_words(part, stops=breaks, share=share, spared=spared)}
    telling = [[word for word in run if word not in aspects] for run in without_kinds(runs)]
    alone = {run[0] for run in runs if len(run) == 1}
    related = relations([joined(part, words) for part in parts], stops=breaks)
    weigh = partial(
        _weights, subject=subject, alone=alone, frame=frame, parted=words, related=related, share=share, idf=idf
    )
    weights = weigh(telling) or weigh(runs)
    if not weights:
        weights = dict.fromkeys(_only_words(named, tokenizer, breaks), SENTENCE_WEIGHT)
    written = _as_written(weights, wanted, parts, words, tokenizer)
    return {written[word]: weight for word, weight in weights.items()}


def other_spellings(word: str, *, tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the other names that a word of a sentence has without further knowledge.

    A word with a hyphen or a full stop within may be written as one, and 的 may be left out.

    >>> from focuscrawl.text.tokenize import make_auto
    >>> [other_spellings(word, tokenizer=make_auto()) for word in ("e-commerce", "node.js", "孩子的教育", "tea")]
    [('ecommerce',), ('nodejs',), ('孩子教育',), ()]
    """
    if "-" in word or "." in word:
        return (word.replace("-", "").replace(".", ""),)
    parts = tokenizer.tokens(word)
    return (phrase([part for part in parts if part != "的"]),) if "的" in parts else ()


def left_out(sentence: str, taken: Iterable[str], *, tokenizer: Tokenizer, language: str = "auto") -> tuple[str, ...]:
    """Return the telling words of a sentence that stand in none of the `taken` words and phrases, in its order."""
    known = {token for word in taken for token in tokenizer.tokens(word)}
    wanted, parts, words = _cut(wanted_clauses(sentence) or [sentence], tokenizer, language)
    runs = telling_runs(parts, words, language, background_idf(language))
    written = _as_written(dict.fromkeys(chain.from_iterable(runs)), wanted, parts, words, tokenizer).values()
    names = (name for name, _, _ in written_names(wanted, run_breaks(language)))
    return tuple(dict.fromkeys(word for word in (*written, *names) if not known.issuperset(tokenizer.tokens(word))))


def _cut(clauses: Iterable[str], tokenizer: Tokenizer, language: str) -> tuple[str, list[list[str]], JoinedWords]:
    """Return the clauses of a sentence as one text, the tokens between signs, and those of them that are one word.

    What asks for pages has no tokens. A capital tells a name where it is not the first letter, so words
    are told by the whole text: "Pages on Go".
    """
    whole = list(clauses)
    text = "\n".join(whole)
    parts = clause_tokens("\n".join(map(subject_of, whole)), tokenizer)
    breaks, background = run_breaks(language), background_idf(language)
    return text, parts, joined_words(text, parts, tokenizer, breaks=breaks, background=background)


def _as_written(
    words: Iterable[str], sentence: str, clauses: Iterable[Sequence[str]], parted: JoinedWords, tokenizer: Tokenizer
) -> dict[str, str]:
    """Return words and phrases, tokens with spaces between, as a sentence has them: "low-carb", "children's books".

    `clauses` are its tokens, and `parted` its words of two of them.
    """
    split = {word: word.split(" ") for word in words}
    written = surface_forms([*chain.from_iterable(split.values())], [sentence], tokenizer)
    between = {pair: word.sign for pair, word in parted.items()}
    for part in clauses:
        between |= dict.fromkeys(owned(part), "'s ")
    return {
        word: "".join(written[one] + between.get((one, other), " ") for one, other in pairwise((*tokens, ""))).rstrip()
        for word, tokens in split.items()
    }


def _weights(
    runs: Iterable[Sequence[str]],
    *,
    subject: Collection[str],
    alone: Collection[str],
    frame: Collection[str],
    parted: JoinedWords,
    related: Iterable[Relation],
    share: Callable[[str], float],
    idf: Callable[[str], float],
) -> dict[str, float]:
    """Return the words and phrases that runs give, with their weights.

    `subject` are the words that name it, `alone` those that are a run by themselves, `frame` those of pages' frames,
    `parted` those of two tokens.
    """
    weights: dict[str, float] = {}
    in_names: set[str] = set()
    for run in runs:
        doing = {word for word, _ in pairwise(run) if word in _DOING}
        named = [word for word in run if word not in frame] or run
        naming = {word for word in run if word in subject or named == [word]} - doing
        taken = [word for word in run if word in naming or share(word) < COMMON_SHARE]
        weights |= dict.fromkeys(taken, SENTENCE_WEIGHT)
        for name, weight in compound_phrases(run, told=taken, share=share, weight=SENTENCE_WEIGHT).items():
            weights.setdefault(name, weight)
        if len(run) - len(doing) > 1:
            in_names.update(taken)
    in_names.difference_update(alone)
    related_words: set[str] = set()
    for relation, weight in related_names(related, weights, share=share, idf=idf, weight=SENTENCE_WEIGHT):
        weights.setdefault(phrase(relation.tokens), weight)
        related_words.update(relation.group.intersection(weights))
    common = [word for word in in_names | related_words if share(word) >= COMMON_SHARE]
    told = [word for pair, word in parted.items() if " ".join(pair) in weights]
    parts = {part: word for word in told for part in word.parts if part not in weights}
    weights |= dict.fromkeys(parts, SENTENCE_WEIGHT)
    weak = {part for part, word in parts.items() if part in word.weak}
    return bounded(weights, [*common, *parts], parts=parts, weak=weak.union(related_words, frame), share=share, idf=idf)


def _only_words(clause: str, tokenizer: Tokenizer, breaks: Collection[str]) -> list[str]:
    """Return the words of a clause of which each is common or one character: "Food", 茶; none of a longer one."""
    words = [word for word in tokenizer.tokens(clause) if word not in breaks and not is_quantity(word)]
    return words if len(words) <= _FEW_WORDS else []


def _is_known(word: str, own: TopicMatcher, tokenizer: Tokenizer) -> bool:
    """Tell whether a word is one of the topic's, and not one that has more to it."""
    tokens = tokenizer.tokens(word)
    return any(len(tokenizer.tokens(term)) == len(tokens) for term in own.counts(tokens))
