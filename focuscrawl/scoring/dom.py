"""DOM-tree scorer: similarity of the paragraphs around a link, spread down the tree (docs/formulas.md D).

Source: Yang, Du, Hai, Gao, A Topic-Specific Web Crawler with Web Page Hierarchy Based on HTML Dom-Tree, 2009,
definitions 3.1-3.7, rules 1-3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Block, Link, PageAnalysis
from focuscrawl.scoring.base import LinkScorer
from focuscrawl.scoring.metadata import NOTHING
from focuscrawl.text.distance import sim_l
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, clip01

_SMOOTH = 0.01  # D.1: keeps a word that every paragraph has from vanishing altogether


@dataclass(frozen=True, slots=True)
class DomParams:
    """Constants of D.1-D.3.

    ``beta`` weighs the vector similarity against the order similarity, ``mu`` the top paragraph against the title,
    ``w0`` is the parent's share for an only child, ``alpha`` the largest gap between query words (a whole number).
    """

    beta: float = 0.5
    mu: float = 0.5
    w0: float = 0.5
    alpha: int = 5

    def __post_init__(self) -> None:
        for option in ("beta", "mu", "w0"):
            value = getattr(self, option)
            if not (isinstance(value, int | float) and 0.0 <= value <= 1.0):
                raise ConfigError(f"[scorers.dom] {option} = {value!r}: expected a number in [0, 1]")
        if not (isinstance(self.alpha, int) and self.alpha >= 1):
            raise ConfigError(f"[scorers.dom] alpha = {self.alpha!r}: expected a whole number of at least 1")


DEFAULTS = DomParams()


@dataclass(frozen=True, slots=True)
class BlockScore:
    """Score of a paragraph and what it is made of, all in [0, 1]."""

    value: float
    vsm: float = 0.0  # simV of the own text
    order: float = 0.0  # simL of the own text
    above: float = 0.0  # score of the parent, or similarity of the title for a top paragraph


_ZERO = BlockScore(0.0)


def idf(n_docs: int, n_with: int) -> float:
    """Return ln(N / n_k + 0.01), never below 0; 0 for a word no document has (D.1).

    >>> round(3 * idf(100, 10), 6)
    6.910754
    """
    return max(0.0, math.log(n_docs / n_with + _SMOOTH)) if n_with > 0 else 0.0


def norm(vector: Mapping[str, float]) -> float:
    """Return the length of a sparse vector."""
    return math.sqrt(math.fsum(v * v for v in vector.values()))


def sim_v(query: Mapping[str, float], text: Mapping[str, float], *, query_norm: float) -> float:
    """Return the cosine of two sparse vectors, in [0, 1]; 0 if either has no length (D.1).

    >>> query = {"a": 1, "b": 1}
    >>> round(sim_v(query, {"a": 2, "c": 1}, query_norm=norm(query)), 6)
    0.632456
    """
    length = query_norm * norm(text)
    if length == 0.0:
        return 0.0
    get = query.get
    return clip01(math.fsum(v * get(t, 0.0) for t, v in text.items()) / length)


def parent_share(siblings: int, *, w0: float = DEFAULTS.w0) -> float:
    """Return w(k) = w0 / (1 + log2 k), the parent's share for `siblings` paragraphs under one parent (rule 3).

    >>> [round(parent_share(k), 6) for k in (1, 2, 4, 8)]
    [0.5, 0.25, 0.166667, 0.125]
    """
    return w0 / (1.0 + math.log2(max(1, siblings)))


def dom_scores(page: PageAnalysis, topic: TopicModel, params: DomParams = DEFAULTS) -> list[BlockScore]:
    """Return the score of every block of `page` (D.3), in order.

    The documents of D.1 are the page's paragraphs and its title: a word that stands in every paragraph of a page
    tells little about one of them. Paragraphs without a word of the expanded query have similarity 0 and are not
    looked at closer.
    """
    return _Page(page, topic, params).scores()


class _Page:
    """One page's paragraph similarities."""

    def __init__(self, page: PageAnalysis, topic: TopicModel, params: DomParams) -> None:
        self.blocks = page.blocks
        self.title = page.title_tokens
        self.topic = topic
        self.params = params
        self.words = topic.expanded.keys()
        self.norm = norm(topic.expanded)
        self.df: Counter[str] | None = None
        self.idf: dict[int, float] = {}

    def scores(self) -> list[BlockScore]:
        p = self.params
        title = self.similarity(self.title)
        known: dict[tuple[str, ...], BlockScore] = {}
        out: list[BlockScore] = []
        for block in self.blocks:
            own = known.get(block.tokens)
            if own is None:
                own = known[block.tokens] = self.similarity(block.tokens)
            if 0 <= block.parent < len(out):
                above = out[block.parent].value
                share = parent_share(block.siblings, w0=p.w0)
            else:
                above = title.value
                share = 1.0 - p.mu if self.title else 0.0
            if own.value == 0.0 and above == 0.0:
                out.append(_ZERO)
            else:
                # A convex mean; clipped because rounding may lift it over 1 by a hair.
                value = clip01((1.0 - share) * own.value + share * above)
                out.append(BlockScore(value, own.vsm, own.order, above))
        return out

    def outside(self) -> BlockScore:
        """Return the score of a link outside all blocks: that of an empty top paragraph."""
        title = self.similarity(self.title)
        share = 1.0 - self.params.mu
        return BlockScore(share * title.value, 0.0, 0.0, title.value) if title.value else _ZERO

    def similarity(self, tokens: tuple[str, ...]) -> BlockScore:
        """Return sim(q, p) = beta*simV + (1-beta)*simL of a text."""
        if not tokens or self.words.isdisjoint(tokens):
            return _ZERO
        counts = Counter(tokens)
        get = self._idf
        vsm = sim_v(self.topic.expanded, {t: n * get(t) for t, n in counts.items()}, query_norm=self.norm)
        order = clip01(sim_l(self.topic.query, tokens, alpha=self.params.alpha))
        beta = self.params.beta
        return BlockScore(clip01(beta * vsm + (1.0 - beta) * order), vsm, order)

    def _idf(self, token: str) -> float:
        if self.df is None:
            self.df = Counter(set(self.title))
            for block in self.blocks:
                self.df.update(set(block.tokens))
        n = self.df[token]
        value = self.idf.get(n)
        if value is None:
            value = self.idf[n] = idf(len(self.blocks) + 1, n)
        return value


