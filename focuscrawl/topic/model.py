"""The fitted topic: what a topic file says, as vectors and look-ups the crawl can use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl import plugins
from focuscrawl.errors import TopicError
from focuscrawl.text.background import Background, background_idf, warn_of_missing_list
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.stopwords import stopwords
from focuscrawl.text.vectors import Vector, dot, heaviest, mean, tf_idf, unit
from focuscrawl.topic.choices import TOKENIZER, placed
from focuscrawl.topic.feedback import rocchio
from focuscrawl.topic.lexicon import Lexicon
from focuscrawl.topic.link_matches import LinkMatcher
from focuscrawl.topic.matcher import TopicMatcher
from focuscrawl.topic.own_words import own_words
from focuscrawl.topic.relatedness import relatedness
from focuscrawl.topic.sample_words import odd_words, telling_tokens
from focuscrawl.topic.told_tokenizer import ToldTokenizer

if TYPE_CHECKING:
    from focuscrawl.topic.files import Sample
    from focuscrawl.topic.spec import TopicSpec

_Idf = Callable[[str], float]

EXPANSION_DOCUMENTS = 10
EXPANSION_TERMS = 30
"""The expanded query keeps the 30 heaviest words of at most ten sample documents (docs/formulas.md D.1)."""
UNLIKE_OTHERS = 0.02
"""Cosine to the other samples and the terms below which a sample is reported. Of short texts on different things nine
in ten are below 0.02, and of texts on one thing one in ten in English and three in ten in Chinese: a reason to look,
not an error."""
_SHORT_SAMPLE = 20
"""Tokens besides stop words; fewer say little about what words the topic uses."""


@dataclass(frozen=True, slots=True)
class FittedTopic:
    """A `TopicModel`, fitted from terms and sample texts by `fit_topic`; read-only and shared.

    Vectors are sublinear tf-idf, ``(1 + ln tf) * idf``, of length 1, without stop words. idf is that of the language at
    large, so that the first page of a crawl is judged as the last one is.
    """

    name: str
    version: str  # digest of the spec and its samples
    language: str
    tokenizer: Tokenizer
    matcher: TopicMatcher
    link_matcher: LinkMatcher
    weights: Mapping[str, float]  # topic term -> weight in (0, 1], as the topic file has them
    term_tokens: Mapping[str, tuple[str, ...]]  # topic term -> its tokens
    own_words: Mapping[str, float]  # word of title or description that is no term -> weight in (0, 1]
    own_matcher: TopicMatcher
    related: Mapping[str, float]
    query: tuple[str, ...]
    expanded: Mapping[str, float]
    excluded: Mapping[str, float]  # word that speaks against a page -> weight in (0, 1]
    excluded_matcher: TopicMatcher
    samples: tuple[tuple[str, ...], ...]  # tokens of the relevant samples
    negatives: tuple[tuple[str, ...], ...]  # tokens of the irrelevant samples
    centroid: Vector  # of the relevant samples; empty without samples
    vector: Vector  # the topic vector: Rocchio of terms, relevant and irrelevant samples (H.1)
    negative_centroid: Vector
    stop_words: frozenset[str]
    background: Background
    cohesion: tuple[float, ...]  # of each sample: cosine to the terms, their other names and the other samples
    warnings: tuple[str, ...]
    breadth: float = 0.0  # in [0, 1]; the broader, the less evidence a page needs
    _idf: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of `text` as this topic's tokenizer cuts it."""
        return self.tokenizer.tokens(text)

    def idf(self, token: str) -> float:
        """Return how telling a word is: -ln of the share of documents that have it; 0 for stop words."""
        known = self._idf.get(token)
        if known is None:
            if len(self._idf) > _MAX_IDF:
                self._idf.clear()
            known = self._idf[token] = 0.0 if token in self.stop_words else self.background.idf(token)
        return known

    def similarity(self, docs: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return the cosine of each token list to the topic vector, shape (n,), in [0, 1]; an empty one gives 0."""
        return np.array([self.cosine(doc) for doc in docs], dtype=np.float64)

    def cosine(self, tokens: Sequence[str]) -> float:
        """Return the cosine of one token list to the topic vector, in [0, 1]."""
        counts: dict[str, int] = {}
        for token in tokens:
            counts[token] = counts.get(token, 0) + 1
        return self.cosine_of_counts(counts)

    def cosine_of_counts(self, counts: Mapping[str, float], *, vector: Mapping[str, float] | None = None) -> float:
        """Return the cosine of a document given as token counts (1 or more each) to `vector` or the topic vector."""
        target = self.vector if vector is None else vector
        known, idf = self._idf, self.idf
        product = squares = 0.0
        for token, count in counts.items():
            weight = known.get(token)
            if weight is None:
                weight = idf(token)
            if weight:
                if count > 1:
                    weight *= 1.0 + log(count)
                squares += weight * weight
                share = target.get(token)
                if share is not None:
                    product += weight * share
        return min(1.0, product / sqrt(squares)) if squares else 0.0

    def relatedness(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """Return R(t) of each word, shape (n,), in [0, 1]; 1 for topic words."""
        get = self.related.get
        return np.array([get(term, 0.0) for term in terms], dtype=np.float64)

    def top_terms(self, n: int = 20) -> list[tuple[str, float]]:
        """Return the heaviest words of the topic vector with weights in [0, 1], descending."""
        return heaviest(self.vector, n)


_MAX_IDF = 300_000
"""Words whose idf is remembered: some 30 MB."""


def fit_topic(
    spec: TopicSpec,
    *,
    tokenizer: Tokenizer | None = None,
    lexicon: Lexicon | None = None,
) -> FittedTopic:
    """Return the model of `spec`; the same spec and samples always give the same model and version.

    Parameters
    ----------
    spec
        The topic file.
    tokenizer
        Default: the one the topic file names, which leaves the topic's Chinese words whole.
    lexicon
        Similarity of words by a dictionary, for R(t) (B.6), where the topic file names none.

    Raises
    ------
    TopicError
        If a sample file or the lexicon cannot be read, neither terms nor samples hold a word, or there is no tokenizer
        of the name in the topic file.
    """
    cuts = tokenizer or _tokenizer(spec)
    tokenizer = ToldTokenizer(cuts, spec)
    lexicon = spec.lexicon_loaded() or lexicon
    stop_words = stopwords(spec.language)
    warn_of_missing_list(spec.language)
    background = background_idf(spec.language)
    weights = dict(spec.terms)
    synonyms = {term: tuple(words) for term, words in spec.synonyms.items()}
    names = {form: weight for term, weight in weights.items() for form in (term, *synonyms.get(term, ()))}
    name_tokens = {form: tuple(tokenizer.tokens(form)) for form in names}
    term_tokens = {term: name_tokens[term] for term in weights}
    loaded = spec.samples_loaded()
    own = {token for tokens in term_tokens.values() for token in tokens}
    texts = _sample_tokens([s for s in loaded if s.kind == "relevant"], tokenizer)
    samples = telling_tokens(texts, background, own=own)
    negatives = telling_tokens(
        _sample_tokens([s for s in loaded if s.kind != "relevant"], tokenizer), background, own=own
    )
    if not any(term_tokens.values()) and not any(texts):
        raise TopicError([f"topic {spec.name}: neither its terms nor its samples hold a word; write what is wanted"])

    def idf(token: str) -> float:
        return 0.0 if token in stop_words else background.idf(token)

    vectors = tuple(unit(tf_idf(tokens, idf, sublinear=True)) for tokens in samples)
    negative_vectors = [unit(tf_idf(tokens, idf, sublinear=True)) for tokens in negatives]
    query_vector = _query_vector(weights, term_tokens, idf)
    vector = unit(rocchio(query_vector, vectors, negative_vectors))
    cohesion = _cohesion(_query_vector(names, name_tokens, idf), vectors)
    title_words = _own_words(spec, term_tokens, tokenizer, idf)
    topic_words = _topic_words(name_tokens)
    matcher = TopicMatcher(weights, forms=synonyms, tokenizer=tokenizer)
    return FittedTopic(
        name=spec.name,
        version=spec.digest,
        language=spec.language,
        tokenizer=cuts,
        matcher=matcher,
        link_matcher=LinkMatcher(matcher),
        weights=MappingProxyType(weights),
        term_tokens=MappingProxyType(term_tokens),
        own_words=MappingProxyType(title_words),
        own_matcher=TopicMatcher(title_words, tokenizer=tokenizer),
        related=MappingProxyType(
            relatedness(
                {" ".join(term_tokens[term]): weight for term, weight in weights.items() if term_tokens[term]},
                topic_words=topic_words,
                samples=samples,
                background=negatives,
                background_share=background.df_share,
                stop_words=stop_words,
                lexicon=lexicon,
                near=_near(spec, lexicon, tokenizer) if lexicon is not None else None,
            )
        ),
        query=tuple(dict.fromkeys(token for tokens in term_tokens.values() for token in tokens)),
        expanded=MappingProxyType(expanded_query(samples, [t for ts in term_tokens.values() for t in ts], idf)),
        excluded=MappingProxyType(dict(spec.excluded)),
        excluded_matcher=TopicMatcher(dict(spec.excluded), tokenizer=tokenizer),
        samples=tuple(samples),
        negatives=tuple(negatives),
        centroid=unit(mean(vectors)) if vectors else {},
        vector=vector,
        negative_centroid=unit(mean(negative_vectors)) if negative_vectors else {},
        stop_words=stop_words,
        background=background,
        cohesion=cohesion,
        breadth=spec.breadth_value,
        warnings=(
            *_warnings(loaded, samples, cohesion, weights, stop_words),
            *odd_words(vector, samples, background, own=own.union(*name_tokens.values()), terms=weights),
        ),
    )


def tokenizer_options(spec: TopicSpec) -> dict[str, Any]:
    """Return what the tokenizer of a topic is built with, beside its name."""
    words = [*spec.terms, *(word for words in spec.synonyms.values() for word in words)]
    return {"language": spec.language, "words": words}


def _tokenizer(spec: TopicSpec) -> Tokenizer:
    with placed(spec, TOKENIZER):
        made: Tokenizer = plugins.build("tokenizers", spec.tokenizer, **tokenizer_options(spec))
    return made


def _near(spec: TopicSpec, lexicon: Lexicon, tokenizer: Tokenizer) -> dict[str, float]:
    """Return the lexicon's words near the terms and their other names, those that are one token."""
    best: dict[str, float] = {}
    for term, weight in spec.terms.items():
        for form in (term, *spec.synonyms.get(term, ())):
            for word, value in lexicon.near(form).items():
                tokens = tokenizer.tokens(word)
                if len(tokens) == 1 and weight * value > best.get(tokens[0], 0.0):
                    best[tokens[0]] = weight * value
    return best


def _own_words(
    spec: TopicSpec, term_tokens: Mapping[str, tuple[str, ...]], tokenizer: Tokenizer, idf: _Idf
) -> dict[str, float]:
    known = {tokens[0] for tokens in term_tokens.values() if len(tokens) == 1}
    for word in spec.excluded:
        known.update(tokenizer.tokens(word))
    return own_words(spec.title, spec.description, tokens=tokenizer.tokens, idf=idf, known=known)


def _sample_tokens(samples: Sequence[Sample], tokenizer: Tokenizer) -> list[tuple[str, ...]]:
    out = []
    for sample in samples:
        if sample.html is None:
            out.append(tuple(tokenizer.tokens(sample.text)))
            continue
        from focuscrawl.page.analysis import analyse

        page = analyse(sample.html, f"http://sample.invalid/{len(out)}", tokenizer=tokenizer)
        out.append((*page.title_tokens, *(page.content_tokens or page.tokens)))
    return out


def _query_vector(weights: Mapping[str, float], term_tokens: Mapping[str, tuple[str, ...]], idf: _Idf) -> Vector:
    """Return the unit vector of the terms: each term's weight, shared among its tokens, times idf."""
    total: Vector = {}
    for term, weight in weights.items():
        for token, share in unit(dict.fromkeys(term_tokens[term], 1.0)).items():
            total[token] = total.get(token, 0.0) + weight * share
    return unit({token: weight * idf(token) for token, weight in total.items() if idf(token) > 0.0})


def _topic_words(name_tokens: Mapping[str, tuple[str, ...]]) -> dict[str, None]:
    """Return what counts as a topic word when single tokens are looked up: one-token forms, and phrases as a whole.

    The parts of a phrase are no topic words: "box" and "office" say little about films.
    """
    words: dict[str, None] = {}
    for tokens in name_tokens.values():
        if tokens:
            words["".join(tokens) if _is_chinese(tokens) else " ".join(tokens)] = None
    return words


def _is_chinese(tokens: Sequence[str]) -> bool:
    return not any(token.isascii() for token in tokens)


def expanded_query(samples: Sequence[Sequence[str]], query: Sequence[str], idf: _Idf) -> Vector:
    """Return the expanded query (docs/formulas.md D.1): 30 words of the samples, query words at least as heavy."""
    kept = samples[:EXPANSION_DOCUMENTS]
    average = mean([tf_idf(tokens, idf) for tokens in kept]) if kept else {}
    out = dict(heaviest(average, EXPANSION_TERMS))
    most = max(out.values(), default=1.0)
    for token in query:
        out[token] = max(most, average.get(token, 0.0))
    return out


def _cohesion(query_vector: Vector, vectors: Sequence[Vector]) -> tuple[float, ...]:
    """Return each sample's cosine to the topic vector fitted without it (the self-test).

    Here the query vector is of the terms with their other names: a text in the topic's other language has only those.
    """
    out = []
    for left_out, vector in enumerate(vectors):
        others = [other for index, other in enumerate(vectors) if index != left_out]
        out.append(min(1.0, dot(unit(rocchio(query_vector, others, ())), vector)))
    return tuple(out)


def _warnings(
    loaded: Sequence[Sample],
    samples: Sequence[Sequence[str]],
    cohesion: Sequence[float],
    weights: Mapping[str, float],
    stop_words: frozenset[str],
) -> tuple[str, ...]:
    out = []
    if not samples:
        out.append("no relevant samples: the judge knows the terms only; add two or more texts of a paragraph each")
    if not weights:
        out.append("no terms: links are scored by the samples' words only; add the topic's own words to [terms]")
    relevant = [sample for sample in loaded if sample.kind == "relevant"]
    for number, (sample, tokens) in enumerate(zip(relevant, samples, strict=True), start=1):
        where = str(sample.path.name) if sample.path is not None else sample.name or f"sample {number}"
        telling = sum(1 for token in tokens if token not in stop_words)
        if telling < _SHORT_SAMPLE:
            out.append(f"{where} has only {telling} telling words; give it a paragraph of sixty words or more")
        elif cohesion[number - 1] < UNLIKE_OTHERS and (len(samples) > 1 or weights):
            out.append(
                f"{where} shares almost no words with the terms and the other samples "
                f"(similarity {cohesion[number - 1]:.3f}): is it about the same topic?"
            )
    return tuple(out)
