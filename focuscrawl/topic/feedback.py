"""Rocchio feedback: the topic vector moves towards relevant pages, away from others (docs/formulas.md H.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.text.vectors import Vector, combine, heaviest, mean, unit

ALPHA, BETA, GAMMA = 1.0, 0.75, 0.15
"""Weights of the query, of relevant and of irrelevant documents (docs/formulas.md H.1)."""


def rocchio(
    query: Mapping[str, float],
    relevant: Sequence[Mapping[str, float]],
    irrelevant: Sequence[Mapping[str, float]],
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    gamma: float = GAMMA,
) -> Vector:
    """Return ``alpha * query + beta * mean(relevant) - gamma * mean(irrelevant)``; terms at 0 or below are left out.

    References
    ----------
    .. [1] J. J. Rocchio, Relevance feedback in information retrieval, in: The SMART Retrieval System, 1971.
    """
    parts: list[tuple[float, Mapping[str, float]]] = [(alpha, query)]
    if relevant:
        parts.append((beta, mean(relevant)))
    if irrelevant:
        parts.append((-gamma, mean(irrelevant)))
    return combine(parts, clip=True)


class FeedbackVector:
    """A topic vector that follows the pages judged.

    Pages well above the threshold count as relevant, pages far below as irrelevant, those between teach nothing. The
    original vector keeps its weight, so that the crawl cannot talk itself out of its topic.

    Parameters
    ----------
    query
        The topic vector, of length 1.
    every
        Judged pages between two updates of the vector.
    """

    def __init__(
        self,
        query: Mapping[str, float],
        *,
        alpha: float = ALPHA,
        beta: float = BETA,
        gamma: float = GAMMA,
        every: int = 25,
    ) -> None:
        self._query = dict(query)
        self._weights = (alpha, beta, gamma)
        self._every = every
        self._sums: list[Vector] = [{}, {}]  # of relevant pages, and of irrelevant ones
        self._counts = [0, 0]
        self.vector: Vector = dict(query)

    def observe(self, vector: Mapping[str, float], *, score: float, threshold: float) -> None:
        """Learn from a judged page given as a vector of length 1."""
        if score >= threshold + _SURE * (1.0 - threshold):
            kind = 0
        elif score <= threshold * _SURE:
            kind = 1
        else:
            return
        total = self._sums[kind]
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + weight
        self._counts[kind] += 1
        if len(total) > 2 * _KEPT_TERMS:
            self._sums[kind] = dict(heaviest(total, _KEPT_TERMS))
        if sum(self._counts) % self._every == 0:
            self._update()

    def snapshot(self) -> dict[str, object]:
        """Return sums and counts of both kinds of pages and the vector of the last update, JSON-safe."""
        return {"sums": [dict(s) for s in self._sums], "counts": list(self._counts), "vector": dict(self.vector)}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        sums, counts = state.get("sums"), state.get("counts")
        if isinstance(sums, list) and isinstance(counts, list) and len(sums) == len(counts) == 2:
            self._sums = [dict(sums[0]), dict(sums[1])]
            self._counts = [int(count) for count in counts]
            vector = state.get("vector")
            if isinstance(vector, Mapping):
                self.vector = dict(vector)
            else:  # a run of an older version
                self._update()

    def _update(self) -> None:
        alpha, beta, gamma = self._weights
        relevant, irrelevant = ([_mean_of(s, n)] if n else [] for s, n in zip(self._sums, self._counts, strict=True))
        moved = rocchio(self._query, relevant, irrelevant, alpha=alpha, beta=beta, gamma=gamma)
        self.vector = unit(dict(heaviest(moved, _KEPT_TERMS)))


_SURE = 0.5
"""Half of the way from the threshold to 1, or to 0: what lies between is not sure enough to learn from."""
_KEPT_TERMS = 2000
"""More words make the vector slower, and their weights are noise."""


def _mean_of(total: Mapping[str, float], count: int) -> Vector:
    return {term: weight / count for term, weight in total.items()}
