from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.links import LinkGraph
from focuscrawl.lab.simulate.metrics import Scores, breadth_first, calibration_error, curve, oracle, yardstick

# s -> listing -> r1 r2 r3; s -> n1 -> n2 -> r4; s -> x1..x3 lead nowhere; u is relevant and cannot be reached.
LINKS = {
    "s": ["x1", "x2", "n1", "x3", "listing"],
    "listing": ["r1", "r2", "r3", "s"],
    "n1": ["n2"],
    "n2": ["r4"],
    "r1": ["s"],
    "r2": [],
    "r3": [],
    "r4": [],
    "x1": [],
    "x2": [],
    "x3": [],
    "u": ["s"],
}
GRADES = {"r1": 2, "r2": 2, "r3": 3, "r4": 2, "u": 2, "x1": 1, "elsewhere": 2}


def test_worked_example() -> None:
    measure = yardstick(LinkGraph(LINKS), ["s", "unknown"], GRADES, budget=10)
    assert measure.relevant == {"r1", "r2", "r3", "r4"}
    assert measure.reachable == 11
    assert measure.oracle == ("s", "listing", "r1", "r2", "r3", "n1", "n2", "r4")
    assert measure.oracle_area == 0 + 0 + 1 + 2 + 3 + 3 + 3 + 4 + 4 + 4
    assert measure.breadth_first == ("s", "x1", "x2", "n1", "x3", "listing", "n2", "r1", "r2", "r3")
    scores = measure.scores(measure.breadth_first)
    # found after each fetch: 0 0 0 0 0 0 0 1 2 3
    assert scores == Scores(
        fetched=10, harvest_at_r=0.0, recall_at_2r=0.25, recall_at_5r=0.75, auc=6 / 40, vs_oracle=6 / 24
    )


def test_default_budget_is_five_times_the_relevant_but_at_least_1500() -> None:
    graph = LinkGraph(LINKS)
    assert yardstick(graph, ["s"], GRADES).budget == 1500
    assert yardstick(graph, ["s"], GRADES, budget_floor=1).budget == 20
    assert yardstick(graph, ["s"], GRADES, budget_floor=1, budget_factor=2.5).budget == 10
    assert len(yardstick(graph, ["s"], GRADES, grade=1).relevant) == 5


def test_nothing_relevant_in_reach_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no relevant page can be reached"):
        yardstick(LinkGraph(LINKS), ["x1"], GRADES)


def test_a_short_order_keeps_what_it_found() -> None:
    assert curve(["a", "b"], frozenset("b"), 4) == [0, 1, 1, 1]
    assert curve(["a", "b", "b2"], frozenset(["b", "b2"]), 2) == [0, 1]


def graphs() -> st.SearchStrategy[tuple[dict[str, list[str]], set[str]]]:
    def build(size: int, seed: int) -> tuple[dict[str, list[str]], set[str]]:
        rng = random.Random(seed)
        names = [f"p{i}" for i in range(size)]
        links = {n: rng.sample(names, rng.randrange(min(4, size))) for n in names}
        return links, set(rng.sample(names, rng.randrange(1, size + 1)))

    return st.builds(build, st.integers(2, 9), st.integers(0, 10**6))


@settings(deadline=None)
@given(graphs())
def test_orders_are_crawls_and_scores_are_shares(case: tuple[dict[str, list[str]], set[str]]) -> None:
    links, relevant = case
    graph = LinkGraph(links)
    start = graph.index["p0"]
    grades = dict.fromkeys(relevant, 2)
    try:
        measure = yardstick(graph, ["p0"], grades, budget=len(links))
    except ConfigError:
        return
    for order in (measure.oracle, measure.breadth_first):
        known = {"p0"}
        for page in order:
            assert page in known  # a crawler can only fetch what a fetched page linked to
            known.update(links[page])
        assert len(set(order)) == len(order)
        scores = measure.scores(order)
        assert all(0.0 <= v <= 1.0 + 1e-9 for v in (scores.harvest_at_r, scores.recall_at_2r, scores.auc))
    assert len(breadth_first(graph, [start], None)) == measure.reachable
    assert measure.relevant <= set(measure.oracle)
    assert measure.scores(measure.oracle).vs_oracle == pytest.approx(1.0)
    # Independent: the area from a cumulative sum of indicators.
    hits = np.array([p in measure.relevant for p in measure.breadth_first], dtype=float)
    line = np.concatenate([hits.cumsum(), np.full(measure.budget - len(hits), hits.sum())])
    assert measure.scores(measure.breadth_first).auc == pytest.approx(line.mean() / len(measure.relevant))


def test_the_oracle_takes_the_best_first_step_of_all() -> None:
    """Against every possible crawl of a small graph: nobody finds the first relevant page sooner."""
    graph = LinkGraph(LINKS)
    relevant = {graph.index[p] for p in ("r1", "r2", "r3", "r4")}
    order = oracle(graph, [graph.index["s"]], relevant, 12)
    first = next(i for i, page in enumerate(order) if page in relevant)
    others = [n for n in graph.pages if n not in ("s", "u")]
    for length in range(1, first):
        for rest in itertools.permutations(others, length):
            known = set(LINKS["s"])
            legal = True
            for page in rest:
                legal = legal and page in known
                known.update(LINKS[page])
            assert not (legal and any(graph.index[p] in relevant for p in rest))


def test_calibration_error() -> None:
    assert calibration_error([], []) == 0.0
    assert calibration_error([0.25] * 4, [True, False, False, False]) == pytest.approx(0.0)
    assert calibration_error([1.0, 0.0], [False, True]) == pytest.approx(1.0)
    # Two bins: |0.1 - 0.5| x 2/3 + |0.9 - 1| x 1/3
    assert calibration_error([0.1, 0.1, 0.9], [True, False, True]) == pytest.approx(0.8 / 3 + 0.1 / 3)
