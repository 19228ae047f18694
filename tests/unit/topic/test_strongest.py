"""The strongest words of a topic, as a person reads them."""

from __future__ import annotations

from typing import Any

from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.strongest import strongest_words

LOCKS = "abbey bishop castle dike ely forge gorge hythe ides jetty kelp".split()  # noqa: SIM905 - easier to read


def strongest(terms: dict[str, float], *samples: str, **more: Any) -> list[str]:
    given = {"name": "topic", "terms": terms, "samples": {"relevant_text": list(samples)}, **more}
    spec = TopicSpec.model_validate(given)
    return strongest_words(spec, fit_topic(spec))


def test_a_phrase_is_shown_whole() -> None:
    words = strongest({"machine learning": 0.8, "machine": 0.2, "Node.js": 0.5, "gradients": 0.6})
    assert sorted(words) == ["Node.js", "gradients", "machine learning"]


def test_a_word_of_a_phrase_that_weighs_as_much_by_itself_stands_alone() -> None:
    words = strongest({"chess": 0.8, "chess openings": 0.4, "opening": 0.4})
    assert words[0] == "chess"
    assert sorted(words) == ["chess", "opening"]


def test_chinese_phrases_and_words_of_samples() -> None:
    assert strongest({"元宇宙": 0.8, "C语言": 0.8})[:2] == ["元宇宙", "C语言"]
    sample = "Locks lift barges. A lock keeper opens the sluices, and barges wait below the lock. " * 3
    assert {"canal locks", "barges"} <= set(strongest({"canal locks": 0.8}, sample, language="en"))


def test_there_are_ten_at_most() -> None:
    assert len(strongest({f"{word} gates": 0.5 for word in LOCKS})) == 10
