"""Both scripts of Chinese are one for the tokenizers; what a text shows stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.normalize import fold
from focuscrawl.text.simplified import _pairs, either_script, simplified
from focuscrawl.text.tokenize import make_tokenizer

TRADITIONAL = "昨天下午，校園籃球聯賽在新體育館開幕，共有十二支球隊參加，餅乾與飲料由學生會準備，後來還請來臺灣的選手。"
SIMPLIFIED = "昨天下午，校园篮球联赛在新体育馆开幕，共有十二支球队参加，饼干与饮料由学生会准备，后来还请来台湾的选手。"


def test_the_table_has_each_traditional_character_once() -> None:
    traditional, plain = _pairs()
    assert len(traditional) == len(plain) == len(set(traditional)) > 2500
    assert not set(traditional) & set(plain)
    assert all("\u4e00" <= char <= "\u9fd5" for char in traditional + plain)


@given(st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("後裏體龍𠀀\ud800")), max_size=30))
def test_each_character_becomes_what_it_is_alone(text: str) -> None:
    found = simplified(text)
    assert found == "".join(map(simplified, text))
    assert simplified(found) == found


@pytest.mark.parametrize("name", ["rjieba", "jieba", "ngram", "words"])
def test_both_scripts_are_cut_into_the_same_words(name: str) -> None:
    tokenizer = make_tokenizer("zh", name=name)
    assert tokenizer.tokens(TRADITIONAL) == tokenizer.tokens(SIMPLIFIED)
    assert tokenizer.chunks([TRADITIONAL, "ok"]) == tokenizer.chunks([SIMPLIFIED, "ok"])


def test_words_of_a_topic_stay_whole_in_either_script() -> None:
    for given_word in ("屏風馬", "屏风马"):
        tokenizer = make_tokenizer("zh", words=[given_word])
        assert "屏风马" in tokenizer.tokens("他走屏風馬布局") == tokenizer.tokens("他走屏风马布局")


def test_fold_knows_full_width_and_compatibility_forms() -> None:
    assert fold("Ｔｅａ與\uf91d") == "tea与栏"


@pytest.mark.parametrize("char", ["游", "遊", "后", "後"])
def test_either_script_has_the_character_and_its_simplified_form_first(char: str) -> None:
    assert char in either_script(char)
    assert either_script(char)[0] == simplified(char)


@given(
    st.text(
        st.one_of(st.characters(exclude_categories=["Cs"]), st.characters(min_codepoint=0x4E00, max_codepoint=0x9FD5)),
        min_size=1,
        max_size=1,
    )
)
def test_either_script_has_what_is_equal_when_simplified(char: str) -> None:
    assert {simplified(one) for one in either_script(char)} == {simplified(char)}
