"""Other addresses of a page that it names itself."""

from __future__ import annotations

import pytest

from focuscrawl.page.aliases import aliases_of
from focuscrawl.page.analysis import analyse
from focuscrawl.page.urls import url_key
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("words")


@pytest.mark.parametrize(
    ("address", "canonical", "believed"),
    [
        ("http://e.org/lock/", "./index.html", True),
        ("http://e.org/lock/index.php", "https://www.e.org/lock/", True),
        ("http://e.org/lock/Default.aspx", "/lock/", True),
        ("http://e.org/lock?ref=1", "http://e.org/lock", True),
        ("http://e.org/lock/", "http://e.org/", False),
        ("http://e.org/page/2/", "/page/1/index.html", False),
        ("http://e.org/index.htm", "http://other.example/", False),
    ],
)
def test_a_canonical_address_is_believed_where_it_is_plainly_the_page(
    address: str, canonical: str, believed: bool
) -> None:
    page = analyse(f'<link rel="canonical" href="{canonical}"><p>text</p>'.encode(), address, tokenizer=TOKENIZER)
    assert (aliases_of(page, [], page.key) == [url_key(page.canonical)]) is believed
