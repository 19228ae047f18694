from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.errors import ConfigError
from focuscrawl.text.distance import TermOrder, divisions, sim_l

EXAMPLE = "AxCxxDxxxBAxxCD"


def test_the_four_distances_of_the_source() -> None:
    found = divisions("ABCD", EXAMPLE)
    assert ["".join(EXAMPLE[d.start : d.end + 1]) for d in found] == ["AxCxxDxxxB", "CxxDxxxBA", "DxxxBAxxC", "BAxxCD"]
    assert [d.gaps for d in found] == [(1, 2, 3), (2, 3, 0), (3, 0, 2), (0, 2, 0)]
    assert ["".join(d.terms) for d in found] == ["ACDB", "CDBA", "DBAC", "BACD"]
    assert [d.swaps for d in found] == [2, 3, 2, 1]
    assert [d.distance for d in found] == [8, 8, 7, 3]


@pytest.mark.parametrize("alpha", [4, 5, 9])
def test_the_similarity_of_the_source(alpha: int) -> None:
    assert sim_l("ABCD", EXAMPLE, alpha=alpha) == 0.25


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("ABCD", "AxxB", 1 / 13),
        ("ABCD", "xxxC", 1 / 16),
        ("ABCD", "ABCD", 1.0),
        ("AB", "BxA", 1 / 3),
        ("ABCD", "xyz", 0.0),
        ("ABCD", "", 0.0),
        ("", "ABCD", 0.0),
        ("AABBA", "AB", 1.0),
    ],
)
def test_pins_at_alpha_five(query: str, text: str, expected: float) -> None:
    assert sim_l(query, text) == pytest.approx(expected, abs=1e-9)


def test_a_gap_of_alpha_tokens_ends_a_candidate() -> None:
    assert divisions("AB", "AxxxxB")[0].terms == ("A", "B")
    assert [d.terms for d in divisions("AB", "AxxxxxB")] == [("A",), ("B",)]


def test_alpha_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="alpha = 0"):
        sim_l("A", "A", alpha=0)


def _literal(query: str, text: str, alpha: int) -> float:
    """The definition word for word, token by token, with swaps by trying all exchanges."""
    terms = list(dict.fromkeys(query))
    candidates = []
    for start, token in enumerate(text):
        if token not in terms:
            continue
        places, gap = [start], 0
        for at in range(start + 1, len(text)):
            if len(places) == len(terms):
                break
            if text[at] in terms and text[at] not in [text[p] for p in places]:
                places.append(at)
                gap = 0
            else:
                gap += 1
                if gap >= alpha:
                    break
        candidates.append(places)
    most = max((len(places) for places in candidates), default=0)
    best = 0.0
    for places in candidates:
        if len(places) == most:
            gaps = sum(b - a - 1 for a, b in pairwise(places))
            swaps = _fewest_exchanges(tuple(terms.index(text[p]) for p in places))
            best = max(best, 1 / (1 + gaps + swaps + alpha * (len(terms) - most)))
    return best


def _fewest_exchanges(order: tuple[int, ...]) -> int:
    goal, reached, steps = tuple(sorted(order)), {order}, 0
    while goal not in reached:
        steps += 1
        reached |= {
            tuple(o[j] if k == i else o[i] if k == j else o[k] for k in range(len(o)))
            for o in reached
            for i, j in combinations(range(len(o)), 2)
        }
    return steps


@given(st.text("ABCD", min_size=1, max_size=4), st.text("ABCDxy", max_size=18), st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_agrees_with_the_definition(query: str, text: str, alpha: int) -> None:
    found = sim_l(query, text, alpha=alpha)
    assert found == pytest.approx(_literal(query, text, alpha))
    terms = len(set(query))
    assert found == 0 or found >= 1 / (1 + (terms - 1) * alpha) - 1e-12
    distances = [d.distance for d in divisions(query, text, alpha=alpha)]
    assert found == (1 / (1 + min(distances)) if distances else 0)
    assert (found == 1) == (0 in distances)


def test_long_texts_without_query_terms_cost_one_look_a_token() -> None:
    order = TermOrder(["网络", "爬虫"])
    assert order.similarity(["的"] * 100_000 + ["网络", "爬虫"]) == 1.0
    assert order.similarity(["网络"] * 100_000) == pytest.approx(1 / 6)
