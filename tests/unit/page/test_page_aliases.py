"""Other addresses of a page that it names itself."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from focuscrawl.page.aliases import aliases_of, keys_of
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


THREAD = """<h1>Locks</h1><div id="p7"><a href="{0}">#7</a><p>Oil it.</p></div>
<div id="msg8"><a href="{1}">#8</a><p>No, graphite.</p></div><p><a href="?t=3&amp;page=2#p7">2</a></p>"""


@pytest.mark.parametrize(
    ("address", "links"),
    [
        ("http://e.org/viewtopic.php?t=3", ["viewtopic.php?p=7#p7", "./viewtopic.php?t=3&p=8#msg8"]),
        ("http://e.org/index.php?topic=3.0", ["/index.php?topic=3.msg7#p7", "?topic=3.msg8#msg8"]),
        ("http://e.org/topic/locks-3/", ["?post=7#p7", "/topic/locks-3/?post=8#msg8 "]),
        ("http://e.org/topic/locks-3/", ["?post=7#post-id-7", "?comment=8#post-id-8"]),
    ],
)
def test_addresses_of_the_messages_of_a_page_are_other_addresses_of_it(address: str, links: list[str]) -> None:
    page = analyse(THREAD.format(*links).encode(), address, tokenizer=TOKENIZER)
    assert aliases_of(page, [], page.key) == sorted(keys_of(urljoin(address, link) for link in links))
    assert [link.anchor for link in page.links] == ["2"]


@pytest.mark.parametrize(
    "link",
    [
        "viewtopic.php?p=9#p9",  # no such message here
        "viewtopic.php?p=9#p7",  # an address of another one
        "viewtopic.php?p=17#p7",
        "viewtopic.php?p=7",
        "other.php?p=7#p7",
        "?page=7#p7",
        "?p=7#top",
    ],
)
def test_addresses_of_messages_of_other_pages_are_links(link: str) -> None:
    page = analyse(THREAD.format("#p7", link).encode(), "http://e.org/viewtopic.php?t=3", tokenizer=TOKENIZER)
    assert [one.anchor for one in page.links] == ["#8", "2"]
    assert aliases_of(page, [], page.key) == []
