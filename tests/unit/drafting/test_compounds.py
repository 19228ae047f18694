"""Weights of the common words of names such as "machine learning"."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.drafting.compounds import ALONE_SHARE, WEAK_SHARE_ALONE, bounded, compound_phrases, related_names
from focuscrawl.drafting.relations import relations
from focuscrawl.topic.judge_focus import HALF, K1

SHARES = {"machine": 0.04, "learning": 0.04, "tea": 0.02, "sourdough": 0.0001, "bread": 0.015, "history": 0.1}


def share(term: str) -> float:
    return min(SHARES[word] for word in term.split(" "))


def idf(term: str) -> float:
    return -log(share(term))


def test_a_name_carries_the_topic_and_its_words_bear_it_out() -> None:
    words = {"machine": 0.8, "learning": 0.8, "machine learning": 0.8}
    found = bounded(words, ["machine", "learning"], share=share, idf=idf)
    # All three have one idf, so it goes out: w = 0.25 * sqrt(2 w * w + 0.8 * 0.8), and 0.8 * 0.01 / 0.04 = 0.2 is less.
    assert found == {"machine": 0.21, "learning": 0.21, "machine learning": 0.8}
    assert round(0.25 * 0.8 / sqrt(1.0 - 2 * 0.25**2), 2) == 0.21


def test_words_hardly_common_keep_nearly_all() -> None:
    found = bounded({"sourdough": 0.8, "bread": 0.8, "sourdough bread": 0.4}, ["bread"], share=share, idf=idf)
    assert found == {"sourdough": 0.8, "bread": 0.53, "sourdough bread": 0.4}


def test_a_word_of_pages_frames_makes_no_page_a_result() -> None:
    words = {"email": 0.8, "marketing": 0.8, "email marketing": 0.8}
    found = bounded(words, ["email", "marketing"], weak={"email"}, share=lambda _: 0.1, idf=lambda _: 1.0)
    # The length is 0.8 / sqrt(1 - 0.15**2 - 0.25**2) = 0.836.
    assert found == {"email": 0.13, "marketing": 0.21, "email marketing": 0.8}
    assert WEAK_SHARE_ALONE < HALF  # however often the page has it


def test_no_word_of_many_is_bounded() -> None:
    many = {f"word {number}": 0.8 for number in range(30)}
    weights = {"history": 0.8, **many}
    assert bounded(weights, ["history"], share=lambda _: 0.1, idf=lambda _: 2.3)["history"] == 0.8


@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"),
        st.tuples(st.floats(0.1, 0.8), st.floats(0.01, 0.9)),
        min_size=1,
    ),
    st.sets(st.sampled_from("abcdefgh")),
)
def test_a_bounded_word_is_a_quarter_of_all_or_what_its_share_leaves(
    terms: dict[str, tuple[float, float]], chosen: set[str]
) -> None:
    weights = {term: weight for term, (weight, _) in terms.items()}
    common = sorted(chosen & weights.keys())

    def one_share(term: str) -> float:
        return terms[term][1]

    found = bounded(weights, common, share=one_share, idf=lambda term: -log(one_share(term)))
    assert {term: round(weights[term], 2) for term in weights if term not in common}.items() <= found.items()
    length = sqrt(sum((weight * log(one_share(term))) ** 2 for term, weight in found.items()))
    for term in common:
        assert found[term] <= round(weights[term], 2)
        kept = weights[term] * 0.01 / one_share(term)
        # 0.005 is what rounding takes or gives, at a length that it changes as well.
        most = max(kept, ALONE_SHARE * length / -log(one_share(term)))
        assert found[term] == pytest.approx(min(weights[term], most), abs=0.03)


def test_a_bounded_word_passes_by_itself_where_a_page_repeats_it() -> None:
    least = HALF / ALONE_SHARE  # of its full count, tf / (tf + K1) on a page of ordinary length
    assert least * K1 / (1.0 - least) == pytest.approx(4.25)


@pytest.mark.parametrize(
    ("run", "told", "phrases"),
    [
        (["machine", "learning"], {"machine", "learning"}, {"machine learning": 0.8}),
        (["sourdough", "bread"], {"sourdough", "bread"}, {"sourdough bread": 0.4}),
        (["machine", "learning", "history"], {"machine"}, {"machine learning": 0.4}),
        (["machine", "learning", "history"], set(), {"learning history": 0.8}),
        (["sourdough"], {"sourdough"}, {}),
        ([], set(), {}),
    ],
)
def test_neighbours_are_phrases(run: list[str], told: set[str], phrases: dict[str, float]) -> None:
    assert compound_phrases(run, told=told, share=share, weight=0.8) == phrases


@pytest.mark.parametrize(
    ("clause", "others", "weight"),
    [
        ("history of tea", 0, 0.8),
        ("tea of sourdough", 0, 0.4),
        ("history of sourdough", 0, None),  # of sourdough alone is history less than a quarter of the length
        ("sourdough of hairsprings", 0, None),  # each tells the subject by itself
        ("history of history", 0, None),
        ("sourdough and history of tea", 0, None),  # the first names the subject
        ("history of tea and sourdough", 0, 0.8),
        ("history of scones", 0, None),  # the topic has no scones
        # Seven others of the length 3.2 make 9.2 with both, and "tea" of 0.8 * 3.9 = 3.1 is more than a quarter of it.
        ("history of tea", 7, 0.8),
        ("history of tea", 20, None),
    ],
)
def test_related_words_are_a_name_where_one_is_common(clause: str, others: int, weight: float | None) -> None:
    words = {word: 0.8 for word in clause.split() if word not in {"of", "and", "scones"}}
    words |= {f"bread {number}": 0.762 for number in range(others)}
    shares = {**SHARES, "hairsprings": 0.0001, "scones": 0.0001}
    found = related_names(
        relations([clause.split()], stops={"of", "and"}),
        words,
        share=lambda word: shares[word.split(" ")[0]],
        idf=lambda word: -log(shares[word.split(" ")[0]]),
        weight=0.8,
    )
    assert [at for _, at in found] == ([] if weight is None else [weight])
