"""Sections of sites (algorithms J.8), and a score written out."""

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


def test_text_gives_the_sum_the_largest_first():
    breakdown = explain({"words": 0.8, "parent": 0.5}, {"parent": 0.4, "words": 0.6}, score=0.68, offset=-0.1)
    assert breakdown.as_text().splitlines() == [
        "  0.4800 = 0.6000 x 0.8000  words",
        "  0.2000 = 0.4000 x 0.5000  parent",
        "  0.6800   score",
        "  -0.1000  offset of the group",
        "  0.5800   priority",
    ]
    assert breakdown.rest == pytest.approx(0.0, abs=1e-12)


def test_json_holds_the_same_sum():
    data = json.loads(json.dumps(explain({"a": 0.5}, {"a": 1.0, "b": 0.5}, score=0.5, offset=0.25).as_json()))
    assert sum(term["amount"] for term in data["terms"]) == data["score"]
    assert data["priority"] == 0.75


def test_part_without_weight_is_a_fact_and_what_is_missing_is_said():
    text = explain({"raw": 0.4}, {}, score=0.0, reason="below the threshold 0.50").as_text()
    assert "0.4000  raw" in text
    assert "below the threshold" in text
    assert "not in the parts" in explain({"a": 0.5}, {"a": 1.0}, score=0.7).as_text()
