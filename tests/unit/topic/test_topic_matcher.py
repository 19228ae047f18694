"""Topic words in token lists."""

from __future__ import annotations

import pytest
from cpu_kit import cpu_limit
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.matcher import TopicMatcher

TOKENIZER = make_tokenizer("auto")


def matcher(*terms: str, forms: dict[str, list[str]] | None = None, **weights: float) -> TopicMatcher:
    return TopicMatcher({**dict.fromkeys(terms, 1.0), **weights}, forms=forms, tokenizer=TOKENIZER)


def test_plural_of_a_term_is_found():
    assert matcher("recipe").in_tokens(TOKENIZER.tokens("Best Recipes of the week")) == ("recipe",)


def test_term_written_in_plural_finds_the_singular():
    assert matcher("recipes").in_tokens(["recipe"]) == ("recipes",)


def test_a_language_that_ends_with_signs_is_no_letter():
    found = matcher("C++", "C#").in_tokens
    assert found(TOKENIZER.tokens("Modern C++ for beginners")) == ("C++",)
    assert found(TOKENIZER.tokens("http a org csharp tutorials")) == ("C#",)
    assert found(TOKENIZER.tokens("Vitamin C，C语言")) == ()
    assert matcher("C").in_tokens(TOKENIZER.tokens("Modern C++")) == ()


def test_phrase_has_to_be_contiguous():
    found = matcher("box office").in_tokens
    assert found(TOKENIZER.tokens("the box office hit")) == ("box office",)
    assert found(TOKENIZER.tokens("the office with a box")) == ()
    assert found(["box"]) == ()


def test_phrase_after_a_false_start_is_found():
    assert matcher("box office").in_tokens(["box", "box", "office"]) == ("box office",)


def test_heaviest_term_comes_first():
    terms = TopicMatcher({"opening": 0.5, "chess": 1.0, "rook": 0.7}, tokenizer=TOKENIZER)
    assert terms.in_tokens(["opening", "rook", "chess"]) == ("chess", "rook", "opening")


def test_synonym_counts_as_its_term():
    terms = matcher("国际象棋", forms={"国际象棋": ["chess", "Schach"]})
    assert terms.in_tokens(["schach", "chess"]) == ("国际象棋",)
    assert terms.counts(["schach", "chess", "x"]) == {"国际象棋": 2}


@pytest.mark.parametrize(
    "tokens",
    [
        ["国际象棋"],  # as the term itself is cut
        ["国际", "象棋"],  # cut finer
        ["国", "际", "象", "棋"],
        ["国际象棋赛"],  # inside a longer word, at its beginning
        ["下国际象棋"],  # at its end
        ["国际", "象棋赛"],  # begins on a border, ends inside a word
        ["学国际", "象棋"],  # begins inside a word, ends on a border
        ["我", "爱", "国际", "象棋", "比赛"],
    ],
)
def test_chinese_term_is_found_however_it_was_cut(tokens: list[str]):
    assert matcher("国际象棋").in_tokens(tokens) == ("国际象棋",)
    assert matcher("国际象棋").counts(tokens) == {"国际象棋": 1}


@pytest.mark.parametrize(
    ("term", "tokens"),
    [
        ("解剖", ["了解", "剖析"]),  # both ends inside other words
        ("会计", ["社会", "计划"]),
        ("国际象棋", ["国际", "x", "象棋"]),
        ("国际象棋", ["国际"]),
        ("国际象棋", ["象棋"]),
        ("茶", ["茶叶"]),  # a single character has to be a word
        ("茶", ["红茶"]),
    ],
)
def test_characters_in_a_row_are_not_enough(term: str, tokens: list[str]):
    assert matcher(term).in_tokens(tokens) == ()
    assert matcher(term).counts(tokens) == {}


def test_single_character_as_a_word_of_its_own_is_found():
    assert matcher("茶").in_tokens(["喝", "茶"]) == ("茶",)


