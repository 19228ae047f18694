"""Rocchio feedback: the topic vector moves towards pages judged relevant and away from the others (algorithms H.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.text.vectors import Vector, combine, mean

ALPHA, BETA, GAMMA = 1.0, 0.75, 0.15
"""Weights of the query, of relevant and of irrelevant documents (algorithms H.1)."""


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
