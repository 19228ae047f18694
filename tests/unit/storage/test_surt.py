"""Keys of addresses in indexes of archives: those of the package surt 0.3.1, which pywb looks them up by."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focuscrawl.storage.surt import surt


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://example.org/articles/tea/", "org,example)/articles/tea"),
        ("http://WWW2.example.org:80/", "org,example)/"),
        ("https://example.org:80/", "org,example:80)/"),
        ("http://example.org/x//y/", "org,example)/x/y"),
        ("http://example.org/a/../b/./c/", "org,example)/b/c"),
        ("http://example.org/..", "org,example)/.."),
        ("http://example.org/%7Euser/", "org,example)/~user"),
        ("http://example.org/a%2520b", "org,example)/a%20b"),
        ("http://example.org/%23x", "org,example)/%23x"),
        ("http://example.org/?", "org,example)/"),
        ("http://example.org/?b=2&a=1&a", "org,example)/?a&a=1&b=2"),
        ("http://user:p@example.org/", "org,example)/"),
        ("http://example.org./X;jsessionid=1?y", "org,example)/x;jsessionid=1?y"),
        (f"http://example.org/x?PHPSESSID={'a' * 32}&q=1", "org,example)/x?q=1"),
        (f"http://example.org/(a({'a' * 24}))/x.aspx", "org,example)/x.aspx"),
        ("http://example.org/?q=1&CFID=7&CFTOKEN=9f&r=2", "org,example)/?q=1&r=2"),
        ("http://example.org/?cfid=cfid=7&cftoken=9&r", "org,example)/?cfid=r"),
        ("http://例子.com/路径?查=询", "com,xn--fsqu00a)/%e8%b7%af%e5%be%84?%e6%9f%a5=%e8%af%a2"),
        ("http://1.2.3.4/x", "4,3,2,1)/x"),
        ("http://a.www.example.org/", "org,example,www,a)/"),
    ],
)
def test_keys_are_those_that_replay_programs_make(url: str, key: str) -> None:
    assert surt(url) == key


_SESSION = "/(aaaaaaaaaaaaaaaaaaaaaaaa)/"
_NESTED = "/(a(aaaaaaaaaaaaaaaaaaaaaaaa)b(aaaaaaaaaaaaaaaaaaaaaaaa))/"


_PIECES = (_SESSION, _NESTED, _SESSION[1:], _NESTED[1:], "/", "x", "x.aspx", ".aspx", "%3F", "\n", "(")


@example([_SESSION, "x.aspx", "%3F", _SESSION, "y.aspx"])  # the last of two names before a page goes
@example([_SESSION, "x.aspx", "%3F/", _SESSION, "y"])  # the last one stands before no page
@example([_SESSION, "x", "%3F", ".aspx"])  # a question mark stands between
@example([_SESSION, ".aspx"])  # the page has no name
@given(st.lists(st.sampled_from(_PIECES), min_size=2, max_size=6))
def test_sessions_leave_a_path_as_by_the_patterns_of_the_package_surt(pieces: list[str]) -> None:
    """Its patterns are the reference: they read on to ``.aspx`` from each of many names, but mean the same."""
    path = re.sub("/+", "/", "".join(["/", *pieces, "end"])).replace("%3F", "?")
    expected = path
    for name in (r"\((?:[a-z]\([0-9a-z]{24}\))+\)", r"\([0-9a-z]{24}\)"):
        expected = re.sub(rf"^(.*/)(?:{name}/)([^?]+\.aspx.*)$", r"\1\2", expected, flags=re.DOTALL)
    url = "http://a.example" + path.replace("?", "%3F").replace("\n", "%0A")
    assert surt(url) == "example,a)" + expected.replace("\n", "%0a")
