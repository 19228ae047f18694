"""Context graph (docs/formulas.md J.6; Diligenti, Coetzee, Lawrence, Giles, Gori 2000).

Pages fetched so far lie in layers by their distance to a relevant page: layer 0 is relevant, a page of layer k links to
one of layer k - 1. A naive-Bayes model of the words of each layer tells, of a page just fetched, which layer it is
likely in, and so how far a relevant page is; below a posterior of 1/2 it is in none. Its links wait in that layer's
queue, and the next URL comes from the lowest queue that is not empty, first in first out.

The original builds layers from pages that link to the samples, as a search engine knows them; here the crawl itself is
the graph, and the models are made anew as it grows. Before the first, the judge alone decides: layer 0 or none.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.graph.journal import PageLinks, pack, unpack
from focuscrawl.graph.keys import key_array
from focuscrawl.graph.links import GraphLimits, LinkGraph
from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained

_TERMS = 40  # of a document, the best by tf-idf, as in the source
_SPACE = 1 << 14  # words are hashed into so many places
_DOCUMENTS = 2000  # the last ones train the models
_FIRST = 100  # pages before the first training; then every `every`
_POSTERIOR = 0.5
_LIMITS = GraphLimits(urls=200_000, links=1_000_000)

Terms = NDArray[np.int32]


def layers(sources: NDArray[np.int32], targets: NDArray[np.int32], relevant: NDArray[np.bool_], most: int) -> Any:
    """Return the layer of each page: links to the nearest relevant one, at most `most`, else -1.

    >>> chain = np.array([0, 1, 2]), np.array([1, 2, 3])
    >>> layers(*chain, np.array([False, False, False, True]), 2).tolist()
    [-1, 2, 1, 0]
    """
    layer = np.where(relevant, 0, -1)
    for number in range(1, most + 1):
        above = sources[layer[targets] == number - 1]
        layer[above[layer[above] < 0]] = number
    return layer


class LayerModels:
    """One multinomial naive-Bayes model a layer, with equal priors and one added to each count."""

    def __init__(self, documents: Sequence[Terms], of_layer: Sequence[int], count: int) -> None:
        self.log_p = np.zeros((count, _SPACE))
        self.known = np.zeros(count, dtype=np.bool_)
        for layer in range(count):
            own = [terms for terms, number in zip(documents, of_layer, strict=True) if number == layer]
            counts = np.bincount(np.concatenate(own), minlength=_SPACE) if own else np.zeros(_SPACE)
            self.known[layer] = bool(own)
            self.log_p[layer] = np.log((counts + 1.0) / (counts.sum() + _SPACE))

    def posterior(self, terms: Terms) -> NDArray[np.float64]:
        """Return the probability of each layer; layers without a document have none."""
        score = np.where(self.known, self.log_p[:, terms].sum(axis=1), -math.inf)
        if not self.known.any():
            return np.zeros(len(score))
        weight = np.exp(score - score.max())
        probability: NDArray[np.float64] = weight / weight.sum()
        return probability


class ContextGraph(Ranker):
    """See the module's docstring.

    Parameters
    ----------
    height
        Layers beyond 0 (H of the source).
    every
        Pages between two trainings.
    """

    name = "context-graph"

    def __init__(self, *, height: int = 3, every: int = 500) -> None:
        for option, value in (("height", height), ("every", every)):
            if not (isinstance(value, int) and 1 <= value <= 100_000):
                raise ConfigError(f"[ranking.options] {option} = {value!r}: expected a whole number from 1 to 100,000")
        self.height = height
        self.every = every
        self.weights = {"layer": 1.0}
        self.graph = LinkGraph(_LIMITS)
        self.models: LayerModels | None = None
        self.pages = 0
        self._documents: deque[tuple[int, Terms]] = deque(maxlen=_DOCUMENTS)  # number of the page, its terms
        self._df = np.zeros(_SPACE, dtype=np.int64)
        self._here: tuple[int, Terms] = (0, np.empty(0, np.int32))
        self._log: list[tuple[PageLinks, Terms]] = []

    def observe(self, page: Judged) -> None:
        """Add a page to the graph and, now and then, train the models."""
        own = page.key or page.page.key
        targets = key_array([link.key for link in page.page.links])
        links = PageLinks(own, own, float(page.verdict.relevant), targets, np.empty(0, np.float32))
        terms = self._best_terms(page.page.content_tokens)
        self._here = own, terms
        self._log.append((links, terms))
        self._learn(links, terms)

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the layer's value for all links: 1 for layer 0, falling to 0 for none."""
        del scores
        layer, posterior = self.layer_of(page)
        queues = self.height + 1
        if layer < 0:
            value, reason = 0.0, "the page that holds the link is in no layer"
        else:
            value = (queues - layer) / queues
            reason = f"the page that holds the link looks {layer} links away from a relevant page"
        score = Explained(value, {"layer": value, "posterior": posterior}, reason)
        return [Ranked(score, link.host) for link in links]

    def layer_of(self, page: Judged) -> tuple[int, float]:
        """Return the most probable layer of the page, -1 for none, and its posterior."""
        if self.models is None:
            return (0, 1.0) if page.verdict.relevant else (-1, 0.0)
        own, terms = self._here
        if own != (page.key or page.page.key):
            terms = self._best_terms(page.page.content_tokens)
        posterior = self.models.posterior(terms)
        best = int(np.argmax(posterior))
        probability = float(posterior[best])
        return (best if probability >= _POSTERIOR else -1), probability

    # --------------------------------------------------------------------- state

    def journal(self) -> tuple[int, dict[str, object]] | None:
        """Return pages and their terms since the last call."""
        if not self._log:
            return None
        log, self._log = self._log, []
        part = pack([links for links, _ in log])
        return self.pages - len(log), {**part, "terms": [terms.tolist() for _, terms in log]}

    def replay(self, parts: Sequence[Mapping[str, Any]]) -> None:
        """Take up what `journal` returned, in order; the models are as they were."""
        for part in parts:
            pages, all_terms = unpack(part), part.get("terms")
            if not (isinstance(all_terms, list) and len(all_terms) == len(pages)):
                raise FocusCrawlError("the words of the run's pages cannot be read; crawl in a new run folder")
            for links, terms in zip(pages, all_terms, strict=True):
                self._learn(links, np.array(terms, np.int32) % _SPACE)

    # ------------------------------------------------------------------- private

    def _learn(self, page: PageLinks, terms: Terms) -> None:
        self.pages += 1
        source, ids = self.graph.number(page.key, page.targets)
        if source >= 0:
            targets = np.unique(ids[(ids >= 0) & (ids != source)])
            self.graph.set_row(source, targets, relevance=page.relevance)
            self._documents.append((source, terms))
        self._df[terms] += 1
        if self.pages == _FIRST or self.pages % self.every == 0:
            self._train()

    def _train(self) -> None:
        graph = self.graph
        sources, targets, _ = graph.edges()
        layer = layers(sources, targets, graph.relevance >= 0.5, self.height)
        documents = [terms for _, terms in self._documents]
        of_layer = [int(layer[number]) for number, _ in self._documents]
        if 0 in of_layer:
            self.models = LayerModels(documents, of_layer, self.height + 1)

    def _best_terms(self, tokens: Sequence[str]) -> Terms:
        """Return the places of the document's best terms by tf-idf."""
        counts = Counter(tokens)
        places = np.array([crc32(word.encode("utf-8", "surrogatepass")) % _SPACE for word in counts], dtype=np.int32)
        idf = np.log((self.pages + 1.0) / (self._df[places] + 1.0)) + 1.0
        weights = np.array(list(counts.values())) * idf
        best: Terms = np.unique(places[np.argsort(-weights, kind="stable")[:_TERMS]])
        return best


def make_context_graph(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    height: int = 3,
    every: int = 500,
) -> ContextGraph:
    """Return the strategy ``context-graph``."""
    del topic, seed, weights
    return ContextGraph(height=height, every=every)
