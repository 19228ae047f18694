"""Keywords and summaries (docs/formulas.md H.7): worked by hand, in general, and against a second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from focuscrawl.text.background import background_idf
from focuscrawl.text.summary import choose, keywords, sentence_scores, sentences, summary
from focuscrawl.text.tokenize import make_tokenizer

WORDS = make_tokenizer("en", name="words")
IDF = {"lamp": 2.0, "oil": 3.0, "keeper": 4.0, "tower": 1.0}


def idf(token: str) -> float:
    return IDF.get(token, 1.0)


def test_keywords_by_hand() -> None:
    # lamp 3 * 2 * 1.5 = 9, tower 4 * 1 * 1.2 = 4.8, keeper 1 * 4 = 4, oil 1 * 3 = 3
    tokens = ["lamp", "tower", "keeper", "lamp", "oil", "tower", "lamp", "the", "tower", "a", "tower"]
    assert keywords(tokens, title=["lamp"], headings=["tower"], idf=idf) == ("lamp", "tower", "keeper", "oil")
    assert keywords(tokens, title=["lamp"], idf=idf, count=2) == ("lamp", "tower")  # 4 and 4: ties by place


def test_a_pair_that_keeps_together_is_one_keyword() -> None:
    # keeper lamp: 2 * max(4, 2) = 8; both parts stand in it alone, and give way
    assert keywords(["keeper", "lamp", "and", "keeper", "lamp", "or", "oil"], idf=idf) == ("keeper lamp", "oil")
    # lamp stands apart three times in five: no pair
    assert "keeper lamp" not in keywords(
        ["keeper", "lamp", "x", "keeper", "lamp", "x", "lamp", "x", "lamp", "x", "lamp"], idf=idf
    )
    assert keywords(["国际", "象棋", "，", "国际", "象棋"], idf=idf) == ("国际象棋",)


def test_no_stop_words_numbers_or_single_characters_and_ties_by_place() -> None:
    assert keywords(["the", "1905", "a", "b", "的", "tower", "gate"], idf=idf) == ("tower", "gate")
    assert keywords([], idf=idf) == ()


tokens_of = st.lists(st.sampled_from(["lamp", "oil", "keeper", "tower", "the", "x", "灯塔", "看守"]), max_size=60)


@given(tokens_of, st.lists(st.sampled_from(sorted(IDF)), max_size=3), st.integers(1, 12))
def test_keywords_are_distinct_bounded_and_from_the_text(tokens: list[str], title: list[str], count: int) -> None:
    found = keywords(tokens, title=title, idf=idf, count=count)
    assert len(found) == len(set(found)) <= count
    joined = f" {' '.join(tokens)} "
    assert all(f" {word} " in joined or word in joined.replace(" ", "") for word in found)
    assert found == keywords(tokens, title=title, idf=idf, count=100)[:count]


@given(tokens_of)
def test_single_keywords_are_in_the_order_of_a_plain_sum(tokens: list[str]) -> None:
    kept = [t for t in tokens if len(t) > 1 and t != "the"]
    plain = sorted(set(kept), key=lambda t: (-sum(idf(t) for other in kept if other == t), tokens.index(t)))
    singles = [word for word in keywords(tokens, idf=idf, count=100) if word in plain]
    assert singles == [word for word in plain if word in singles]


def test_sentence_scores_by_hand() -> None:
    # tf: lamp 2, oil 1, tower 1; raw: (4 + 3)/2 * 2 * 1 = 7, (4 + 1)/2 * 1.5 * 2 = 7.5
    assert sentence_scores([["lamp", "oil"], ["lamp", "tower"]], title=["tower"], idf=idf) == pytest.approx(
        [7 / 7.5, 1]
    )
    assert sentence_scores([[], []], idf=idf) == [0.0, 0.0]


def test_choosing_by_hand() -> None:
    # second: 0.7 * 0.9 - 0.3 * 1 = 0.33 for the twin of the first, 0.7 * 0.5 = 0.35 for the other
    vectors = [{"a": 1.0}, {"a": 1.0}, {"b": 1.0}]
    assert choose([1.0, 0.9, 0.5], vectors, [10, 10, 10], limit=20) == [0, 2]
    assert choose([1.0, 0.9, 0.5], vectors, [10, 30, 10], limit=100) == [0, 2, 1]
    assert choose([1.0], vectors[:1], [30], limit=20) == []


vector = st.lists(st.floats(0.1, 1.0), min_size=3, max_size=3)


@given(st.lists(st.tuples(st.floats(0.0, 1.0), vector, st.integers(1, 40)), max_size=12), st.integers(0, 120))
def test_choosing_as_a_plain_implementation_with_scikit_learn(
    rows: list[tuple[float, list[float], int]], limit: int
) -> None:
    scores, sizes = [row[0] for row in rows], [row[2] for row in rows]
    matrix = np.array([row[1] for row in rows]) if rows else np.zeros((0, 3))
    like = cosine_similarity(matrix) if rows else matrix
    units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True) if rows else matrix
    found = choose(scores, [dict(zip("abc", u, strict=True)) for u in units], sizes, limit=limit)
    left = limit
    for number, taken in enumerate(found):
        before = found[:number]
        free = [at for at in range(len(rows)) if at not in before and sizes[at] <= left]
        worth = {at: 0.7 * scores[at] - 0.3 * max((like[at][one] for one in before), default=0.0) for at in free}
        assert worth[taken] == pytest.approx(max(worth.values()))
        left -= sizes[taken]
    assert not [at for at in range(len(rows)) if at not in found and sizes[at] <= left]


def test_the_summary_keeps_the_order_of_the_text_and_its_limit() -> None:
    text = "The keeper trims the lamp. " + "It is late. " * 30 + "\n\nThe keeper of the lamp buys oil for the lamp."
    found = summary(text, title=["lamp"], idf=background_idf("en").idf, tokenizer=WORDS, language="en")
    assert found.startswith("The keeper trims the lamp.")
    assert "buys oil" in found
    assert len(found.split()) <= 60


def test_a_chinese_summary_has_at_most_two_hundred_characters() -> None:
    text = (
        "灯塔的看守每天傍晚点灯。" * 3
        + "他把天气写进日志！"
        + "海上有雾，船只靠灯塔的灯光辨认方向，看守整夜不睡。" * 20
    )
    tokenizer = make_tokenizer("zh")
    found = summary(text, idf=background_idf("zh").idf, tokenizer=tokenizer, language="zh")
    assert 0 < len(found) <= 200
    assert all(sentence in text for sentence in sentences(found))


def test_a_line_without_a_stop_does_not_run_into_the_next_sentence() -> None:
    text = "灯塔的看守\nThe keeper's log\n看守每天傍晚点灯。他把天气写进日志。"
    found = summary(text, idf=idf, tokenizer=make_tokenizer("zh"), language="zh")
    assert found == "灯塔的看守 The keeper's log 看守每天傍晚点灯。他把天气写进日志。"


def test_a_long_first_sentence_is_cut_and_nothing_gives_nothing() -> None:
    found = summary("lamp " * 100, idf=idf, tokenizer=WORDS, language="en")
    assert len(found.split()) == 60
    assert summary(" \n", idf=idf, tokenizer=WORDS) == ""


@given(st.text(alphabet="ab。！?. \n灯塔”", max_size=200))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text(max_size=300))
def test_a_summary_is_bounded_whatever_the_text(text: str) -> None:
    assert len("".join(summary(text, idf=idf, tokenizer=WORDS, language="zh").split())) <= 200
