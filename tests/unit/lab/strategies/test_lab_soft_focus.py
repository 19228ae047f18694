"""Soft and hard focus (docs/formulas.md J.3)."""

from __future__ import annotations

import pytest
from link_kit import HandTopic, judged, link

from focuscrawl.errors import ConfigError
from focuscrawl.lab.strategies.soft_focus import make_naive_soft_focus

LINKS = [link("http://e.com/1"), link("http://f.org/2")]


@pytest.mark.parametrize(("hard", "relevance", "keep"), [(False, 0.3, True), (True, 0.3, False), (True, 0.8, True)])
def test_links_have_the_probability_of_their_page(hard, relevance, keep):
    ranked = make_naive_soft_focus(HandTopic(), hard=hard).rank(judged(relevance=relevance), LINKS, {})
    assert [(one.score.value, one.keep) for one in ranked] == [(relevance, keep)] * 2


def test_wrong_option_is_refused():
    with pytest.raises(ConfigError, match="hard"):
        make_naive_soft_focus(HandTopic(), hard="yes")
