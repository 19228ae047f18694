"""Correction of a judge by examples: logistic regression that begins as the judge and moves from it.

    logit p(x) = logit p0(x) + w . x          w ~ N(0, 1) each

p0 is the relevance by the judge that knows no examples, x what is known of the page beside it
(`focuscrawl.topic.traits`). w is the most probable one (MAP) given the examples, so without examples w = 0 and p = p0,
and what no example speaks of stays where it was. There are far more words than examples, so the fit is done in the
space of the examples: w is a sum of the examples' x, and the n weights of that sum are found by Newton's method [1]_.
The same examples give the same w to the last bit.

References
----------
.. [1] Carl Edward Rasmussen, Christopher K. I. Williams, Gaussian Processes for Machine Learning, MIT Press, 2006,
   algorithm 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from focuscrawl.text.vectors import Vector, dot

LEAST = 0.01
"""Relevance that a judge's 0 stands for; 1 less it stands for its 1. No judge that counts words is surer than that."""
_STEPS = 100
_ENOUGH = 1e-10


@dataclass(frozen=True, slots=True)
class Correction:
    """What examples add to the log odds of a page: a weight for each trait."""

    weights: Mapping[str, float] = field(default_factory=dict)

    def shift(self, traits: Mapping[str, float]) -> float:
        """Return what is added to the log odds of a page with these traits."""
        return dot(self.weights, traits)


def log_odds(p: float) -> float:
    """Return ln(p / (1 - p)) of a relevance in [0, 1], that of 0.01 and 0.99 at most."""
    p = min(1.0 - LEAST, max(LEAST, p))
    return log(p / (1.0 - p))


def moved(p: float, shift: float) -> float:
    """Return relevance `p` with `shift` added to its log odds; `p` itself when there is nothing to add.

    >>> moved(0.3, 0.0), round(moved(0.5, 1.0), 3)
    (0.3, 0.731)
    """
    if shift == 0.0:
        return p
    odds = log_odds(p) + shift
    return 1.0 / (1.0 + exp(-odds)) if odds >= 0.0 else 1.0 - 1.0 / (1.0 + exp(odds))


def fit_correction(
    traits: Sequence[Mapping[str, float]], before: Sequence[float], labels: Sequence[bool]
) -> Correction:
    """Return the most probable correction given examples.

    Parameters
    ----------
    traits
        Of each example: trait to value.
    before
        Relevance of each example by the judge that knows none, in [0, 1].
    labels
        Whether each example is on the topic.
    """
    if not traits:
        return Correction()
    shares = dual_weights(gram(traits), np.array([log_odds(p) for p in before]), np.array(labels, dtype=np.float64))
    weights: Vector = {}
    for share, known in zip(shares.tolist(), traits, strict=True):
        for name, value in known.items():
            weights[name] = weights.get(name, 0.0) + share * value
    return Correction(weights)


def gram(traits: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
    """Return the inner products of all pairs, shape (n, n)."""
    columns: dict[str, tuple[list[int], list[float]]] = {}
    for row, known in enumerate(traits):
        for name, value in known.items():
            rows, values = columns.setdefault(name, ([], []))
            rows.append(row)
            values.append(value)
    out = np.zeros((len(traits), len(traits)))
    for rows, values in columns.values():
        if len(rows) == 1:
            out[rows[0], rows[0]] += values[0] * values[0]
        else:
            out[np.ix_(rows, rows)] += np.outer(values, values)
    return out


def dual_weights(
    products: NDArray[np.float64], offsets: NDArray[np.float64], labels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of each example in w, shape (n,).

    At the maximum it is ``label - p`` of the example: what an example adds is how far it was misjudged.

    Parameters
    ----------
    products
        Inner products of the examples' traits, shape (n, n).
    offsets
        Log odds of each example without examples, shape (n,).
    labels
        1.0 or 0.0 of each example, shape (n,).
    """
    n = len(labels)
    values = np.zeros(n)  # w . x of each example
    best = _posterior(values, np.zeros(n), offsets, labels)
    shares = np.zeros(n)
    for _ in range(_STEPS):
        p = _logistic(offsets + values)
        curvature = p * (1.0 - p)
        root = np.sqrt(curvature)
        # Newton's step in a form that needs no inverse of `products`, which has none when two examples are alike.
        target = curvature * values + (labels - p)
        inner = np.eye(n) + root[:, None] * products * root[None, :]
        wanted = target - root * np.linalg.solve(inner, root * (products @ target))
        step = 1.0
        while True:
            new_shares = shares + step * (wanted - shares)
            new_values = products @ new_shares
            now = _posterior(new_values, new_shares, offsets, labels)
            if now >= best or step < 1e-6:
                break
            step /= 2.0
        shares, values = new_shares, new_values
        if now - best < _ENOUGH:
            break
        best = now
    return shares


def _posterior(
    values: NDArray[np.float64], shares: NDArray[np.float64], offsets: NDArray[np.float64], labels: NDArray[np.float64]
) -> float:
    """Return the log of the posterior density of w but for a constant."""
    odds = offsets + values
    likelihood = labels * odds - np.logaddexp(0.0, odds)
    return float(likelihood.sum() - 0.5 * shares @ values)


def _logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    out: NDArray[np.float64] = 0.5 * (1.0 + np.tanh(0.5 * odds))
    return out