def test_term_of_two_scripts_is_found():
    terms = matcher("SQL注入", "K线")
    assert terms.in_tokens(TOKENIZER.tokens("一次SQL注入攻击")) == ("SQL注入",)
    assert terms.in_tokens(["k", "线图"]) == ("K线",)
    assert terms.in_tokens(["mysql", "注入"]) == ()


def test_ascii_terms_of_four_characters_are_found_inside_url_tokens():
    terms = matcher("recipe", "box office", "art", "国际象棋")
    assert terms.in_url(["myrecipebook"]) == ("recipe",)
    assert terms.in_url(["boxoffice"]) == ("box office",)
    assert terms.in_url(["start"]) == ()  # three letters only
    assert terms.in_url(["art"]) == ("art",)
    assert terms.in_url(["爱国际象棋网"]) == ("国际象棋",)  # URLs are not always segmented
    assert terms.in_tokens(["myrecipebook"]) == ()


def test_chinese_terms_alone_are_found_inside_url_tokens():
    assert matcher("国际象棋").in_url(["我爱国际象棋网"]) == ("国际象棋",)
    assert matcher("国际象棋").in_tokens(["我爱国际象棋网"]) == ()


def test_a_word_of_an_address_costs_as_much_with_many_terms_as_with_few():
    many = {term: 0.5 for number in range(20_000) for term in (f"{number:05}a", f"{chr(0x4E00 + number)}园")}
    terms = TopicMatcher({**many, "oakwood": 1.0, "橡树林": 0.9}, tokenizer=TOKENIZER)
    with cpu_limit(3.0):
        for number in range(1_000):
            assert terms.in_url([f"greatoakwoods{number}", f"大橡树林{number}"]) == ("oakwood", "橡树林")


def test_plural_written_in_a_url_is_found():
    assert matcher("babies").in_url(["funnybabies"]) == ("babies",)
    assert matcher("babies").in_url(["babyblog"]) == ("babies",)


def test_terms_without_a_word_are_ignored():
    assert matcher("!?", "chess").in_tokens(["chess"]) == ("chess",)


def test_empty_input_finds_nothing():
    assert matcher("chess").in_tokens([]) == ()
    assert matcher("chess").in_url(()) == ()
    assert matcher().in_tokens(["chess"]) == ()
    assert matcher("chess").counts([]) == {}


def test_counts_adds_up_forms_and_phrases():
    terms = matcher("chess", "world champion")
    tokens = TOKENIZER.tokens("Chess: the world champion of chess and the former world champion")
    assert terms.counts(tokens) == {"chess": 2, "world champion": 2}


WORDS = st.lists(
    st.sampled_from(["国际", "象棋", "国际象棋", "象", "棋", "chess", "world", "champion", "x"]), max_size=30
)


@given(WORDS)
def test_counts_and_in_tokens_agree(tokens: list[str]):
    terms = matcher("国际象棋", "chess", "world champion", "象")
    assert set(terms.counts(tokens)) == set(terms.in_tokens(tokens))


@given(WORDS)
def test_a_bag_given_by_the_caller_changes_nothing(tokens: list[str]):
    from collections import Counter

    terms = matcher("国际象棋", "chess", "world champion", "象")
    assert terms.counts(tokens, bag=Counter(tokens)) == terms.counts(tokens)


def test_counts_of_a_text_asked_for_again_are_no_others_and_the_callers_own():
    terms = matcher("chess")
    texts = [("chess",) * n for n in range(1, 40)]
    for _ in range(2):
        for n, text in enumerate(texts, 1):
            found = terms.counts(text)
            assert found == {"chess": n}
            found["chess"] = 0
    again = terms.counts(texts[-1])
    assert again == {"chess": 39}


@given(st.lists(st.sampled_from(["world", "champion", "chess", "x"]), max_size=12))
def test_phrases_agree_with_a_plain_search(tokens: list[str]):
    expected = any(tokens[i : i + 2] == ["world", "champion"] for i in range(len(tokens)))
    assert bool(matcher("world champion").in_tokens(tokens)) is expected
