"""Relatedness of a word to a topic: R(t) of docs/formulas.md B.6, computed once a topic.

R(t) = 1                               for a topic word (term, synonym, alias)
R(t) = max(LEX(t), min(cap, LEARN(t))) for any other word
LEX(t)   = max over terms k of weight_k * lex_sim(t, k)
LEARN(t) = max(ODDS(t), max_k weight_k * NPMI+(t, k), max_k weight_k * LSA+(t, k))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import cos, log, pi

import numpy as np
from numpy.typing import NDArray

from focuscrawl.types import clip01

LexicalSimilarity = Callable[[str, str], float]
"""Similarity of two words in [0, 1] by a dictionary; unknown words give 0."""

CAP = 0.95
"""Of learned values (docs/formulas.md B.6), so that only topic words reach 1."""
_MIN_DF = 2
"""A word of one sample only may be its author's whim."""
_WINDOW = 10
_MIN_PAIRS = 3
_LSA_MIN_DOCUMENTS = 5
_LSA_MIN_DF = 2
_LSA_MAX_TERMS = 50_000
_LSA_RANK = 100

_CILIN_LEVELS = (0, 1, 2, 4, 5, 7)
"""Where the five levels of a code such as "Aa01A01=" begin and end."""
_CILIN_COEFFICIENTS = {2: 0.65, 3: 0.8, 4: 0.9, 5: 0.96}
_CILIN_OTHER_ROOT = 0.1


def odds(df_topic: float, n_topic: float, df_background: float, n_background: float) -> float:
    """Return how much more often samples than background documents contain a word, in [0, 1).

    ``(p1 - p0) / (p1 + p0)`` clipped at 0 with ``p = (df + 0.5) / (N + 1)``; 0 for fewer than two samples.
    """
    if df_topic < _MIN_DF:
        return 0.0
    return odds_of_share(df_topic, n_topic, (df_background + 0.5) / (n_background + 1.0))


def odds_of_share(df_topic: float, n_topic: float, background_share: float) -> float:
    """Return the same for a known share of background documents in [0, 1] (a shipped list instead of documents)."""
    if df_topic < _MIN_DF:
        return 0.0
    p1 = (df_topic + 0.5) / (n_topic + 1.0)
    return max(0.0, (p1 - background_share) / (p1 + background_share))


def npmi(windows: int, with_x: int, with_y: int, with_both: int) -> float:
    """Return the positive normalised pointwise mutual information of two words, in [0, 1].

    ``ln(p_xy / (p_x p_y)) / -ln p_xy`` over windows of ten tokens; 0 for fewer than three common windows, 1 when every
    window has both.
    """
    if with_both < _MIN_PAIRS or windows <= 0:
        return 0.0
    if with_both >= windows:
        return 1.0
    p_xy = with_both / windows
    return clip01(log(p_xy * windows * windows / (with_x * with_y)) / -log(p_xy))


def npmi_to_terms(documents: Iterable[Sequence[str]], weights: Mapping[str, float]) -> dict[str, float]:
    """Return word -> max over terms of weight * NPMI+, from consecutive windows of ten tokens; zeros left out."""
    windows = 0
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for document in documents:
        for start in range(0, len(document), _WINDOW):
            window = set(document[start : start + _WINDOW])
            windows += 1
            single.update(window)
            for term in window & weights.keys():
                pairs.update((word, term) for word in window if word != term)
    out: dict[str, float] = {}
    for (word, term), both in pairs.items():
        value = weights[term] * npmi(windows, single[word], single[term], both)
        if value > out.get(word, 0.0):
            out[word] = value
    return out


