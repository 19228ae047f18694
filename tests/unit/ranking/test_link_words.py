"""What the words of links add, worked out once in a while."""

from __future__ import annotations

import pytest
from link_kit import link

from focuscrawl.ranking.link_model import LinkExample, LinkModel
from focuscrawl.ranking.link_words import LinkWords, path_words

LINK = link("http://tea-house.org/black/leaves.html", "two leaves")
PARTS = {"quality": 1.0}


def model(outcome: float) -> LinkModel:
    learned = LinkModel({}, rate=0.6, pull=0.001)
    learned.learn(LinkExample({}, ("leaves",), ("black",)), outcome)
    return learned


def test_words_add_what_the_models_say_of_them() -> None:
    pages, hubs = model(1.0), model(0.0)
    added = LinkWords(pages, hubs).added(LINK, PARTS, pages=1)
    by_text, by_path = pages.words_logits(("two", "leaves"), LINK.url_tokens[3:])
    assert (added.by_text, added.by_path) == pytest.approx((by_text, by_path))
    assert added.by_text > 0.0 > added.hub_by_text
    assert added.by_path > 0.0 > added.hub_by_path


def test_what_was_worked_out_serves_for_some_pages() -> None:
    pages, hubs = model(1.0), model(0.0)
    words = LinkWords(pages, hubs)
    first = words.added(LINK, PARTS, pages=1)
    pages.learn(LinkExample({}, ("leaves",), ()), 1.0)
    assert words.added(LINK, PARTS, pages=16) == first
    assert words.added(LINK, PARTS, pages=17).by_text > first.by_text


def test_words_of_the_host_and_of_what_a_url_shares_are_not_learned_from() -> None:
    words = ("tea", "house", "org", "black", "leaves")
    assert path_words(words, "tea-house.org", PARTS) == ("black", "leaves")
    assert path_words(words, "tea-house.org", {"quality": 0.1}) == ()
    assert path_words(words, "tea-house.org", {}) == ("black", "leaves")
