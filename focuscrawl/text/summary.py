"""Keywords and a summary of a text, by tf-idf (docs/formulas.md H.7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from focuscrawl.text.background import RAREST_IDF
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.normalize import lower
from focuscrawl.text.quantity import is_telling
from focuscrawl.text.simplified import simplified
from focuscrawl.text.stopwords import stopwords
from focuscrawl.text.tokenize import is_han
from focuscrawl.text.vectors import Vector, dot, tf_idf, unit

Idf = Callable[[str], float]

KEYWORDS = 10
_TITLE, _HEADING = 0.5, 0.2
_LEAST_CHARS = 2
_LEAST_PAIRS = 2
# Support of a pair is its share of the occurrences of each part; a pair of which neither part goes alone more often
# than with the other is one term.
_SUPPORT = 0.5

LAMBDA = 0.7
"""Weight of the score against similarity to what is chosen already."""
HAN_CHARS, OTHER_WORDS = 200, 60
# What an article says first, it says in its first sentences; time grows with their number times that of the chosen.
_MAX_SENTENCES = 200
_MAX_CHARS = 20_000

_DENSE_ENDS = frozenset("。！？”’」』）")
_SENTENCE = re.compile(r"[^。！？!?\n]*?(?:[。！？!?]+[”’」』）)\"']*|\.[”’)\"']*(?=\s)|\n|\Z)", re.DOTALL)


def keywords(
    tokens: Sequence[str],
    *,
    title: Sequence[str] = (),
    headings: Sequence[str] = (),
    idf: Idf,
    count: int = KEYWORDS,
    language: str = "auto",
    text: str = "",
    aside: Collection[str] = frozenset(),
) -> tuple[str, ...]:
    """Return the telling words of a text, most telling first.

    A word weighs ``tf * idf * (1 + 0.5 [in the title] + 0.2 [in a heading])``. A pair of adjacent words that occurs
    twice, and in more than half of the occurrences of each of its words, counts as a word: its idf is the larger of
    the two, for no more documents can hold it. A word that never stands outside such a pair gives way to it. Words of
    one character, stop words, numbers, amounts and dates are no keywords, nor are Chinese words that the language does
    not know and the text has once, which are mostly slips of the segmenter; ties go to what stands first.

    Parameters
    ----------
    tokens, title, headings
        As the tokenizers cut them, stop words included: words with one between them are not adjacent.
    idf
        Token -> inverse document frequency, at least 0.
    text
        What `tokens` are of. Two Chinese words are adjacent where it has them without a comma between; '' for anywhere.
    aside
        Words that are none: of code, of addresses.

    References
    ----------
    .. [1] docs/formulas.md H.7, where the support is named and not defined; the share above is this project's reading.
    """
    stops = stopwords(language)
    tf: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    first: dict[str | tuple[str, str], int] = {}
    before = ""
    told = {token for token in set(tokens) if len(token) >= _LEAST_CHARS and token not in stops and is_telling(token)}
    told.difference_update(aside)
    for at, token in enumerate(tokens):
        if token not in told:
            before = ""
            continue
        tf[token] += 1
        first.setdefault(token, at)
        if before and before != token:
            pairs[before, token] += 1
            first.setdefault((before, token), at - 1)
        before = token
    terms = {
        pair: n
        for pair, n in pairs.items()
        if n >= _LEAST_PAIRS and n > _SUPPORT * tf[pair[0]] and n > _SUPPORT * tf[pair[1]]
    }
    if text and any(is_han(pair[0][-1:]) and is_han(pair[1][:1]) for pair in terms):
        plain = simplified(lower(text))
        terms = {pair: n for pair, n in terms.items() if " " in _joined(pair) or plain.count(_joined(pair)) > 1}
    in_title, in_headings = set(title), set(headings)
    title_pairs, heading_pairs = _pairs(title), _pairs(headings)
    given_way = {part for pair, n in terms.items() for part in pair if tf[part] == n}
    rated: list[tuple[float, int, str]] = []
    for word, n in tf.items():
        if word not in given_way and not (n == 1 and idf(word) >= RAREST_IDF and is_han(word)):
            boost = 1.0 + _TITLE * (word in in_title) + _HEADING * (word in in_headings)
            rated.append((-n * idf(word) * boost, first[word], word))
    for pair, n in terms.items():
        boost = 1.0 + _TITLE * (pair in title_pairs) + _HEADING * (pair in heading_pairs)
        rated.append((-n * max(idf(pair[0]), idf(pair[1])) * boost, first[pair], _joined(pair)))
    rated.sort()
    return tuple(dict.fromkeys(word for weight, _, word in rated if weight < 0.0))[:count]


def summary(
    text: str,
    *,
    title: Sequence[str] = (),
    idf: Idf,
    tokenizer: Tokenizer,
    language: str = "auto",
    aside: Collection[str] = frozenset(),
    code: Collection[tuple[str, str]] = frozenset(),
) -> str:
    """Return the sentences that say most of what a text says, in its order.

    A sentence at place i, from 0, scores the mean tf-idf of its distinct words, times ``1 + 1/(1+i)``, times 1 plus
    the share of the title's words it has; scores are divided by the largest. Sentences are taken by maximal marginal
    relevance, ``0.7 score - 0.3 similarity``, the latter the largest cosine with one taken already, as long as one
    fits into 200 characters of a Chinese or Japanese text, white space left out, 60 words of another. A first sentence
    longer than that is cut; one that is repeated counts once, one without a word is none. Empty text gives ''.

    Parameters
    ----------
    aside
        Words of code and addresses. What has most of its words there is no sentence.
    code
        Pairs of adjacent words that stand in code only; likewise. A line of code mostly has the words of the text.

    References
    ----------
    .. [1] docs/formulas.md H.7. J. Carbonell, J. Goldstein, The use of MMR, SIGIR 1998.
    """
    found = list(dict.fromkeys(sentences(text[:_MAX_CHARS])))[:_MAX_SENTENCES]
    if not found:
        return ""
    lists = tokenizer.chunks(found)
    spoken = [
        at
        for at, words in enumerate(lists)
        if words and not _are_mostly_in(words, aside) and not _are_mostly_in(pairwise(words), code)
    ]
    if spoken:
        found, lists = [found[at] for at in spoken], [lists[at] for at in spoken]
    scores = sentence_scores(lists, title=title, idf=idf)
    vectors = _Vectors(lists, idf)
    is_dense = language.partition("-")[0] in ("zh", "ja") or (language in ("", "auto") and _is_dense(text))
    limit = HAN_CHARS if is_dense else OTHER_WORDS
    sizes = [len("".join(s.split())) if is_dense else len(s.split()) for s in found]
    taken = choose(scores, vectors, sizes, limit=limit)
    if not taken:
        best = max(range(len(found)), key=lambda at: (scores[at], -at))
        return found[best][:limit] if is_dense else " ".join(found[best].split()[:limit])
    chosen = [found[at] for at in sorted(taken)]
    if not is_dense:
        return " ".join(chosen)
    # Headings and bylines end without a stop, and a Latin full stop needs a space after it.
    return "".join(one if one[-1] in _DENSE_ENDS else one + " " for one in chosen).rstrip()


def _are_mostly_in(parts: Iterable[object], apart: Collection[object]) -> bool:
    """Tell whether most of a sentence's words, or pairs of words, are in `apart`."""
    if not apart:  # as on most pages, which have no code
        return False
    inside = [part in apart for part in parts]
    return 2 * sum(inside) > len(inside)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text: they end with 。！？!?, with a full stop and white space, or with the line.

    >>> sentences("It rains. 3.5 mm fell! 下雨了。“真的？”他说。")
    ['It rains.', '3.5 mm fell!', '下雨了。', '“真的？”', '他说。']
    """
    return [sentence for match in _SENTENCE.finditer(text) if (sentence := " ".join(match[0].split()))]


def sentence_scores(lists: Sequence[Sequence[str]], *, title: Sequence[str] = (), idf: Idf) -> list[float]:
    """Return the score of each sentence, given as tokens, in [0, 1]; all 0 when no word tells anything."""
    tf = Counter(word for words in lists for word in words)
    wanted = set(title)
    scores = []
    for at, words in enumerate(lists):
        distinct = set(words)
        mean = sum(tf[word] * idf(word) for word in distinct) / len(distinct) if distinct else 0.0
        overlap = len(distinct & wanted) / len(wanted) if wanted else 0.0
        scores.append(mean * (1.0 + 1.0 / (1.0 + at)) * (1.0 + overlap))
    top = max(scores, default=0.0)
    return [score / top for score in scores] if top > 0.0 else scores


class _Vectors(dict[int, Vector]):
    """Unit vectors of sentences, made when they are asked for: most sentences are never compared."""

    def __init__(self, lists: Sequence[Sequence[str]], idf: Idf) -> None:
        super().__init__()
        self._lists = lists
        self._idf = idf

    def __missing__(self, at: int) -> Vector:
        vector = self[at] = unit(tf_idf(self._lists[at], self._idf))
        return vector


def choose(
    scores: Sequence[float], vectors: Mapping[int, Vector] | Sequence[Vector], sizes: Sequence[int], *, limit: int
) -> list[int]:
    """Return the sentences taken by maximal marginal relevance, in the order of being taken.

    `vectors` have length 1, or are empty. What does not fit into what is left of `limit` is passed over;
    ties go to the first.
    """
    similarity = [0.0] * len(scores)
    compared = [0] * len(scores)  # with how many of those taken
    # Relevance only falls as more are taken: what is not the best by its old one is not the best by its new one.
    waiting = [(-LAMBDA * score, at) for at, score in enumerate(scores)]
    heapify(waiting)
    taken: list[int] = []
    left = limit
    while waiting:
        _, at = heappop(waiting)
        if sizes[at] > left:
            continue
        if compared[at] < len(taken):
            similarity[at] = max(similarity[at], *(dot(vectors[at], vectors[other]) for other in taken[compared[at] :]))
            compared[at] = len(taken)
            heappush(waiting, (-(LAMBDA * scores[at] - (1.0 - LAMBDA) * similarity[at]), at))
            continue
        taken.append(at)
        left -= sizes[at]
    return taken


def _pairs(tokens: Sequence[str]) -> set[tuple[str, str]]:
    return set(pairwise(tokens))


def _joined(pair: tuple[str, str]) -> str:
    return "".join(pair) if is_han(pair[0][-1:]) and is_han(pair[1][:1]) else " ".join(pair)


def _is_dense(text: str) -> bool:
    sample = text[:1000]
    return sum(map(is_han, sample)) > 0.2 * len(sample)