def lsa_to_terms(documents: Sequence[Sequence[str]], weights: Mapping[str, float]) -> dict[str, float]:
    """Return word -> max over terms of weight * LSA+; zeros left out, nothing for fewer than five documents.

    LSA+ is the cosine, clipped at 0, of the words' rows in U * S of the truncated singular value decomposition of the
    tf-idf matrix (words in at least two documents, rank at most 100).
    """
    if len(documents) < _LSA_MIN_DOCUMENTS:
        return {}
    df: Counter[str] = Counter()
    for document in documents:
        df.update(set(document))
    words = sorted((w for w, n in df.items() if n >= _LSA_MIN_DF), key=lambda w: (-df[w], w))[:_LSA_MAX_TERMS]
    index = {word: at for at, word in enumerate(words)}
    terms = [term for term in weights if term in index]
    if not terms:
        return {}
    vectors = _word_vectors(documents, df, index)
    if vectors is None:
        return {}
    length = np.linalg.norm(vectors, axis=1)
    # A word of every document has idf 0, so its row is zero but for rounding.
    known = length > 1e-9
    vectors = np.where(known[:, None], vectors / np.where(known, length, 1.0)[:, None], 0.0)
    rows = np.array([index[term] for term in terms])
    scale = np.array([weights[term] for term in terms])
    values = (np.clip(vectors @ vectors[rows].T, 0.0, 1.0) * scale).max(axis=1)
    return {word: float(value) for word, value in zip(words, values, strict=True) if value > 0.0}


def _word_vectors(
    documents: Sequence[Sequence[str]], df: Counter[str], index: Mapping[str, int]
) -> NDArray[np.float64] | None:
    """Return the rows of U * S, one for each word of `index`; None when the words tell nothing.

    With the matrix M of words and documents, M = U S V^T: V are the eigenvectors of M^T M, which is as small as there
    are few documents, and U S = M V.
    """
    rows: list[NDArray[np.int64]] = []
    values: list[NDArray[np.float64]] = []
    for document in documents:
        counts = Counter(word for word in document if word in index)
        found = {index[word]: tf * log(len(documents) / df[word]) for word, tf in counts.items()}
        rows.append(np.fromiter(found.keys(), np.int64, len(found)))
        values.append(np.fromiter(found.values(), np.float64, len(found)))
    k = min(_LSA_RANK, min(len(index), len(documents)) - 1)
    if k < 1 or not any(part.any() for part in values):
        return None
    _, vectors = np.linalg.eigh(_products(rows, values, len(index)))
    vectors = vectors[:, ::-1][:, :k]  # those of the largest singular values
    out = np.zeros((len(index), k))
    for at, found_rows in enumerate(rows):
        out[found_rows] += values[at][:, None] * vectors[at]
    return out


def _products(
    rows: Sequence[NDArray[np.int64]], values: Sequence[NDArray[np.float64]], words: int
) -> NDArray[np.float64]:
    """Return M^T M of the matrix whose columns are given by the rows and values that are not zero."""
    documents = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
    all_rows, all_values = np.concatenate(rows), np.concatenate(values)
    products = np.empty((len(rows), len(rows)))
    for at, column in enumerate(rows):
        dense = np.zeros(words)
        dense[column] = values[at]
        products[at] = np.bincount(documents, weights=all_values * dense[all_rows], minlength=len(rows))
    return products


def cilin_similarity(a: str, b: str, *, branches: int, distance: int) -> float:
    """Return the similarity of two codes of the word forest Tongyici Cilin, in [0, 1].

    Parameters
    ----------
    a, b
        Eight-character codes such as "Aa01A01=".
    branches
        n, the number of branches at the level where the codes part.
    distance
        k, the distance between the two branches there.

    References
    ----------
    .. [1] Tian Jiule, Zhao Wei, Words similarity algorithm based on Tongyici Cilin in semantic web adaptive learning
       system, Journal of Jilin University (Information Science Edition) 28(6), 2010.
    """
    if a == b:
        return {"=": 1.0, "#": 0.5}.get(a[-1:], 0.0)
    if a[:7] == b[:7]:  # the same row of the book under different marks
        return 0.0
    level = cilin_level(a, b)
    if level == 1:
        return _CILIN_OTHER_ROOT
    n, k = branches, distance
    if n <= 0:
        return 0.0
    return clip01(_CILIN_COEFFICIENTS[level] * cos(n * pi / 180.0) * (n - k + 1) / n)


def cilin_level(a: str, b: str) -> int:
    """Return the first level, 1 to 5, at which two different codes differ."""
    for level, (start, end) in enumerate(pairwise(_CILIN_LEVELS), start=1):
        if a[start:end] != b[start:end]:
            return level
    return 5