class DomScorer(LinkScorer):
    """Score of the paragraph that holds the link."""

    name = "dom"
    repeatable = True

    def __init__(self, params: DomParams = DEFAULTS) -> None:
        self.params = params

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        """Return the block's score for each link; links of one block share it."""
        work = _Page(page, topic, self.params)
        blocks = work.scores()
        known: dict[int, Explained] = {}
        out: list[Explained] = []
        for link in links:
            index = link.block if 0 <= link.block < len(blocks) else -1
            found = known.get(index)
            if found is None:
                found = known[index] = _explained(blocks[index] if index >= 0 else work.outside(), page.blocks, index)
            out.append(found)
        return out


def make_dom(*, seed: int = 0, beta: float = 0.5, mu: float = 0.5, w0: float = 0.5, alpha: int = 5) -> DomScorer:
    """Return the scorer ``dom``; `seed` is not used."""
    del seed
    return DomScorer(DomParams(beta=beta, mu=mu, w0=w0, alpha=alpha))


def _explained(score: BlockScore, blocks: Sequence[Block], index: int) -> Explained:
    if score.value == 0.0:
        return NOTHING
    parts = {"vsm": score.vsm, "order": score.order, "above": score.above}
    where = f"<{blocks[index].tag}>" if index >= 0 else "page"
    return Explained(score.value, parts, f"text of the {where} that holds the link, and what stands above it")
