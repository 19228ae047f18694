"""UH, TeH, TiH and AMH (docs/formulas.md B.1-B.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.scoring.metadata import amh_value, make_amh, make_teh, make_tih, make_uh

TOPIC = HandTopic(weights={"basketball": 1.0, "free throw": 0.5})


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (link("http://e.com/sports/basketball/index.html"), (1, 0, 0)),
        (link("http://e.com/b/1.html", "Basketball news"), (0, 1, 0)),
        (link("http://e.com/b/1.html", title="me scuba diving"), (0, 0, 0)),
        (link("http://e.com/b/1.html", title="basketball"), (0, 0, 1)),
        (link("http://e.com/mybasketballclub/"), (1, 0, 0)),  # part of a URL token
        (link("http://e.com/b/", "mybasketballclub"), (0, 0, 0)),  # but not of a word of the text
        (link("http://e.com/b/", around="the free throw rule"), (0, 1, 0)),  # phrase, in the surroundings
        (link("http://e.com/b/", "free or throw"), (0, 0, 0)),
        (link("http://e.com/b/", extra="basketball"), (1, 0, 0)),  # onmouseover, src
        (link("http://e.com/b/"), (0, 0, 0)),
    ],
)
def test_topic_word_in_a_class_of_metadata_gives_1(one, expected):
    values = tuple(make().score([one], page(), TOPIC)[0].value for make in (make_uh, make_teh, make_tih))
    assert values == expected
    [amh] = make_amh().score([one], page(), TOPIC)
    assert amh.value == pytest.approx(amh_value(*expected))


def test_empty_topic_gives_0():
    empty = HandTopic(weights={})
    one = link("http://e.com/basketball", "basketball", title="basketball")
    for make in (make_uh, make_teh, make_tih, make_amh):
        assert make().score([one], page(), empty)[0].value == 0.0


def test_amh_worked_example():
    assert amh_value(1, 0, 1) == pytest.approx(0.4, abs=1e-12)


@given(st.tuples(*[st.integers(0, 1)] * 3), st.tuples(*[st.floats(0, 1)] * 3))
def test_amh_stays_in_range_and_grows_with_each_part(bits, abc):
    a, b, c = abc
    value = amh_value(*bits, a=a, b=b, c=c)
    assert 0.0 <= value <= 1.0
    for i in range(3):
        more = list(bits)
        more[i] = 1
        assert amh_value(*more, a=a, b=b, c=c) >= value


def test_amh_divides_by_a_sum_above_1():
    assert amh_value(1, 0, 0, a=1.0, b=1.0, c=0.0) == 0.5


def test_amh_names_its_parts():
    links = [link("http://e.com/basketball/", "x", title="basketball"), link("http://e.com/", "basketball"), link()]
    scores = make_amh().score(links, page(), TOPIC)
    assert scores[0].parts == {"uh": 1.0, "tih": 1.0}
    assert scores[2].parts == {}


@pytest.mark.parametrize("options", [{"a": -0.1}, {"b": 1.5}, {"c": float("nan")}, {"a": "much"}])
def test_amh_refuses_weights_outside_0_1(options):
    with pytest.raises(ConfigError, match=r"\[scorers\.amh\]"):
        make_amh(**options)


def test_reason_names_the_heaviest_topic_words():
    [score] = make_teh().score([link("http://e.com/", "basketball free throw")], page(), TOPIC)
    assert score.reason.endswith("basketball, free throw")


def test_words_are_looked_up_once_for_a_page():
    topic = HandTopic()
    links = [link(f"http://e.com/{i}", "same anchor") for i in range(50)]
    here = page()
    topic.link_matcher.of(links)
    calls = topic.matcher.calls
    for make in (make_uh, make_teh, make_tih, make_amh):
        make().score(links, here, topic)
    assert topic.matcher.calls == calls
    assert calls <= 51  # 50 URLs and one anchor


def test_another_page_is_looked_up_anew():
    topic = HandTopic()
    assert topic.link_matcher.of([link("http://e.com/", "chess")]).text == [("chess",)]
    assert topic.link_matcher.of([link("http://e.com/", "go")]).text == [()]
