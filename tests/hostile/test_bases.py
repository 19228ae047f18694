"""A `<base>` from strangers: it moves links within the web, and nowhere else."""

from __future__ import annotations

import pytest

from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

PAGE = "http://lighthouse.example/a/page.html"


def links(base: str, *hrefs: str) -> list[str]:
    markup = "".join(f'<a href="{href}">lighthouse</a>' for href in hrefs)
    body = f'<html><head><base href="{base}"></head><body>{markup}'.encode()
    return [link.url for link in analyse(body, PAGE, tokenizer=make_tokenizer("words")).links]


@pytest.mark.parametrize(
    "base", ["file:///etc/", "javascript:alert(1)//", "data:text/html,", "ftp://other.example/", "http://[", "//", "\0"]
)
def test_a_base_that_is_no_web_address_counts_for_nothing(base: str) -> None:
    assert links(base, "b.html", "../c.html") == [
        "http://lighthouse.example/a/b.html",
        "http://lighthouse.example/c.html",
    ]


def test_user_and_password_of_a_base_are_left_out() -> None:
    assert links("http://user:secret@other.example/d/", "b.html") == ["http://other.example/d/b.html"]


def test_one_page_in_many_spellings_is_one_entry() -> None:
    spellings = ("b.html", "./b.html", "x/../b.html", "b%2ehtml", "http://OTHER.example:80/b.html#top", "/b.html")
    assert links("http://other.example/", *spellings) == ["http://other.example/b.html"]
