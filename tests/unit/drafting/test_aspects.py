"""Common words of a sentence that say what of its subject is meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.drafting.aspects import COMMON_SHARE, aspect_words

STOPS = frozenset(["of", "the", "a", "your", "to", "on", "how", "do", "is", "what", "are", "and", "的", "和"])
SHARES = {
    "history": 0.1,
    "learning": 0.03,
    "play": 0.17,
    "guitar": 0.014,
    "world": 0.2,
    "work": 0.2,
    "built": 0.05,
    "人物": 0.02,
    "上海": 0.02,
    "故事": 0.04,
}
RARE = 0.001


def share(word: str) -> float:
    return SHARES.get(word, RARE)


@pytest.mark.parametrize(
    ("clause", "aspects"),
    [
        ("history of rome", {"history"}),
        ("the history of the world", set()),  # the commoner is no subject
        ("knitting of socks", set()),  # nor is what is rare by itself an aspect
        ("learning to play the guitar", {"learning", "play"}),
        ("legal history of rome", set()),
        ("learning to fly", set()),
        ("play your guitar", {"play"}),
        ("guitar play", set()),
        ("history on the moon", set()),
        ("history of", set()),
        ("how do guitars play", {"play"}),
        ("how engines work", {"work"}),
        ("how to play guitar work", set()),
        ("how do guitars", set()),
        ("where guitar is learning", {"learning"}),
        ("guitars are built and play", {"built", "play"}),
        ("guitar is history books", set()),  # no predicate, but what something is called
        ("what is world", set()),
        ("红楼梦 的 人物 和 故事", {"人物", "故事"}),
        ("红楼梦 的 诗", set()),
        ("红楼梦 的 上海", set()),
        ("的 人物", set()),
        ("故事 和 红楼梦 的 人物 和 故事", {"人物"}),  # the subject has that word as well
        ("", set()),
    ],
)
def test_aspects_stand_beside_what_is_much_rarer(clause: str, aspects: set[str]) -> None:
    assert aspect_words(clause.split(), stops=STOPS, share=share) == aspects


def test_spared_words_are_no_aspects() -> None:
    assert aspect_words(["play", "the", "guitar"], stops=STOPS, share=share, spared={"play"}) == set()


@given(st.lists(st.sampled_from([*STOPS, *SHARES, "moss", "诗"]), max_size=20))
def test_aspects_of_any_words_are_common_and_leave_a_word(tokens: list[str]) -> None:
    found = aspect_words(tokens, stops=STOPS, share=share)
    assert found <= {word for word in tokens if word not in STOPS and share(word) >= COMMON_SHARE}
    words = {word for word in tokens if word not in STOPS}
    assert not found or words - found
