from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.text.language import guess_language
from focuscrawl.text.stopwords import frame_words, stopwords
from focuscrawl.text.tokenize import make_tokenizer


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        ("这是一个介绍围棋规则的网页。", "", "zh"),
        ("這是一個介紹圍棋規則的網頁。", "en", "zh"),
        ("The history of the game is long and it has been told in many ways.", "zh-CN", "en"),
        ("これは日本語で書かれたページです。東京の天気", "", "ja"),
        ("안녕하세요 한국어 페이지입니다", "", "ko"),
        ("Das Haus ist nicht groß, und die Kinder spielen mit dem Ball", "", "de"),
        ("Le chat est sur la table et les enfants sont dans le jardin", "", "fr"),
        ("El perro y los gatos viven en una casa con las niñas", "", "es"),
        ("Москва - столица России", "", "ru"),
        ("Київ - столиця України", "uk", "uk"),
        ("Python numpy pandas DataFrame", "zh", ""),
        ("Python numpy pandas DataFrame", "en_US", "en"),
        ("在网页中使用 Python numpy pandas DataFrame API json xml", "", "zh"),
        ("Go is a board game; its Chinese name is 围棋, and it is played in many countries of the world.", "", "en"),
        ("Get Info: press I, or I again", "en", "en"),
        ("I.arc 211: I and I", "", ""),
        ("Gaia Sky, version 3.4, no no no", "en", "en"),
        ("Locks Boats Gates Winter Walks Maps Tickets Contact no se Archive April May June", "en", "en"),
        ("Alcaldía de Bogotá en Petro, buses de Usme en Suba, de Kennedy en Bosa", "es", "es"),
        ("Das Haus ist nicht groß, und die Kinder spielen mit dem Ball", "en", "de"),
        ("12345 !!!", "de", "de"),
        ("", "", ""),
    ],
)
def test_guess(text: str, declared: str, expected: str) -> None:
    assert guess_language(text, declared) == expected


@given(st.text(max_size=60), st.text(max_size=8))
@settings(max_examples=100, deadline=None)
def test_anything_goes(text: str, declared: str) -> None:
    assert isinstance(guess_language(text, declared), str)


def test_stop_words_of_each_language() -> None:
    assert {"的", "我们", "因为"} <= stopwords("zh-CN")
    assert {"the", "this", "ourselves", "ourselve", "whose"} <= stopwords("en")
    assert stopwords("auto") == stopwords("zh") | stopwords("en")
    assert stopwords("fi") == frame_words("fi") == frozenset()
    assert {"email", "policy"} <= frame_words("en") < stopwords("en")
    assert {"电话", "阅读"} <= frame_words("zh") < stopwords("zh")


def test_stop_words_are_what_the_tokenizer_gives() -> None:
    tokenizer = make_tokenizer()
    english = "this is what they have been doing with those things of theirs"
    assert [token for token in tokenizer.tokens(english) if token not in stopwords("en")] == []
    assert [token for token in tokenizer.tokens("我们在这里，因为他们的网站") if token not in stopwords()] == []
