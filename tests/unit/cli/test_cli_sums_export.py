"""Printed sums add up; exported cells are no formulas."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.cli.console import one_line, print_json
from focuscrawl.cli.export import cell, csv_heading, csv_row
from focuscrawl.cli.sums import exact_units, shown, sum_lines
from focuscrawl.ranking.explain import explain
from focuscrawl.records import PageRecord
from focuscrawl.report.markup import clean
from focuscrawl.wording.base import Say

values = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1)


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=12))
def test_units_add_up_to_the_rounded_total_and_stay_close(addends: list[float]) -> None:
    total = math.fsum(addends)
    units = exact_units(addends, total)
    assert sum(units) == round(total * 10_000)
    assert all(abs(u - v * 10_000) <= 1.0 + 1e-9 for u, v in zip(units, addends, strict=True))


@settings(deadline=None)  # the machine may be busy
@given(values, st.floats(-1, 1))
def test_printed_numbers_add_up_as_printed(given: dict[str, tuple[float, float]], offset: float) -> None:
    weights = {name: w for name, (w, _) in given.items()}
    parts = {name: v for name, (_, v) in given.items()}
    score = min(1.0, sum(w * v for w, v in given.values()))
    lines = sum_lines(explain(parts, weights, score=score, offset=offset), Say(), group="g")
    numbers = {
        line.strip().partition(" ")[2].strip(): Fraction(line.split()[0]) for line in lines if line[2:10].strip()
    }
    addends = [n for text, n in numbers.items() if text.startswith(("=", "not in"))]
    subtotal = numbers["score of the link"]
    if addends:
        assert sum(addends) == subtotal
    assert subtotal + numbers["offset of its group g"] == numbers["priority"]
    assert float(numbers["priority"]) == pytest.approx(score + offset, abs=5.1e-5)


def test_a_worked_sum() -> None:
    priority = explain(
        {"words": 0.8, "parent": 0.5}, {"words": 0.6, "parent": 0.4, "url": 0.1}, score=0.68, offset=-0.05
    )
    assert sum_lines(priority, Say(), group="example.org") == [
        "    0.4800 = 0.6000 × 0.8000  words",
        "    0.2000 = 0.4000 × 0.5000  parent",
        "    0.6800   score of the link",
        "             nothing from: url",
        "   -0.0500   offset of its group example.org",
        "    0.6300   priority",
    ]


def test_signs() -> None:
    assert [shown(0, sign=True), shown(-1, sign=True), shown(12345)] == ["+0.0000", "-0.0001", "1.2345"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1+1"])
def test_formulas_are_defused(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["国际象棋", "a=b", -1.5, 0, "https://example.org/?a=-1"])
def test_what_is_no_formula_stays(value: object) -> None:
    assert cell(value) == value


@settings(deadline=None)  # the machine may be busy
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_no_cell_is_a_formula(text: str) -> None:
    record = PageRecord(1, "https://example.org/", "https://example.org/", "example.org", 0.0, 200, title=text)
    rows = list(csv.reader(io.StringIO((csv_heading() + csv_row(record)).decode(), newline="")))
    assert len(rows) == 2
    title = dict(zip(*rows, strict=True))["title"]
    assert not title.lstrip(" ").startswith(("=", "+", "-", "@", "＝", "\t", "\r"))
    assert title.removeprefix("'") == clean(text).removeprefix("'")


def test_a_cell_acts_on_no_terminal_and_hides_no_formula() -> None:
    assert cell("a\x1b]0;title\x07 b\x9b31m\u202e") == "a]0;title b31m"
    assert cell("\x00\x1b=1+1") == "'=1+1"
    assert cell(["\x1b[2J"]) == "[2J"


def test_excel_gets_a_mark_and_no_cell_it_would_spill() -> None:
    assert csv_heading(excel=True).startswith(b"\xef\xbb\xbfkey,")
    assert not csv_heading().startswith(b"\xef\xbb\xbf")
    long = cell("字" * 40_000, excel=True)
    assert isinstance(long, str)
    assert len(long) == 32_767
    assert long.endswith("[…]")
    assert cell("字" * 40_000) == "字" * 40_000


def test_one_line_disarms_a_terminal() -> None:
    assert one_line("a\x1b]0;title\x07\r\n b\u202e") == "a]0;title b"


def test_json_for_programs_acts_on_no_terminal(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    print_json({"title": "茶 \x1b[2J\x9b31m\u202e"})
    assert capfdbinary.readouterr().out.decode() == '{\n  "title": "茶 \\u001b[2J\\u009b31m\\u202e"\n}\n'


def test_words_and_posts_fit_into_a_cell() -> None:
    assert cell(["围棋", "board game"]) == "围棋; board game"
    assert cell([{"text": "围棋", "author": None}]) == '[{"text": "围棋", "author": null}]'
    assert cell(["=1+1"]) == "'=1+1"
