"""How far hosts are believed that name others: the formula, what is saved, and how much is remembered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from focuscrawl.ranking import referrers
from focuscrawl.ranking.referrers import Referrers


def told(good: int, bad: int) -> Referrers:
    known = Referrers()
    for gave in [True] * good + [False] * bad:
        known.tried("blog.org", gave=gave)
    return known


@pytest.mark.parametrize(("good", "bad", "trust"), [(0, 0, 1.0), (20, 0, 1.0), (0, 2, 0.5), (0, 8, 0.2), (3, 5, 0.5)])
def test_trust_is_the_share_of_first_fetches_that_gave_a_page(good: int, bad: int, trust: float) -> None:
    assert told(good, bad).trust("blog.org") == pytest.approx(trust)
    assert told(good, bad).trust("other.org") == 1.0


@given(st.integers(0, 50), st.integers(0, 50))
def test_it_is_the_mean_of_a_beta_distribution(good: int, bad: int) -> None:
    if bad:
        assert told(good, bad).trust("blog.org") == pytest.approx(beta(good + 2.0, bad).mean())
    assert 0.0 < told(good, bad).trust("blog.org") <= 1.0


@given(st.integers(0, 9), st.integers(0, 9))
def test_a_page_more_is_trust_more_and_a_dead_host_more_is_less(good: int, bad: int) -> None:
    here = told(good, bad).trust("blog.org")
    assert told(good + 1, bad).trust("blog.org") >= here > told(good, bad + 1).trust("blog.org")


def test_what_is_saved_is_taken_up_and_what_is_not_counts_is_left_out() -> None:
    again = Referrers()
    again.restore(told(1, 3).snapshot() | {"odd.org": "x", "pair.org": [1.5, "b"], "more.org": [2, 9]})
    assert again.trust("blog.org") == told(1, 3).trust("blog.org")
    assert again.trust("odd.org") == again.trust("pair.org") == 1.0
    assert again.trust("more.org") == 1.0  # no more than all gave a page
    again.restore(None)
    assert again.snapshot() == {"blog.org": [4, 1], "more.org": [2, 2]}


def test_those_of_which_least_is_known_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referrers, "_HOSTS", 10)
    monkeypatch.setattr(referrers, "_KEPT", 3)
    known = told(0, 5)
    for number in range(25):
        known.tried(f"host{number}.org", gave=False)
    assert known.trust("blog.org") == pytest.approx(2 / 7)
    assert len(known.snapshot()) == 3
    assert len(known._counts) <= 10
