"""How many words of a topic a page has in title, text and tags."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from focuscrawl.topic.evidence import own_terms, own_words
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec

TOPIC = fit_topic(TopicSpec(name="x", terms={"tea": 1.0}))


@pytest.mark.parametrize(
    ("text", "own", "count"),
    [
        ({"oklahoma": 4, "oklahoma city": 2}, {"oklahoma city"}, 1),
        ({"Oklahoma": 4, "oklahoma city": 2}, {"oklahoma city"}, 1),
        # A phrase whose words are terms as well says as much as these.
        ({"学习": 2, "机器": 2, "机器学习": 2}, {"机器学习"}, 2),
        ({"web": 2, "web 漏洞": 2, "漏洞": 2}, {"web 漏洞"}, 2),
        ({"new york": 1, "york": 1, "new york city": 1}, {"new york city"}, 1),
        ({"oklahoma": 4, "city": 2}, {"oklahoma", "city"}, 2),
        ({"art": 1, "start": 1}, {"art", "start"}, 2),  # a part is a word
        ({"oklahoma": 4}, {"oklahoma"}, 1),
        ({}, set(), 0),
    ],
)
def test_a_phrase_and_its_part_are_one_word(text: Mapping[str, int], own: set[str], count: int) -> None:
    evidence = {"title": dict.fromkeys(list(text)[:1], 1), "text": text, "links": {"coffee": 3}}
    assert own_words(evidence) == own
    assert own_terms(evidence, TOPIC) == count
