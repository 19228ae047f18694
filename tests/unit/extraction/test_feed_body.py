"""The body learner: worked examples of the coverage and of each step, on pages of our own."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction.feed_body import (
    BLOCKS,
    MORE_BLOCKS,
    BodyRules,
    TokenSpans,
    coverage,
    learn_body,
    matched,
    nearest_blocks,
)
from focuscrawl.extraction.feed_paths import find_all, indexed_path
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer(name="ngram")
FAITHFUL = BodyRules(keep_ratio=0.0, extended=False)


def test_the_worked_example_of_coverage() -> None:
    assert coverage(Counter("abcde"), list("aabexyz")) == pytest.approx(0.6)


def test_coverage_of_nothing_is_zero() -> None:
    assert coverage(Counter(), ["a"]) == 0.0
    assert coverage(Counter("a"), []) == 0.0


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcdef")))
def test_coverage_counts_each_word_as_often_as_both_have_it(wanted: list[str], words: list[str]) -> None:
    remaining = list(words)
    hits = 0
    for word in wanted:
        if word in remaining:
            remaining.remove(word)
            hits += 1
    assert coverage(Counter(wanted), words) == pytest.approx(hits / len(wanted) if wanted else 0.0)
    assert sum(matched(Counter(wanted), words).values()) == hits


def _learn(html: str, text: str, rules: BodyRules | None = None) -> str | None:
    tree = parse(html)
    assert tree is not None
    body = tree.root.find("body")
    found = learn_body(body, TOKENIZER.tokens(text), TokenSpans(body, TOKENIZER), rules or BodyRules())
    return indexed_path(found) if found is not None else None


def test_nearest_blocks_look_through_what_parsers_and_authors_put_between() -> None:
    tree = parse("<body><span><div id=a><div id=b></div></div></span><table><tbody><tr><td>x</td></tr></tbody></table>")
    assert tree is not None
    body = tree.root.find("body")
    assert [e.tag for e in nearest_blocks(body, BLOCKS)] == ["div", "table"]
    table = body.find("table")
    assert [e.tag for e in nearest_blocks(table, BLOCKS)] == ["tr"]
    assert nearest_blocks(table[0][0][0], BLOCKS | MORE_BLOCKS) == []


TEXT = "Green leaves are plucked at dawn and spread on bamboo trays before the pan is heated over a wood fire."
MENU = "<div><a href=/>home</a> <a href=/tea>tea</a></div>"


@pytest.mark.parametrize("rules", [BodyRules(), FAITHFUL])
def test_the_block_that_covers_the_entry_is_found(rules: BodyRules) -> None:
    page = f"<body><div>{MENU}<div><div>By Lin</div><div><p>{TEXT}</p></div></div></div></body>"
    assert _learn(page, TEXT, rules) == "/html/body/div[1]/div[2]/div[2]"


def test_a_page_without_blocks_is_its_own_body() -> None:
    assert _learn(f"<body><p>{TEXT}</p></body>", TEXT) == "/html/body"


def test_an_entry_that_the_page_does_not_hold_teaches_nothing() -> None:
    assert _learn(f"<body>{MENU}<div>This page has moved.</div></body>", TEXT) is None
    assert _learn(f"<body>{MENU}<div>{TEXT}</div></body>", "") is None


def test_of_equal_blocks_the_smaller_wins() -> None:
    page = f"<body><div>{TEXT} and many other words besides</div><div>{TEXT}</div></body>"
    assert _learn(page, TEXT, FAITHFUL) == "/html/body/div[2]"


SECOND = (
    "The second half of the story tells how the leaves are rolled, fired again and packed into tins for the winter."
)


def test_a_paragraph_that_the_feed_quotes_is_not_the_body() -> None:
    paragraphs = f"<div>{TEXT}</div><div>{SECOND}</div><div>{SECOND} {SECOND}</div>"
    page = f"<body>{MENU}<div>{paragraphs}</div></body>"
    assert _learn(page, TEXT) == "/html/body/div[2]"
    assert _learn(page, TEXT, FAITHFUL) == "/html/body/div[2]/div[1]"


def test_a_lone_box_in_the_text_is_not_the_body() -> None:
    page = f"<body>{MENU}<div><p>{TEXT}</p><p>{SECOND}</p><pre>brew --time 3 --heat 80 --leaves five</pre></div></body>"
    assert _learn(page, f"{TEXT} {SECOND} brew --time 3 --heat 80 --leaves five") == "/html/body/div[2]"
    assert _learn(page, f"{TEXT} {SECOND}", FAITHFUL) == "/html/body/div[2]/pre[1]"


def test_a_full_text_steps_down_past_any_amount_of_noise() -> None:
    comments = f"<div class=comments>{'I like this very much, thank you all. ' * 40}</div>"
    page = f"<body>{MENU}<div><div><p>{TEXT}</p></div>{comments}</div></body>"
    assert _learn(page, TEXT) == "/html/body/div[2]/div[1]"


@pytest.mark.parametrize("rules", [BodyRules(), FAITHFUL])
def test_a_body_in_two_parts_stays_whole(rules: BodyRules) -> None:
    words = TEXT.split()
    first, second = " ".join(words[:12]), " ".join(words[12:])  # three fifths of the words and two
    page = f"<body>{MENU}<div><div>{first}</div><div>{second}</div></div></body>"
    assert _learn(page, TEXT, rules) == "/html/body/div[2]"


def test_parts_that_no_block_holds_together_are_the_page() -> None:
    words = TEXT.split()
    page = f"<body><div>{' '.join(words[:12])}</div><div>{' '.join(words[12:])}</div></body>"
    assert _learn(page, TEXT) == "/html/body"


def test_scripts_and_controls_are_not_words_of_the_page() -> None:
    page = f"<body><div><script>{TEXT}</script><textarea>{TEXT}</textarea></div><div><p>{TEXT}</p></div></body>"
    assert _learn(page, TEXT) == "/html/body/div[2]"


def test_deep_nesting_is_learned_from_in_bounded_time() -> None:
    page = f"<body>{'<div>' * 1500}{TEXT}{'</div>' * 1500}</body>"
    started = time.process_time()
    _learn(page, TEXT)
    assert time.process_time() - started < 5.0


def test_the_path_of_an_element_leads_to_it_alone() -> None:
    tree = parse(f"<body>{MENU}<div><div id=a><p>x<b>y</b></p><p>z</p></div><section>{MENU}</section></div></body>")
    assert tree is not None
    for element in tree.root.iter():
        path = indexed_path(element)
        assert path is not None
        assert find_all(tree.root, path) == [element]
        assert tree.root.getroottree().xpath(path) == [element]
