"""What is known of texts, one's own and those other workers have stored."""

from __future__ import annotations

import random

import pytest
from cpu_kit import cpu_limit

from focuscrawl.dedupe.exact import content_digest
from focuscrawl.dedupe.known import KnownTexts
from focuscrawl.dedupe.near import signature_of
from focuscrawl.records import PageEvent


def words(seed: int, count: int = 80) -> list[str]:
    rng = random.Random(seed)
    return [f"w{rng.randrange(5000)}" for _ in range(count)]


def check(texts: KnownTexts, key: int, text: list[str]) -> int | None:
    return texts.check(key, content_digest(" ".join(text)), lambda: text)


def hear(texts: KnownTexts, key: int, text: list[str]) -> None:
    texts.learn(stored(key, content_digest(" ".join(text)), signature_of(text)))


def stored(key: int, digest: str, signature: bytes | None) -> PageEvent:
    return PageEvent(url="http://e.org/", host="e.org", key=key, digest=digest, signature=signature)


def test_a_text_another_worker_has_stored_is_known() -> None:
    texts = KnownTexts()
    hear(texts, 1, words(1))
    assert check(texts, 2, words(1)) == 1
    assert check(texts, 3, [*words(1), "one", "more"]) == 1
    assert check(texts, 4, words(2)) is None
    texts.learn(stored(5, content_digest("short"), None))
    assert texts.check(6, content_digest(" SHORT "), list) == 5


def test_the_words_of_an_exact_duplicate_are_not_asked_for() -> None:
    texts = KnownTexts()
    texts.learn(stored(1, content_digest("a text"), None))

    def never() -> list[str]:
        raise AssertionError

    assert texts.check(2, content_digest("a text"), never) == 1


def test_a_text_of_which_less_is_a_pages_own_by_now_is_known_by_all_that_was_extracted() -> None:
    texts = KnownTexts()
    whole, less = content_digest("a text, and more"), content_digest("a text")
    assert texts.check(1, whole, list) is None
    assert texts.check(2, less, list, extracted=whole) == 1
    texts.forget(1)
    assert texts.check(3, whole, list) is None


def test_a_page_is_no_duplicate_of_itself() -> None:
    # Another worker stored it, and was killed before the frontier knew: the page is fetched again.
    texts = KnownTexts()
    hear(texts, 1, words(1))
    assert check(texts, 1, words(1)) is None
    assert check(texts, 1, words(2)) is None


def test_two_workers_that_store_the_same_text_at_once_both_keep_theirs() -> None:
    one, two, later = KnownTexts(), KnownTexts(), KnownTexts()
    assert check(one, 1, words(1)) is None
    assert check(two, 2, words(1)) is None
    hear(one, 2, words(1))
    hear(two, 1, words(1))
    for key, texts in ((1, one), (2, two)):
        assert check(texts, 3, words(1)) == key
        assert check(texts, 4, ["a", *words(1)]) == key
    hear(later, 2, words(1))
    hear(later, 1, words(1))
    assert check(later, 3, words(1)) == 2


def test_the_oldest_texts_of_others_are_forgotten_and_none_of_ones_own() -> None:
    texts = KnownTexts(max_others=3)
    assert check(texts, 1, words(1)) is None
    hear(texts, 1, words(1))
    for key in range(2, 7):
        hear(texts, key, words(key))
    assert len(texts.near) == 4
    assert check(texts, 9, words(2)) is None
    assert [check(texts, 10, words(seed)) for seed in (1, 4, 5, 6)] == [1, 4, 5, 6]


def test_a_signature_of_another_length_is_none() -> None:
    texts = KnownTexts()
    with pytest.raises(ValueError, match="256 bytes"):
        texts.learn(stored(1, "digest", b"abc"))
    assert texts.check(2, "digest", list) is None


def test_a_text_of_another_worker_that_was_forgotten_is_no_fault_when_its_turn_comes() -> None:
    texts = KnownTexts(max_others=2)
    hear(texts, 1, words(1))
    texts.forget(1)  # this worker visits the page again, which has changed
    assert check(texts, 1, words(11)) is None
    for key in (2, 3, 4):
        hear(texts, key, words(key))
    assert check(texts, 9, words(11)) == 1
    assert check(texts, 10, words(2)) is None


def test_a_page_is_forgotten_as_fast_among_many_as_among_few() -> None:
    # A round of visits forgets each page that has changed; looked for among all, 100,000 took 3 ms each.
    texts = KnownTexts()
    for key in range(100_000):
        texts.check(key, f"{key:x}", list)
    with cpu_limit(0.5):
        for key in range(5_000):
            texts.forget(key)
    assert texts.check(1, "0", list) is None
    assert texts.check(2, f"{6_000:x}", list) == 6_000
