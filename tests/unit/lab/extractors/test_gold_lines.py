from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from focuscrawl.lab.extractors.gold_lines import gold_shares, line_figures

LINES = st.sets(st.integers(0, 30))


def test_figures_of_a_worked_example() -> None:
    figures = line_figures([({1, 2, 3, 4}, {2, 3}), ([0], [0, 5])])
    assert figures == (3, 5, 4)
    assert (figures.precision, figures.recall) == (0.6, 0.75)
    assert figures.f == pytest.approx(2 * 0.6 * 0.75 / 1.35)


def test_figures_without_lines_are_zero() -> None:
    figures = line_figures([])
    assert (figures.precision, figures.recall, figures.f) == (0.0, 0.0, 0.0)


@given(LINES, LINES)
def test_figures_are_those_of_scikit_learn(kept: set[int], gold: set[int]) -> None:
    figures = line_figures([(kept, gold)])
    wanted, said = ([at in lines for at in range(31)] for lines in (gold, kept))
    theirs = precision_recall_fscore_support(wanted, said, average="binary", zero_division=0.0)
    assert (figures.precision, figures.recall, figures.f) == pytest.approx(theirs[:3])


def test_shares_of_lines_in_the_gold_text() -> None:
    gold = "运河要有船闸。\nA lock needs a keeper."
    lines = ["首页", "运河要有船闸", "A lock", "needs a keeper", "a lock is not it", "……"]
    assert gold_shares(lines, gold).tolist() == [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    assert gold_shares(["运河要有船闸和桥梁等等"], gold).tolist() == [6 / 11]
    assert gold_shares(lines, "").tolist() == [0.0] * 6
    assert gold_shares([], gold).tolist() == []


def test_a_gold_text_of_a_few_words_is_met_as_a_whole() -> None:
    assert gold_shares(["Old Lock", "Old", "the Old Lock"], "Old Lock").tolist() == [1.0, 0.0, 2 / 3]


@given(st.lists(st.text("ab运河 ", max_size=12), max_size=6))
def test_every_line_of_the_gold_text_is_met(lines: list[str]) -> None:
    shares = gold_shares(lines, "\n".join(lines))
    assert all(share == bool(line.strip()) for share, line in zip(shares, lines, strict=True))
