"""What a crawl has found lately."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.moving_harvest import MovingHarvest

PAGES = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=80)  # relevant, called up


def counted(pages: list[tuple[bool, bool]]) -> MovingHarvest:
    harvest = MovingHarvest()
    for relevant, called_up in pages:
        harvest.count(relevant=relevant, called_up=called_up)
    return harvest


def test_the_rate_moves_by_a_fiftieth() -> None:
    harvest = counted([(True, False)])
    assert harvest.rate == pytest.approx(0.5 + 0.5 / 50)
    assert harvest.pay() == pytest.approx((1.0 + 2.0 * 0.51) / 3.0)  # one of one, and two pages at the rate


def test_looks_that_find_nothing_do_not_lower_what_pays() -> None:
    harvest = counted([(n % 2 == 0, False) for n in range(100)] + [(False, True)] * 100)
    assert harvest.rate < 0.1
    assert harvest.pay() > 0.3


def test_how_good_relevant_pages_are_is_a_mean_that_moves() -> None:
    harvest = MovingHarvest()
    for above in (0.1, 0.3):
        harvest.found(above)
    assert harvest.usual == pytest.approx(0.1 / 6 + (0.3 - 0.1 / 6) / 7)


@given(PAGES)
def test_what_pays_is_a_rate_no_less_than_that_of_all_pages_and_follows_from_the_definition(
    pages: list[tuple[bool, bool]],
) -> None:
    harvest = counted(pages)
    assert 0.0 <= harvest.rate <= harvest.pay() <= 1.0
    n = len(pages)
    rate = 0.5 * 0.98**n + sum(0.02 * 0.98 ** (n - 1 - at) for at, (relevant, _) in enumerate(pages) if relevant)
    weights = [(0.98 ** (n - 1 - at), relevant) for at, (relevant, called) in enumerate(pages) if not called]
    own = (sum(w for w, relevant in weights if relevant) + 2.0 * rate) / (sum(w for w, _ in weights) + 2.0)
    assert harvest.rate == pytest.approx(rate)
    assert harvest.pay() == pytest.approx(max(rate, own))


@given(PAGES)
def test_it_is_saved_with_the_run(pages: list[tuple[bool, bool]]) -> None:
    harvest = counted(pages)
    harvest.found(0.2)
    again = MovingHarvest()
    again.restore(json.loads(json.dumps(harvest.snapshot())))
    assert again.snapshot() == harvest.snapshot()
    again.restore({"pay": 0.25})  # as older versions saved it
    assert (again.rate, again.pay(), again.usual) == (0.25, 0.25, 0.0)
