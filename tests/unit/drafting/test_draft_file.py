"""Drafts as topic files: what is written is what `load_topic` reads."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.drafting.draft import SAMPLE_CHARS, Draft, parse_words, shortened
from focuscrawl.drafting.findings import findings_of
from focuscrawl.drafting.texts import SourceText
from focuscrawl.drafting.topic_text import text_block, topic_text
from focuscrawl.errors import TopicError
from focuscrawl.topic.spec import load_topic
from focuscrawl.wording.base import Language, Say

WORD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: bool(text.strip())
)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_block_of_text_reads_as_it_was(text: str) -> None:
    # TOML turns a line end of Windows in the file into "\n"; text_block writes it as an escape.
    assert tomllib.loads(f"x = {text_block(text)}")["x"] == text


@settings(deadline=None)
@given(
    st.dictionaries(WORD, st.floats(min_value=0.01, max_value=1.0), min_size=1, max_size=5),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=50),
    st.lists(WORD, max_size=2),
)
def test_whatever_was_gathered_is_a_topic_file(terms: dict[str, float], about: str, texts: list[str]) -> None:
    draft = Draft(name="any", title=about, about=about, language="en")
    for word, weight in terms.items():
        draft.add(word, weight, (f"{word}x",))
    draft.samples = [SourceText(text, text, text) for text in texts]
    for language in ("en", "zh"):
        data = tomllib.loads(topic_text(draft, file=about, say=Say(language)))
        assert set(data["terms"]) == set(draft.terms)
        assert data.get("description", "") == about
        assert data["samples"].get("relevant_text", []) == texts
        assert all(data["synonyms"][word] == list(names) for word, names in draft.synonyms.items())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_file_is_read_as_the_draft_was_meant(tmp_path: Path, language: Language) -> None:
    draft = Draft(name="joints", title="榫卯", about="木作的榫卯", language="zh", classification="clc:TS")
    draft.add("榫卯", 1.0, ("mortise and tenon",))
    draft.seeds = ["http://a.example/", "http://a.example/"]
    draft.samples = [SourceText("a.html", "", "榫卯是木构件的连接方式。"), SourceText("m", "", "短文一段。", by="m")]
    path = tmp_path / "joints.toml"
    path.write_text(topic_text(draft, file=str(path), say=Say(language)), encoding="utf-8")
    spec = load_topic(str(path))
    assert (spec.title, spec.language, spec.classification) == ("榫卯", "zh", "clc:TS")
    assert spec.terms["榫卯"] == 1.0
    assert spec.synonyms["榫卯"][:1] == ("mortise and tenon",)
    assert spec.seed_urls() == ["http://a.example/"]
    assert spec.samples.relevant_text == ("榫卯是木构件的连接方式。", "短文一段。")
    comments = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert len(comments) > 8
    assert any("a.html" in line for line in comments)


def test_words_are_taken_once_whatever_their_case_or_width() -> None:
    draft = Draft()
    draft.add("Tea", 1.0, ("茶", "TEA"))
    draft.add("ｔｅａ", 0.5)
    draft.add("茶", 0.5)
    assert (draft.terms, draft.synonyms) == ({"Tea": 1.0}, {"Tea": ("茶",)})
    draft.drop("Tea")
    assert draft.is_empty


@pytest.mark.parametrize("text", ["tea=2", "tea=0", "tea=x", "=0.5", "tea, |x", "tea=nan"])
def test_words_without_a_proper_weight_are_refused(text: str) -> None:
    with pytest.raises(TopicError, match="expected a word"):
        parse_words(text)


@pytest.mark.parametrize(
    ("words", "about", "language"),
    [
        (["茶", "紫砂壶"], "", "zh"),
        (["茶", "teapot"], "", "auto"),
        (["teapot"], "", "auto"),
        (["teapot"], "The making of a teapot and of its lid is what this is about", "en"),
        (["teapot"], "紫砂壶的制作", "zh"),
        ([], "紫砂壶的制作", "zh"),
        ([], "Teapots and their lids, 紫砂壶", "auto"),
    ],
)
def test_the_language_is_that_of_words_and_texts(words: list[str], about: str, language: str) -> None:
    draft = Draft(about=about)
    for word in words:
        draft.add(word, 1.0)
    assert draft.guessed_language() == language


def test_names_are_made_of_letters() -> None:
    draft = Draft(title="紫砂壶")
    draft.add("紫砂壶", 1.0)
    assert draft.guessed_name() == ""
    draft.classification = "clc:TS"
    assert draft.guessed_name() == "clc-ts"
    draft.add("制陶", 0.5, ("Yixing teapot",))
    assert draft.guessed_name() == "yixing-teapot"


def test_long_samples_end_with_a_sentence() -> None:
    text = "这是一句话。" * 1000
    assert len(shortened(text)) <= SAMPLE_CHARS
    assert shortened(text).endswith("。")
    assert shortened("x" * 5000) == "x" * SAMPLE_CHARS


def test_findings_name_the_sample_that_does_not_fit() -> None:
    draft = Draft(name="bonsai", language="en")
    draft.add("bonsai", 1.0)
    tree = "The bonsai is pruned and repotted in akadama; copper wire bends the branches of the bonsai juniper. " * 3
    draft.samples = [
        SourceText("a", "", tree),
        SourceText("b", "", tree.replace("juniper", "pine")),
        SourceText("c", "", "Quarterly dividends rose while bond yields fell on the stock exchange in Frankfurt. " * 3),
    ]
    found = findings_of(draft.spec(file="bonsai.toml"), ["the bonsai of a shop"] * 10, words=draft.terms)
    assert [at for at, _ in found.misfits] == [2]
    assert "bonsai" in found.strongest
    assert found.similarity is not None
    assert 0.0 < found.similarity < 1.0
    assert [(one.word, one.run_share) for one in found.common] == [("bonsai", 1.0)]


def test_faults_of_a_draft_are_sentences() -> None:
    draft = Draft(name="x", language="not a tag")
    draft.add("tea", 1.0)
    with pytest.raises(TopicError, match="language"):
        draft.spec(file="x.toml")
