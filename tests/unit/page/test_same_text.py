"""Fingerprints of all that a page says."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product
from string import ascii_lowercase

from focuscrawl.page.blank import blank_page
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.same_text import same_text_item


def page(path: str, *tokens: str) -> PageAnalysis:
    return replace(blank_page(f"http://a.example/{path}", encoding="utf-8", reason=""), tokens=tokens)


def test_the_words_of_the_address_do_not_count_in_whatever_order_they_stand() -> None:
    said = ("no", "page", "tea", "was", "found", "under", "house", "here")
    other = ("no", "page", "here", "was", "found", "cup", "under", "small")
    assert same_text_item(page("tea/house", *said)) == same_text_item(page("small-cup", *other))
    assert same_text_item(page("tea/house", *said)) != same_text_item(page("tea", *said))
    assert same_text_item(page("tea/house", "tea", "house", "no", "page")) == 0


def test_time_does_not_grow_with_the_words_of_the_address() -> None:
    path = "-".join(map("".join, product(ascii_lowercase, repeat=2)))
    tokens = tuple(f"{number:x}" for number in range(800_000, 1_400_000))
    start = time.process_time()
    assert same_text_item(page(path, *tokens))
    assert time.process_time() - start < 2.5  # a look through the text for each word took 5 s and more
