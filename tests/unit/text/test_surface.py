from __future__ import annotations

from focuscrawl.text.surface import surface_forms
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("en")


def test_words_are_shown_as_the_text_writes_them_most_often() -> None:
    (token,) = TOKENIZER.tokens("Series")
    assert surface_forms([token], ["A series of talks. Series!"], TOKENIZER) == {token: "series"}
    text = "Movies, movies and one movie."
    assert surface_forms(["movy"], [text], TOKENIZER) == {"movy": "movies"}


def test_pairs_keep_the_form_they_have_together() -> None:
    text = "Assorted links, assorted links, and a link. Links, links, links assorted."
    assert surface_forms(["assorted link"], [text], TOKENIZER) == {"assorted link": "assorted links"}


def test_what_the_text_does_not_have_stays() -> None:
    assert surface_forms(["旅行", "queue"], ["nothing here"], TOKENIZER) == {"旅行": "旅行", "queue": "queue"}


def test_chinese_words_are_shown_in_the_script_of_the_text() -> None:
    texts = ["臺灣旅遊指南：旅遊前先看旅游保险", "没有那个词"]
    shown = surface_forms(["旅游", "指南", "苏轼", "台湾"], texts, TOKENIZER)
    assert shown == {"旅游": "旅遊", "指南": "指南", "苏轼": "苏轼", "台湾": "臺灣"}


def test_names_with_signs_are_shown_with_them() -> None:
    words = TOKENIZER.tokens("C++ C#")
    shown = surface_forms([*words, " ".join(words)], ["C++, C# and others"], TOKENIZER)
    assert list(shown.values()) == ["c++", "c#", "c++ c#"]
