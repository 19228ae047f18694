"""What stands before the first element, in time that is linear in the text."""

from __future__ import annotations

import pytest
from cpu_kit import cpu_limit
from page_kit import CharTokenizer

from focuscrawl.feeds.entries import feed_kind, parse_feed
from focuscrawl.page.analysis import analyse
from focuscrawl.page.decode import decode
from focuscrawl.page.prologue import read_prologue

URL = "http://tea.example/"


@pytest.mark.parametrize(
    ("text", "root", "end"),
    [
        ("<rss>", "rss", 0),
        (" \n<?xml version='1.0'?><!-- a > b --><feed xmlns=''>", "feed", 37),
        ("<!DOCTYPE html>\n<HTML lang=en>", "HTML", 16),
        ("<!DOCTYPE rss [<!ENTITY a '>'> ]  ><rdf:RDF>", "rdf:RDF", 35),
        ("<!-- --><!-- -->text<p>", "", 16),
        ("<!-- no end <rss>", "", 17),
        ("<!--><p>", "p", 5),
        ("<!DOCTYPE rss [ no end <rss>", "", 28),
        ("<?xml no end <rss>", "", 18),
        ("", "", 0),
    ],
)
def test_the_prologue_ends_at_the_first_element(text: str, root: str, end: int) -> None:
    assert read_prologue(text) == (root, end)


@pytest.mark.parametrize(
    "piece", ["<!-- -->", "<??>", "<!>", "<!-->", "<!a[]>", "<!a[", "<?", "<!--", " ", "<!DOCTYPE[]>"]
)
def test_a_row_of_comments_and_instructions_costs_linear_time(piece: str) -> None:
    page = (piece * 200_000 + "text").encode()
    with cpu_limit(2):
        assert feed_kind(page.decode()) == ""
        assert parse_feed(page, URL).reason
        analyse(page[:3000], URL, tokenizer=CharTokenizer())


def test_a_long_run_of_ascii_before_undecodable_bytes_costs_linear_time() -> None:
    with cpu_limit(2):
        assert decode(b"a" * 190_000 + b"\n\xff\xfe\xfd").damaged
