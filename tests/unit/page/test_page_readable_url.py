"""Addresses for people: decoded where that can be seen, and never another address."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.page.readable_url import readable_anchor, readable_url
from focuscrawl.page.urls import normalize_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/%E8%8C%B6?q=%E9%81%93#%E8%8C%B6", "https://a.example/茶?q=道#茶"),
        ("https://a.example/a%2Fb%3Fc%23d%25", "https://a.example/a%2Fb%3Fc%23d%25"),  # it would be another path
        ("https://a.example/%C3%28%ff", "https://a.example/%C3%28%ff"),
        ("https://a.example/%E2%80%AEgpj.exe", "https://a.example/%E2%80%AEgpj.exe"),  # turns what follows around
        ("https://a.example/%E8%8C%B6%20%E8%8C%B6", "https://a.example/茶%20茶"),
        ("https://a.example/100%", "https://a.example/100%"),
        ("https://xn--fiq228c.xn--fiqs8s:8080/x", "https://中文.中国:8080/x"),
        ("https://xn--pple-43d.example/", "https://xn--pple-43d.example/"),  # a Cyrillic а before pple
        ("https://xn--%00.example/", "https://xn--%00.example/"),
        ("no address %E8%8C%B6", "no address 茶"),
        ("http://[::1/%E8%8C%B6", "http://[::1/%E8%8C%B6"),
        ("http://xn--\u2100/%20", "http://xn--\u2100/%20"),
    ],
)
def test_addresses_for_people(url: str, shown: str) -> None:
    assert readable_url(url) == shown


@pytest.mark.parametrize(
    ("anchor", "shown"),
    [
        ("", ""),
        (" The  Ruy\nLopez ", "The Ruy Lopez"),
        ("a" * 120, "a" * 120),
        ("a" * 121, "a" * 119 + "…"),
        ("茶道 " * 60, "茶道 " * 39 + "茶道…"),
    ],
)
def test_texts_of_links_take_a_line(anchor: str, shown: str) -> None:
    assert readable_anchor(anchor) == shown
    assert len(shown) <= 120


@given(st.text(max_size=30), st.text(max_size=30))
def test_what_is_shown_is_the_same_address(path: str, query: str) -> None:
    url = normalize_url(f"http://host.example/{quote(path, errors='replace')}?q={quote(query, errors='replace')}", "")
    if url is not None:
        shown = readable_url(url)
        assert normalize_url(shown, shown) == url
        assert shown.isprintable()
