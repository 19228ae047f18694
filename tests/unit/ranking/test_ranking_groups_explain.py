"""Sections of sites (docs/formulas.md J.8), and a score written out."""

from __future__ import annotations

import json

import pytest

from focuscrawl.ranking.explain import explain
from focuscrawl.ranking.groups import section_of


@pytest.mark.parametrize(
    ("url", "section"),
    [
        ("http://e.com/", "e.com"),
        ("http://e.com/a.html", "e.com"),
        ("http://e.com/a/", "e.com/a/"),
        ("http://e.com/a/b/c.html", "e.com/a/"),
        ("http://e.com/?q=/a/b/", "e.com"),
        ("http://e.com/a?x=/b/", "e.com"),
        ("http://e.com//a", "e.com"),
        ("http://e.com/" + "x" * 60 + "/1", "e.com"),  # a headline, not a section
    ],
)
def test_section_is_host_and_first_directory(url, section):
    assert section_of(url, "e.com") == section


def test_port_is_part_of_the_host():
    assert section_of("http://e.com:8080/a/b", "e.com:8080") == "e.com:8080/a/"


def test_the_addends_give_the_score_and_the_offset_the_priority():
    breakdown = explain({"words": 0.8, "parent": 0.5}, {"parent": 0.4, "words": 0.6}, score=0.68, offset=-0.1)
    assert {term.part: term.amount for term in breakdown.terms} == pytest.approx({"words": 0.48, "parent": 0.2})
    assert breakdown.total == pytest.approx(0.58)
    assert breakdown.rest == pytest.approx(0.0, abs=1e-12)


def test_json_holds_the_same_sum():
    data = json.loads(json.dumps(explain({"a": 0.5}, {"a": 1.0, "b": 0.5}, score=0.5, offset=0.25).as_json()))
    assert sum(term["amount"] for term in data["terms"]) == data["score"]
    assert data["priority"] == 0.75


def test_part_without_weight_is_a_fact_and_what_is_missing_is_said():
    breakdown = explain({"raw": 0.4}, {}, score=0.0, reason="below the threshold 0.50")
    assert breakdown.facts == {"raw": 0.4}
    assert breakdown.terms == ()
    assert explain({"a": 0.5}, {"a": 1.0}, score=0.7).rest == pytest.approx(0.2)


def test_what_a_called_link_was_raised_by_is_an_addend_of_its_own():
    breakdown = explain({"words": 0.8}, {"words": 0.5}, score=3.4, offset=-0.1)
    assert breakdown.rest == pytest.approx(0.0)
    assert [(term.part, term.amount) for term in breakdown.terms] == [("words", 0.4), ("called up", 3.0)]
    assert breakdown.total == pytest.approx(3.3)
    no_sum = explain({"raw": 0.4}, {}, score=3.4)
    assert no_sum.rest == pytest.approx(0.0)


def test_what_was_learned_since_the_link_was_found_is_in_the_sum():
    weights = {"words": 0.3, "learned": 0.4}
    for score, raised in ((0.54, 0.0), (3.54, 3.0), (-2.46, -3.0)):
        parts = {"words": 1.0, "learned": 0.5, **({"last in line": 1.0} if raised < 0.0 else {})}
        breakdown = explain(parts, weights, score=score)
        amounts = {term.part: term.amount for term in breakdown.terms}
        assert amounts["words"] == pytest.approx(0.3)
        assert amounts["learned"] == pytest.approx(0.24)
        assert breakdown.rest == pytest.approx(0.0, abs=1e-12)
    # What the learned part cannot be is said to be missing.
    assert explain({"words": 1.0, "learned": 0.5}, weights, score=0.9).rest == pytest.approx(0.2)
    exact = explain({"words": 1.0, "learned": 0.5}, weights, score=0.5)
    assert [term.value for term in exact.terms] == [1.0, 0.5]
