"""Places of the nodes of a small graph."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from focuscrawl.graph.spring_layout import Floats, spring_layout

LINKS = [(0, 1, 2.0), (1, 2, 1.0), (0, 2, 0.5), (3, 4, 3.0), (5, 0, 1.5)]


def weights(count: int, links: list[tuple[int, int, float]]) -> Floats:
    made = np.zeros((count, count))
    for one, other, weight in links:
        made[one, other] = made[other, one] = weight
    return made


def fitted(places: Floats) -> Floats:
    """Return places with their scale and origin taken off."""
    centred: Floats = places - places.mean(axis=0)
    return centred / np.abs(centred).max()


@pytest.mark.parametrize("steps", [1, 6])
def test_networkx_says_the_same(steps: int) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(range(8))  # two without a link
    graph.add_weighted_edges_from(LINKS)
    expected = nx.spring_layout(graph, seed=1, k=0.7, iterations=steps)
    found = fitted(spring_layout(weights(8, LINKS), distance=0.7, steps=steps))
    assert found == pytest.approx(np.array([expected[node] for node in range(8)]), abs=1e-9)


def test_linked_nodes_come_to_stand_nearer_than_others() -> None:
    places = spring_layout(weights(6, LINKS), distance=0.9, steps=200)
    far = np.linalg.norm(places[:, None] - places[None], axis=-1)
    assert far[3, 4] < far[3, [0, 1, 2, 5]].min()
    assert far[0, 1] < far[0, [3, 4]].min()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_small_graphs_have_places_too(count: int) -> None:
    places = spring_layout(np.zeros((count, count)), distance=1.0, steps=10)
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
