"""Similarity of a text to a query by order and closeness of terms: simL of docs/formulas.md D.2.

References
----------
.. [1] Yang Yuekui, Du Yajun, Hai Yufeng, Gao Zhaoqiong, A Topic-Specific Web Crawler with Web Page Hierarchy Based on
   HTML Dom-Tree, 2009, definitions 3.5 to 3.7. The printed formula is lost; the reading here gives all four distances
   and the result of the paper's example.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from focuscrawl.errors import ConfigError

ALPHA = 5
"""Fewest tokens between two terms that break a division, and what a missing term costs; "a constant" in the source."""


@dataclass(frozen=True, slots=True)
class Division:
    """A stretch of text that holds query terms close together (维度).

    Parameters
    ----------
    start, end
        Token positions of its first and last query term, both inside.
    terms
        The query terms collected, in text order.
    gaps
        Tokens strictly between neighbouring collected terms; one fewer than `terms`, each below alpha.
    swaps
        Least number of exchanges of two terms that puts `terms` into query order.
    distance
        sum(gaps) + swaps + alpha * (query terms missing); 0 for the query itself.
    """

    start: int
    end: int
    terms: tuple[str, ...]
    gaps: tuple[int, ...]
    swaps: int
    distance: int


class TermOrder:
    """A query prepared for many texts; ``sim_l`` and ``divisions`` are shorthands for one.

    Parameters
    ----------
    query
        Tokens; repeats are dropped, the order of first occurrence counts.
    alpha
        Integer >= 1.

    Raises
    ------
    ConfigError
        If alpha is below 1.
    """

    __slots__ = ("_rank", "_terms", "alpha")

    def __init__(self, query: Sequence[str], *, alpha: int = ALPHA) -> None:
        if alpha < 1:
            raise ConfigError(f"alpha = {alpha}: must be an integer of at least 1")
        self._terms = tuple(dict.fromkeys(query))
        self._rank = {term: rank for rank, term in enumerate(self._terms)}
        self.alpha = alpha

    def similarity(self, text: Sequence[str]) -> float:
        """Return max 1/(1 + distance) over the divisions of `text`, in [0, 1]; 0 if no query term occurs."""
        best, least = 0, 0
        for collected in self._candidates(text):
            size = len(collected)
            if size >= best:
                distance = self._distance(collected)
                if size > best or distance < least:
                    best, least = size, distance
        return 1.0 / (1.0 + least) if best else 0.0

    def divisions(self, text: Sequence[str]) -> list[Division]:
        """Return the candidates that collect most query terms, in text order."""
        candidates = list(self._candidates(text))
        most = max((len(collected) for collected in candidates), default=0)
        return [self._division(collected) for collected in candidates if len(collected) == most]

    def _candidates(self, text: Sequence[str]) -> Iterator[list[tuple[int, int]]]:
        """Yield (position, query rank) of the terms collected from each occurrence of a query term on.

        O(L + occurrences * alpha * M): only positions of query terms are looked at, and a candidate spans at most
        alpha tokens for each term it collects.
        """
        rank_of = self._rank
        if not rank_of:
            return
        occurrences = [(at, rank_of[token]) for at, token in enumerate(text) if token in rank_of]
        wanted = len(rank_of)
        for first, (last, rank) in enumerate(occurrences):
            collected = [(last, rank)]
            seen = {rank}
            for following in range(first + 1, len(occurrences)):
                if len(seen) == wanted:
                    break
                at, rank = occurrences[following]
                if at - last > self.alpha:  # alpha tokens or more lie between
                    break
                if rank not in seen:
                    seen.add(rank)
                    collected.append((at, rank))
                    last = at
            yield collected

    def _distance(self, collected: list[tuple[int, int]]) -> int:
        size = len(collected)
        gaps = collected[-1][0] - collected[0][0] - (size - 1)
        return gaps + _swaps([rank for _, rank in collected]) + self.alpha * (len(self._terms) - size)

    def _division(self, collected: list[tuple[int, int]]) -> Division:
        places = [at for at, _ in collected]
        return Division(
            start=places[0],
            end=places[-1],
            terms=tuple(self._terms[rank] for _, rank in collected),
            gaps=tuple(after - before - 1 for before, after in pairwise(places)),
            swaps=_swaps([rank for _, rank in collected]),
            distance=self._distance(collected),
        )


def divisions(query: Sequence[str], text: Sequence[str], *, alpha: int = ALPHA) -> list[Division]:
    """Return the divisions of `text` for `query`: its candidates with the most query terms, in text order."""
    return TermOrder(query, alpha=alpha).divisions(text)


def sim_l(query: Sequence[str], text: Sequence[str], *, alpha: int = ALPHA) -> float:
    """Return the term-order similarity simL of `text` to `query`, in [0, 1] (docs/formulas.md D.2).

    0 if no query term occurs, otherwise at least 1/(1 + (M-1) alpha) for M distinct query terms; 1 when a division
    is the query itself.

    >>> sim_l("ABCD", "AxCxxDxxxBAxxCD")
    0.25
    """
    return TermOrder(query, alpha=alpha).similarity(text)


def _swaps(ranks: list[int]) -> int:
    """Return the least number of exchanges that sorts distinct `ranks`: their number minus the cycles."""
    order = sorted(range(len(ranks)), key=ranks.__getitem__)
    seen = [False] * len(ranks)
    cycles = 0
    for start in range(len(ranks)):
        if not seen[start]:
            cycles += 1
            at = start
            while not seen[at]:
                seen[at] = True
                at = order[at]
    return len(ranks) - cycles