class CilinCodes:
    """Similarity of words by their codes: that of the best pair of codes of the two words.

    Parameters
    ----------
    codes
        Word to its codes. No word list ships with this package.
    """

    __slots__ = ("_children", "_codes")

    def __init__(self, codes: Mapping[str, Sequence[str]]) -> None:
        self._codes = codes
        children: dict[str, set[str]] = {}
        for code in {code for known in codes.values() for code in known}:
            for start, end in pairwise(_CILIN_LEVELS):
                children.setdefault(code[:start], set()).add(code[start:end])
        self._children = {prefix: sorted(parts) for prefix, parts in children.items()}

    def __call__(self, a: str, b: str) -> float:
        """Return the similarity of two words; 0 when one is not listed."""
        pairs = [(x, y) for x in self._codes.get(a, ()) for y in self._codes.get(b, ())]
        return max((self._of_codes(x, y) for x, y in pairs), default=0.0)

    def of(self, word: str) -> Sequence[str]:
        """Return the codes of a word, none for one that is not listed."""
        return self._codes.get(word, ())

    def _of_codes(self, x: str, y: str) -> float:
        level = cilin_level(x, y)
        start, end = _CILIN_LEVELS[level - 1], _CILIN_LEVELS[level]
        siblings = self._children.get(x[:start], [])
        distance = 0
        if x[start:end] != y[start:end] and level > 1:
            distance = abs(siblings.index(x[start:end]) - siblings.index(y[start:end]))
        return cilin_similarity(x, y, branches=len(siblings), distance=distance)


def relatedness(
    weights: Mapping[str, float],
    *,
    topic_words: Iterable[str],
    samples: Sequence[Sequence[str]],
    background: Sequence[Sequence[str]] = (),
    background_share: Callable[[str], float] | None = None,
    stop_words: frozenset[str] = frozenset(),
    lexicon: LexicalSimilarity | None = None,
    near: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Return R(t) in (0, 1] of every word that has one.

    Parameters
    ----------
    weights
        Topic term, as one token or as tokens joined by a space, to weight in (0, 1].
    topic_words
        Tokens that count as topic words (terms, synonyms, aliases): R = 1.
    samples, background
        Token lists of documents on the topic and of others.
    background_share
        Share of documents of the language at large that contain a word; takes the place of `background` in ODDS when
        there are no background documents. NPMI and LSA need background documents: among samples alone every two words
        look related.
    lexicon
        Similarity of two words by a dictionary, asked for the words of the samples.
    near
        Word -> similarity to the topic in (0, 1], of words of the dictionary that the samples do not have.
    """
    clean = [[word for word in sample if word not in stop_words] for sample in samples]
    others = [[word for word in document if word not in stop_words] for document in background]
    learned: dict[str, float] = {}

    def learn(found: Mapping[str, float]) -> None:
        for word, value in found.items():
            if value > learned.get(word, 0.0):
                learned[word] = value

    learn(_odds_of_words(clean, others, background_share))
    if others:
        learn(npmi_to_terms([*clean, *others], weights))
        learn(lsa_to_terms([*clean, *others], weights))
    out = {word: min(CAP, value) for word, value in learned.items()}
    by_lexicon = dict(near or {})
    if lexicon is not None:
        for word in {*out, *(word for sample in clean for word in sample)}:
            value = clip01(max((weight * lexicon(word, term) for term, weight in weights.items()), default=0.0))
            by_lexicon[word] = max(value, by_lexicon.get(word, 0.0))
    for word, value in by_lexicon.items():
        if value > out.get(word, 0.0):
            out[word] = value
    out.update(dict.fromkeys(topic_words, 1.0))
    return out


def _odds_of_words(
    samples: Sequence[Sequence[str]],
    background: Sequence[Sequence[str]],
    background_share: Callable[[str], float] | None,
) -> dict[str, float]:
    df: Counter[str] = Counter()
    for sample in samples:
        df.update(set(sample))
    n = len(samples)
    if background:
        df_background: Counter[str] = Counter()
        for document in background:
            df_background.update(set(document))
        values = {word: odds(df[word], n, df_background[word], len(background)) for word in df}
    elif background_share is not None:
        values = {word: odds_of_share(df[word], n, background_share(word)) for word in df}
    else:
        return {}
    return {word: value for word, value in values.items() if value > 0.0}
