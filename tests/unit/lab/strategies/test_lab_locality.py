"""Linkage and sibling locality (docs/formulas.md J.5)."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import judged, link, page

from focuscrawl.lab.strategies.locality import Events, Locality, interest_ratio
from focuscrawl.types import digest64

SPAN = math.log(20) - math.log(0.05)


def test_worked_example():
    assert interest_ratio(0.3, 0.1) == pytest.approx(3.0)
    assert interest_ratio(6 / 10, 0.25) == pytest.approx(2.4)
    assert interest_ratio(1.0, 0.0) == 1.0


@given(st.floats(0, 1), st.floats(0, 1))
def test_ratio_is_bounded(given, base):
    assert 0.05 <= interest_ratio(given, base) <= 20.0


def test_only_significant_events_count():
    events = Events()
    for relevant in (True, True, True, False):
        events.add(["often"], relevant)
    events.add(["once"], True)
    # 0.75 against 0.25 with 4 pages: 2.3 standard deviations; one page of one: 1.7.
    assert events.log_ratio(["often"], 0.25) == pytest.approx(math.log(3))
    assert events.log_ratio(["once", "never"], 0.25) == 0.0
    assert events.log_ratio(["often"], 0.0) == 0.0


def test_rare_events_are_forgotten():
    events = Events()
    for number in range(9000):
        events.add([f"w{number}", "always"], False)
    assert len(events.counts) <= 8000
    assert events.counts["always"][0] == 9000


def fetch(ranker, number, relevance, *, parent=None, text="", group=""):
    url = f"http://e.com/p{number}"
    here = judged(page(url, text=text), relevance, key=digest64(url), parent=parent, group=group)
    ranker.observe(here)
    return here


def trained():
    """40 pages, a quarter relevant; children of pages on chess are, those of pages on weather are not."""
    ranker = Locality()
    chess = fetch(ranker, 0, 0.9, text="chess club")
    weather = fetch(ranker, 1, 0.0, text="weather today")
    for number in range(2, 40):
        parent = chess if number % 4 == 0 else weather
        fetch(ranker, number, 0.9 if number % 4 == 0 else 0.0, parent=parent.key)
    return ranker


def test_words_and_relevance_of_the_page_count():
    ranker = trained()
    good = fetch(ranker, 100, 0.9, text="chess again")
    poor = fetch(ranker, 101, 0.0, text="weather again")
    one = link("http://e.com/x")
    [high], [low] = ranker.rank(good, [one], {}), ranker.rank(poor, [one], {})
    for part in ("content", "link"):
        assert low.score.parts[part] < 0.5 < high.score.parts[part]
    assert high.group != low.group
    assert high.score.parts["content"] == pytest.approx(0.5 + math.log(1.0 / ranker.base) / SPAN, abs=0.02)


def test_url_tokens_count():
    ranker = Locality()
    for number in range(40):
        url = f"http://e.com/{'chess' if number % 4 == 0 else 'weather'}/{number}"
        ranker.observe(judged(page(url), 0.9 if number % 4 == 0 else 0.0))
    links = [link("http://e.com/chess/x"), link("http://e.com/weather/x"), link("http://e.com/other/x")]
    chess, weather, other = (one.score.parts["url"] for one in ranker.rank(judged(page()), links, {}))
    assert weather < other < chess


def test_siblings_move_the_group():
    ranker = trained()
    parent = fetch(ranker, 100, 0.0)
    [place] = ranker.rank(parent, [link("http://e.com/x")], {})
    ranker.offsets()
    for number in range(10):
        fetch(ranker, 200 + number, 0.9 if number < 6 else 0.0, parent=parent.key, group=place.group)
    offset = ranker.offsets()[place.group]
    assert offset == pytest.approx(0.25 * math.log(0.6 / ranker.base) / SPAN, abs=1e-9)
    assert offset > 0.0
    assert ranker.offsets() == {}


def test_nothing_counts_before_twenty_pages():
    ranker = Locality()
    for number in range(10):
        fetch(ranker, number, 0.9, text="chess")
    [place] = ranker.rank(fetch(ranker, 10, 0.9, text="chess"), [link("http://e.com/x")], {})
    assert place.score.parts == {"content": 0.5, "url": 0.5, "link": 0.5, "sibling": 0.5}
    assert place.score.value == 0.5


def test_it_goes_on_from_its_snapshot():
    one, other = trained(), Locality()
    other.restore(json.loads(json.dumps(one.snapshot())))
    links = [link("http://e.com/p3/x")]
    assert other.rank(fetch(other, 500, 0.9, text="chess"), links, {}) == one.rank(
        fetch(one, 500, 0.9, text="chess"), links, {}
    )
