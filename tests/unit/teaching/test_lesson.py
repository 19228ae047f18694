"""Which page a lesson asks about, and what it knows of the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.teaching.candidates import Candidate
from focuscrawl.teaching.labels import read_labels
from focuscrawl.teaching.lesson import Lesson
from focuscrawl.topic.examples import Example
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.traits import ALWAYS, traits_of, words_of_text

SPEC = TopicSpec(name="bees", language="en", terms={"bee": 1.0, "honey": 0.6})
TOPIC = fit_topic(SPEC)
TEXTS = {
    "apiary": "The beekeeper opened the hive and looked for the queen among the brood frames; the bees were calm.",
    "swarm": "A swarm of bees hung in the apple tree, and the beekeeper brushed the queen into a hive with frames.",
    "mead": "Honey, water and yeast ferment to mead in a month; the brewer bottles it and leaves it in the cellar.",
    "brew": "The brewer stirs honey into water, adds yeast, and lets the mead ferment before bottling in the cellar.",
    "pool": "The committee approved a budget for the swimming pool, with parking spaces and season tickets.",
}


def candidate(name: str, score: float, host: str = "") -> Candidate:
    url, text = f"http://{host or name}.example/{name}", TEXTS[name]
    traits = traits_of(words_of_text(url, name, text, TOPIC), TOPIC, parts={})
    return Candidate(url, f"{host or name}.example", name, text, score, 0.5, traits)


def lesson(*pages: Candidate, spec: TopicSpec = SPEC) -> Lesson:
    return Lesson(spec, TOPIC, pages)


def test_the_page_nearest_the_threshold_comes_first() -> None:
    asked = lesson(candidate("apiary", 0.9), candidate("swarm", 0.5), candidate("mead", 0.9), candidate("brew", 0.1))
    page = asked.next()
    assert page is not None
    assert page.title == "swarm"


def test_of_pages_equally_near_one_like_others_comes_first_and_then_one_unlike_it() -> None:
    pages = [candidate(name, 0.5) for name in ("pool", "mead", "brew", "apiary")]
    asked = lesson(*pages)
    first = asked.next()
    assert first is not None
    assert first.title in ("mead", "brew")
    asked.skip(first)
    second = asked.next()
    assert second is not None
    assert second.title in ("pool", "apiary")


def test_hosts_take_turns() -> None:
    asked = lesson(candidate("mead", 0.5, "a"), candidate("apiary", 0.5, "a"), candidate("pool", 0.5, "b"))
    first = asked.next()
    assert first is not None
    asked.skip(first)
    second = asked.next()
    assert second is not None
    assert first.host != second.host


def test_a_threshold_of_the_topic_file_is_what_counts_as_near() -> None:
    strict = TopicSpec.model_validate({**SPEC.model_dump(), "judge": {"name": "focus", "threshold": 0.8}})
    asked = lesson(candidate("apiary", 0.5), candidate("mead", 0.8), spec=strict)
    page = asked.next()
    assert page is not None
    assert page.title == "mead"


def test_answers_move_pages_alike_and_undo_moves_them_back() -> None:
    pages = {name: candidate(name, 0.5) for name in TEXTS}
    asked = lesson(*pages.values())
    assert asked.undo() is None
    asked.answer(pages["mead"], False)
    asked.answer(pages["apiary"], True)
    assert asked.relevance(pages["brew"]) < 0.5 < asked.relevance(pages["swarm"])
    assert asked.labels == (1, 1)
    after = {name: asked.relevance(page) for name, page in pages.items()}
    asked.skip(pages["pool"])
    assert (asked.asked, asked.skipped) == (3, 1)
    assert asked.undo() == pages["pool"]
    assert asked.undo() == pages["apiary"]
    assert asked.labels == (0, 1)
    asked.answer(pages["apiary"], True)
    assert {name: asked.relevance(page) for name, page in pages.items()} == pytest.approx(after)
    asked.undo()
    asked.undo()
    assert {asked.relevance(page) for page in pages.values()} == {0.5}
    assert (asked.asked, asked.skipped, asked.examples) == (0, 0, ())


def test_each_page_is_asked_about_once_until_none_is_left() -> None:
    asked = lesson(*[candidate(name, 0.4) for name in TEXTS])
    seen = []
    while (page := asked.next()) is not None:
        seen.append(page.title)
        asked.answer(page, page.title in ("apiary", "swarm"))
    assert sorted(seen) == sorted(TEXTS)


def test_examples_the_topic_has_are_kept_and_not_asked_about_again() -> None:
    mead = candidate("mead", 0.5)
    elsewhere = Example(url="http://elsewhere.example/", relevant=False, title="brew", text=TEXTS["brew"])
    taught = SPEC.taught([mead.example(False, version=SPEC.untaught_digest), elsewhere])
    asked = Lesson(taught, TOPIC, [mead, candidate("swarm", 0.1)])
    page = asked.next()
    assert page is not None
    assert page.title == "swarm"
    assert asked.relevance(mead) < 0.5
    assert {example.url for example in asked.examples} == {mead.url, elsewhere.url}


def test_an_answer_keeps_what_a_later_fit_needs() -> None:
    page = candidate("mead", 0.7)
    example = lesson(page).answer(page, False, by="model", reason="on brewing")
    assert (example.url, example.relevant, example.title, example.text) == (page.url, False, "mead", TEXTS["mead"])
    assert (example.score, example.version) == (0.7, SPEC.digest)
    assert (example.by, example.reason) == ("model", "on brewing")
    assert page.traits[ALWAYS] == 1.0


def test_labels_in_both_scripts(tmp_path: Path) -> None:
    file = tmp_path / "urls.csv"
    file.write_text(
        "网址,是否相关\n# mine\nhttp://a.org/,是\n\nhttp://b.org/,NO\n'http://c.org/',1\n".replace("'", '"'), "utf-8"
    )
    assert read_labels(file).answers == {"http://a.org/": True, "http://b.org/": False, "http://c.org/": True}
