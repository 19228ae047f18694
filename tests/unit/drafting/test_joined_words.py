"""Words of a sentence that a tokenizer cuts in two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.drafting.joined_words import JoinedWord, joined, joined_words, written_names
from focuscrawl.drafting.runs import clause_tokens, run_breaks
from focuscrawl.text.background import background_idf
from focuscrawl.text.tokenize import make_auto

TOKENIZER = make_auto()
BREAKS = run_breaks("auto")


def found(sentence: str) -> dict[tuple[str, str], JoinedWord]:
    clauses = clause_tokens(sentence, TOKENIZER)
    return dict(joined_words(sentence, clauses, TOKENIZER, breaks=BREAKS, background=background_idf("auto")))


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("E-commerce and low-carb bread", ["e-commerce", "low-carb"]),
        ("How-to guides, COVID-19 and x-ray", ["x-ray"]),
        ("Node.js, ASP.NET, e.g. www.example.com", ["node.js", "asp.net"]),
        ("大数据与云计算", ["大数据", "云计算"]),
        ("元宇宙、区块链和比特币", ["元宇宙", "区块链", "比特币"]),
        ("企业微服务架构", ["微服务"]),
        ("新能源车保养", ["新能源车"]),
        # What a person does is no part of the name, nor is what joins two names.
        ("学英语，做蛋糕，老人用手机", []),
        ("自行车修与保养", []),
        ("工艺与品饮", []),
        ("唐代的诗与词", []),
        ("三种茶的做法", []),
        # A clause does not end with a word that joins, so this is the end of a name that the segmenter does not know.
        ("碳中和", ["碳中和"]),
        # Two signs side by side, and the name of a thing before another word, are words by themselves.
        ("猫粮选择", []),
        ("猫行为", []),
        ("C语言、T恤和X光检查", ["c语言", "t恤", "x光"]),
    ],
)
def test_what_is_one_word(sentence: str, words: list[str]) -> None:
    assert [word.sign.join(pair) for pair, word in found(sentence).items()] == words


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("pages about Go programming", [("go", "programming")]),
        ("to go programming", []),
        ("Go programming", []),  # the beginning of a sentence
        ("jobs in IT", []),
        ("IT security", [("it", "security")]),
        ("IT SECURITY", []),
        ("IT project management", []),
        ("US politics and US foreign policy", []),
        ("the Go programming language", [("go", "programming")]),
        ("the C language, C++ and C#", [("c", "language")]),
        ("vitamin B and the R language", [("vitamin", "b"), ("r", "language")]),
        ("R&D budgets, J. R. Smith and an A level", []),
        ("a day in March", []),
        ("Formula 1 racing, Windows 11", [("formula", "1"), ("window", "11")]),
        # A rare word is a subject by itself; a name, a list and a year are told otherwise.
        ("Apollo 11, World War 2, Top 10 beaches, Area 2022, formula 1", []),
    ],
)
def test_letters_and_stop_words_that_are_written_as_names(sentence: str, names: list[tuple[str, str]]) -> None:
    assert list(found(sentence)) == names


def test_what_bears_the_subject_out() -> None:
    words = found("E-commerce, 元宇宙, 比特币, 中国茶, the R language, IT security, vitamin D")
    assert words["e", "commerce"] == JoinedWord("-")
    assert words["元", "宇宙"] == JoinedWord("", ("宇宙",), ("宇宙",))
    assert words["比特", "币"] == JoinedWord("", ("比特",))
    assert words["中国", "茶"] == JoinedWord("", ("中国", "茶"), ("中国", "茶"))
    assert words["r", "language"] == JoinedWord(" ", ("language",), ("language",))
    assert words["it", "security"] == JoinedWord(" ", ("security",), ("security",))
    assert words["vitamin", "d"] == JoinedWord(" ", ("vitamin",))


def test_names_that_no_word_stands_beside() -> None:
    assert list(written_names("Statistics with R, learning Go (and C++), NOT SQL", BREAKS)) == [
        ("R", "with", ""),
        ("Go", "learning", ""),
    ]


@given(st.text(st.sampled_from("大元数据猫学英语的与和链区块 aCGoIT.-,，"), max_size=30))
def test_joining_loses_no_token(sentence: str) -> None:
    words = found(sentence)
    for tokens in clause_tokens(sentence, TOKENIZER):
        assert " ".join(joined(tokens, words)).split() == list(tokens)
    for pair, word in words.items():
        assert set(word.weak) <= set(word.parts) <= set(pair)
