"""Places for the nodes of a small graph, by springs between linked ones and a force between all.

References
----------
.. [1] Thomas M. J. Fruchterman, Edward M. Reingold, Graph drawing by force-directed placement, Software: Practice and
   Experience 21(11), 1991.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LEAST = 0.01  # distance of two nodes, and force on one: 0 has no direction
_STILL = 1e-4  # a node's mean way in a step below which nothing moves any more
_FIRST_STEP = 0.1  # of the area; steps grow shorter by the same amount each time


def link_weights(names: Sequence[str], links: Iterable[tuple[str, str, float]]) -> Floats:
    """Return the weights of links between named nodes both ways, shape (n, n); of two on one pair the later."""
    number = {name: at for at, name in enumerate(names)}
    weights = np.zeros((len(names), len(names)))
    for one, other, weight in links:
        weights[number[one], number[other]] = weights[number[other], number[one]] = weight
    return weights


def spring_layout(weights: Floats, *, distance: float, steps: int) -> Floats:
    """Return a place for each node, shape (n, 2), the same on each call.

    As networkx places graphs of up to 500 nodes [1]_ with the seed 1, but for scale and origin, which are no matter to
    those who fit the places into a picture: networkx takes .1 s and 19 MB to load. Time is n² a step.

    Parameters
    ----------
    weights
        Of the links, symmetric, at least 0, shape (n, n).
    distance
        At which two nodes linked with weight 1 rest, in the unit square; above 0.
    steps
        At most.
    """
    count = len(weights)
    places: Floats = np.random.RandomState(1).rand(count, 2)
    if not count:
        return places
    longest = float(np.ptp(places, axis=0).max()) * _FIRST_STEP
    shorter = longest / (steps + 1)
    for _ in range(steps):
        apart = places[:, None, :] - places[None, :, :]
        far = np.maximum(np.linalg.norm(apart, axis=-1), _LEAST)
        force = np.einsum("ijk,ij->ik", apart, distance * distance / far**2 - weights * far / distance)
        size = np.maximum(np.linalg.norm(force, axis=-1), _LEAST)
        moved = np.einsum("ij,i->ij", force, longest / size)
        places += moved
        longest -= shorter
        if np.linalg.norm(moved) / count < _STILL:
            break
    return places
