"""RWB (docs/formulas.md B.7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.scoring.tunnel import make_rwb, rwb
from focuscrawl.types import draw

TOPIC = HandTopic()
OFF = [link(f"http://e.com/{i}") for i in range(4000)]


def test_irrelevant_links_of_an_irrelevant_page_pass_with_probability_of_0_15():
    scores = make_rwb(seed=7, c=0.5, d=0.7).score(OFF, page(text="no word of it"), TOPIC)
    passed = sum(s.value >= 0.5 for s in scores) / len(scores)
    assert passed == pytest.approx(0.15, abs=0.02)  # (1-d)(1-c); three standard errors at n = 4000


def test_same_seed_gives_the_same_decisions_whatever_the_order():
    here = page(text="no word of it")
    first = make_rwb(seed=3).score(OFF[:200], here, TOPIC)
    again = make_rwb(seed=3).score(OFF[199::-1], here, TOPIC)
    assert first == again[::-1]
    assert first != make_rwb(seed=4).score(OFF[:200], here, TOPIC)


def test_page_on_the_topic_is_the_second_chance():
    here = page(text="chess rook board opening")
    [score] = make_rwb(d=0.0, k_text=4).score(OFF[:1], here, TOPIC)
    assert score.reason.startswith("page:")
    assert score.value == pytest.approx((1.0 + 1.0 + 0.8 + 0.6) / 4)
    assert score.parts["page"] == score.value


def test_page_needs_ten_related_words_by_default():
    # One topic word among many others must not make a page; with agg_text="max" it does.
    here = page(text="chess " + " ".join(f"w{i}" for i in range(30)))
    [score] = make_rwb(d=0.0).score(OFF[:1], here, TOPIC)
    assert score.parts["page"] == pytest.approx(0.1)
    assert score.reason.startswith("random:")
    assert make_rwb(d=0.0, agg_text="max").score(OFF[:1], here, TOPIC)[0].value == 1.0


def test_third_chance_is_the_second_draw_of_the_url():
    [score] = make_rwb(seed=5, d=0.0).score(OFF[:1], page(), TOPIC)
    assert score.value == draw(5, OFF[0].key, "p2") == score.parts["p2"]
    assert score.parts["page"] == 0.0  # an empty page


def test_words_of_the_link_come_first():
    [score] = make_rwb(d=0.0).score([link(anchor="chess")], page(), TOPIC)
    assert (score.value, score.parts) == (1.0, {"raw": 1.0})
    assert score.reason.startswith("rw:")


unit = st.floats(0, 1)


@given(unit, unit, unit, unit, unit, unit)
def test_value_is_one_of_the_four_cases(raw, text, p1, p2, c, d):
    value, reason = rwb(raw, lambda: text, p1=p1, p2=lambda: p2, c=c, d=d)
    if raw >= c:
        expected = (raw, "rw")
    elif p1 < d:
        expected = (0.0, "none")
    elif text >= c:
        expected = (text, "page")
    else:
        expected = (p2, "random")
    assert (value, reason) == expected


@pytest.mark.parametrize("options", [{"d": -1.0}, {"agg_text": "sum"}, {"k_text": 0}, {"c": 1.01}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=r"\[scorers\.rwb\]"):
        make_rwb(**options)
