"""Patterns of strangers on URLs of strangers, in linear time."""

from __future__ import annotations

import pytest
import re2
from cpu_kit import cpu_limit

from focuscrawl.topic.url_patterns import UrlPatterns


def test_a_url_matches_when_one_of_the_patterns_is_found_anywhere() -> None:
    patterns = UrlPatterns([r"/tag/\d+", r"(?i)[?&]SORT="])
    assert patterns.match("http://e.org/tag/12")
    assert patterns.match("http://e.org/?a=1&sort=up")
    assert not patterns.match("http://e.org/tag/x?short=1")


def test_an_empty_list_matches_nothing() -> None:
    patterns = UrlPatterns([])
    assert not patterns
    assert not patterns.match("http://e.org/")


@pytest.mark.parametrize("pattern", ["(a+)+$", "^(a|a)*$", "(a*)*b", "a*a*a*a*a*a*a*a*b", "(.*)(.*)(.*)(.*)x$"])
def test_no_pattern_takes_more_than_linear_time(pattern: str) -> None:
    patterns = UrlPatterns([pattern])
    with cpu_limit(2):
        assert not patterns.match("http://e.org/" + "a" * 100_000 + "!")


def test_patterns_are_searched_one_by_one_when_all_at_once_take_too_much_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patterns = UrlPatterns([r"/tag/\d+", "b$"])
    monkeypatch.setattr(re2.Set, "Match", lambda *_: None)  # what RE2 answers then
    assert patterns.match("http://e.org/tag/1")
    assert not patterns.match("http://e.org/tag/")
