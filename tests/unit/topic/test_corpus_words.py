"""What the results of a crawl rest on."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.topic.corpus_words import COMMON_SHARE, LEAST_PAGES, CorpusWordCounts
from focuscrawl.topic.evidence import Evidence

WORDS = ("student", "london", "rent", "housing")


def evidence(words: Sequence[str]) -> Evidence:
    return {"text": dict.fromkeys(words, 1)} if words else {}


def add(counts: CorpusWordCounts, words: Sequence[str], *, relevant: bool, sign: int = 1) -> None:
    counts.add("a.org", evidence(words), len(set(words)), relevant=relevant, stored=relevant, sign=sign)


def test_results_with_no_other_words_than_many_pages_have_are_counted() -> None:
    counts = CorpusWordCounts()
    for number in range(LEAST_PAGES):
        add(counts, ["student"] * (number % 4 == 0) + ["london"] * (number % 8 == 0), relevant=False)
    for words in (["student"], ["student", "london"], ["student", "rent"], ["rent"], []):
        add(counts, words, relevant=True)
    look = counts.look()
    assert look.common == {"student": 0.26, "london": 0.14}
    assert look.only_common == 2
    assert (look.lone, look.wordless) == ({"student": 1, "rent": 1}, {"a.org": 1})
    assert look.by_name()["only_common_words"] == 2


def test_words_on_indexes_are_those_of_other_pages() -> None:
    counts = CorpusWordCounts()
    for _ in range(2 * LEAST_PAGES):
        counts.add("a.org", evidence(WORDS), len(WORDS), relevant=False, stored=False, index=True)
        add(counts, [], relevant=False)
    assert counts.look().common == {}


def test_few_other_pages_tell_no_shares() -> None:
    counts = CorpusWordCounts()
    for _ in range(LEAST_PAGES - 1):
        add(counts, ["student", "london"], relevant=False)
    assert counts.look().common == {}


def test_the_only_word_of_a_topic_is_never_too_common() -> None:
    counts = CorpusWordCounts()
    for _ in range(LEAST_PAGES):
        add(counts, ["tea"], relevant=False)
    add(counts, ["tea"], relevant=True)
    look = counts.look()
    assert (look.common, look.only_common, look.lone) == ({}, 0, {})


def test_topics_without_words_are_left_aside() -> None:
    counts = CorpusWordCounts()
    counts.add("a.org", {}, None, relevant=True, stored=True)
    assert counts.look().wordless == {}


PAGES = st.lists(st.tuples(st.lists(st.sampled_from(WORDS), unique=True), st.booleans()), max_size=120)


@given(PAGES, PAGES)
def test_what_is_taken_back_was_never_there(
    kept: list[tuple[list[str], bool]], back: list[tuple[list[str], bool]]
) -> None:
    counts, expected = CorpusWordCounts(), CorpusWordCounts()
    for words in WORDS[:2], WORDS[:2]:
        add(counts, words, relevant=True)
        add(expected, words, relevant=True)
    for words, relevant in kept:
        add(counts, words, relevant=relevant)
        add(expected, words, relevant=relevant)
    for sign in (1, -1):
        for words, relevant in back:
            add(counts, words, relevant=relevant, sign=sign)
    assert counts.look() == expected.look()


@given(PAGES)
def test_shares_are_those_of_the_pages_that_are_not_relevant(pages: list[tuple[list[str], bool]]) -> None:
    counts = CorpusWordCounts()
    add(counts, WORDS, relevant=True)
    for words, relevant in pages:
        add(counts, words, relevant=relevant)
    others = [words for words, relevant in pages if not relevant]
    shares = {word: sum(word in words for words in others) / max(1, len(others)) for word in WORDS}
    common = {word: share for word, share in shares.items() if share >= COMMON_SHARE and len(others) >= LEAST_PAGES}
    look = counts.look()
    assert look.common == common
    results = [set(words) for words, relevant in pages if relevant and words] + [set(WORDS)]
    assert look.only_common == sum(words <= common.keys() for words in results)


def test_a_phrase_made_of_topic_words_is_no_lone_word() -> None:
    counts = CorpusWordCounts()
    name = evidence(["student", "housing", "student housing"])
    counts.add("a.org", name, 2, relevant=True, stored=True)
    add(counts, ["rent"], relevant=True)
    assert counts.look().lone == {"rent": 1}
    add(counts, ["rent"], relevant=True, sign=-1)
    assert counts.look().lone == {}
