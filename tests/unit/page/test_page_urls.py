from __future__ import annotations

import re
from urllib.parse import urlsplit

import ada_url
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focuscrawl.page.urls import UrlJoiner, host_of, normalize_url, registered_domain, url_key, url_tokens, url_words
from focuscrawl.types import digest64

# ------------------------------------------------------------------ normal form


@pytest.mark.parametrize(
    ("base", "raw", "encoding", "expected"),
    [
        # the table of docs/formulas.md A.3
        ("http://Example.COM:80/a/b.html", "../c/./d.html#top", "utf-8", "http://example.com/c/d.html"),
        ("http://e.com/x/", "?q=1&utm_source=z", "utf-8", "http://e.com/x/?q=1"),
        ("http://e.com/", "/s?w=中", "gbk", "http://e.com/s?w=%D6%D0"),
        ("http://e.com/", "/中/?w=中", "utf-8", "http://e.com/%E4%B8%AD/?w=%E4%B8%AD"),
        ("http://e.com/a;jsessionid=AB12/b", "%7euser/", "utf-8", "http://e.com/a/~user/"),
        ("https://e.com", "//f.org:443/p", "utf-8", "https://f.org/p"),
        # its steps, one by one
        ("http://e.com/a/", " \n x\ty\r.html ", "utf-8", "http://e.com/a/xy.html"),
        ("http://e.com/a/", "..\\b\\c.html", "utf-8", "http://e.com/b/c.html"),
        ("http://e.com/a/", "http:\\\\f.org\\x", "utf-8", "http://f.org/x"),
        ("http://e.com/a/", "http:x", "utf-8", "http://e.com/a/x"),
        ("http://e.com/", "HTTP://User:Pass@E.Com.:80", "utf-8", "http://e.com/"),
        ("http://e.com/", "https://中国.example/", "utf-8", "https://xn--fiqs8s.example/"),
        ("http://e.com/", "/%e4%b8%ad%2f%41", "utf-8", "http://e.com/%E4%B8%AD%2FA"),
        ("http://e.com/", "/a/%2e%2E/b", "utf-8", "http://e.com/b"),
        ("http://e.com/", "/a;JSESSIONID=1?x", "utf-8", "http://e.com/a?x"),
        ("http://e.com/", "/a?", "utf-8", "http://e.com/a"),
        ("http://e.com/", "/a?utm_x=1&b=2&gclid=3&a=1&fbclid=&spm=9&PHPSESSID=7", "utf-8", "http://e.com/a?b=2&a=1"),
        ("http://e.com/", "/a?sid=12", "utf-8", "http://e.com/a?sid=12"),
        ("http://e.com/", "/a?sid=0123456789abcdefAB", "utf-8", "http://e.com/a"),
        ("http://e.com/pub/", "?C=M;O=A", "utf-8", "http://e.com/pub/"),
        ("http://e.com/pub/", "?C=N&O=D", "utf-8", "http://e.com/pub/"),
        ("http://e.com/pub/", "?C=M;O=A;q=1", "utf-8", "http://e.com/pub/?C=M;O=A;q=1"),
        ("http://e.com/", "/a#!b", "utf-8", "http://e.com/a"),
        ("http://e.com/q?a=1#f", "", "utf-8", "http://e.com/q?a=1"),
        ("http://e.com/q?a=1", "#f", "utf-8", "http://e.com/q?a=1"),
        ("http://e.com/", "/s?w=亅丂丣", "gbk", "http://e.com/s?w=%81|%81@%81J"),  # bytes below 0x80 stay
        ("http://e.com/", "/s?w=\U0001f600", "gbk", "http://e.com/s?w=%26%23128512%3B"),
        ("http://e.com/", "/s?w=中", "no-such-encoding", "http://e.com/s?w=%E4%B8%AD"),
        ("http://e.com/", "/s?w=中", "utf-16-le", "http://e.com/s?w=%E4%B8%AD"),
        ("not a base", "http://e.com/x", "utf-8", "http://e.com/x"),
    ],
)
def test_normal_form(base: str, raw: str, encoding: str, expected: str) -> None:
    assert normalize_url(raw, base, encoding) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "javascript:alert(1)",
        " Java\nScript:alert(1)",
        "mailto:a@e.com",
        "tel:1",
        "data:text/html,x",
        "ftp://e.com/",
        "file:///etc/passwd",
        "view-source:http://e.com/",
        "http://[broken/",
        "http://ex ample/",
        "http://./",
        "/" + "x" * 2083,
        "/a/b/a/c/a/d/a/",
        "/" + "/".join(str(n) for n in range(21)),
    ],
)
def test_refused(raw: str) -> None:
    assert normalize_url(raw, "http://e.com/a/b") is None


def test_relative_without_base_is_refused() -> None:
    assert normalize_url("a/b", "mailto:x") is None
    assert normalize_url("/a/b", "") is None


def test_depth_and_repeats_at_the_limit_pass() -> None:
    assert normalize_url("/" + "/".join(str(n) for n in range(20)), "http://e.com/") is not None
    assert normalize_url("/a/b/a/c/a/", "http://e.com/") == "http://e.com/a/b/a/c/a/"


def test_fragments_order_of_parameters_slashes_and_schemes() -> None:
    assert normalize_url("/a#!b", "http://e.com/") == "http://e.com/a"
    assert normalize_url("/a?c=2&b=1", "http://e.com/") == "http://e.com/a?c=2&b=1"
    assert normalize_url("/a//b", "http://e.com/") == "http://e.com/a//b"
    assert normalize_url("ftp://e.com/x", "http://e.com/") is None


_PIECES = (
    "/ .. . % %2e %6 31 %%36%31 ;jsessionid=x ? & utm_a=1 sid=0123456789abcdef # #! @ :80 :443 \\ 中 é %D6%D0 a B ~ // "
    "e.com. http: | '"
)
_pieces = st.sampled_from([*_PIECES.split(), "\t", " "])
_raw_urls = st.one_of(
    st.lists(_pieces, max_size=12).map("".join),
    st.lists(_pieces, max_size=10).map(lambda pieces: "http://e.com/" + "".join(pieces)),
    st.lists(_pieces, max_size=8).map(lambda pieces: "http://" + "".join(pieces)),
    st.text(max_size=40),
)
_bases = st.sampled_from(["http://e.com/a/b.html?x=1", "https://中.example:8443/x/", "http://u:p@e.com"])


@given(_raw_urls, _bases, st.sampled_from(["utf-8", "gb18030", "big5", "shift_jis"]))
@example("/%6%31", "http://e.com/", "utf-8")
@example("/%2%65%2%65/x", "http://e.com/a/b/", "utf-8")
@example("/.;jsessionid=1./x", "http://e.com/a/", "utf-8")
@settings(max_examples=400, deadline=None)
def test_normal_form_is_idempotent_and_safe(raw: str, base: str, encoding: str) -> None:
    url = normalize_url(raw, base, encoding)
    if url is None:
        return
    assert normalize_url(url, url) == url
    assert normalize_url(url, base, encoding) == url
    assert url.isascii()
    parts = urlsplit(url)
    assert parts.scheme in ("http", "https")
    assert "@" not in parts.netloc
    assert parts.netloc == parts.netloc.lower()
    assert parts.path.startswith("/")
    assert not parts.fragment
    assert len(url) <= 2083


_path_pieces = st.sampled_from(
    ["../", "./", "..", ".", "a", "b.html", "~x", "-", "/", "//", "%41", "#f", "1/", "é", ";y"]
)


@given(
    st.lists(_path_pieces, max_size=8).map("".join),
    st.sampled_from(["http://e.com/", "http://e.com/a/b/c.html", "http://e.com/a//b/", "https://e.com:81/x/;y/%7Eb/"]),
)
@settings(max_examples=400, deadline=None)
def test_relative_paths_give_what_the_url_rules_give(raw: str, base: str) -> None:
    try:
        joined = ada_url.join_url(base, raw)
    except ValueError:  # "//" alone names no host
        assert UrlJoiner(base)(raw) is None
    else:
        assert UrlJoiner(base)(raw) == normalize_url(joined, joined)


@given(_raw_urls, st.sampled_from(["http://e.com/a/b.html?x=1", "https://e.com:8443/x/;y/z"]))
@settings(max_examples=200, deadline=None)
def test_cached_directory_gives_what_the_whole_base_gives(raw: str, base: str) -> None:
    # The joiner keys its cache by the base's directory or origin: that must never change a result.
    joined = UrlJoiner(base)(raw)
    directory = base.partition("?")[0].rpartition("/")[0] + "/"
    # "http:" and "http:?x" are relative to the whole document when the scheme is the same
    href = raw.strip("".join(map(chr, range(0x21))))
    if href[:1] not in ("", "?", "#") and not re.match("https?:(?!//)", href, re.IGNORECASE):
        assert UrlJoiner(directory)(raw) == joined


# ---------------------------------------------------------------- keys and hosts


def test_a_base_of_many_directories_is_joined_by_the_parser() -> None:
    """Written down one by one, the directories of a long base would take memory with the square of its length."""
    base = "http://a.org/" + "".join(f"d{number}/" for number in range(60))
    assert normalize_url("../" * 58 + "page", base) == "http://a.org/d0/d1/page"
    assert normalize_url("../" * 90 + "page", base) == "http://a.org/page"
    assert UrlJoiner("http://a.org/" + "a/" * 20_000)._above == ()


def test_key_is_the_shared_digest() -> None:
    assert url_key("http://e.com/") == digest64("http://e.com/")
    assert 0 <= url_key("http://e.com/x") < 2**64


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://e.com/a", "e.com"),
        ("http://E.com:80/a", "e.com"),
        ("https://e.com:80?x", "e.com:80"),
        ("https://u:p@e.com:443", "e.com"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("no url", ""),
    ],
)
def test_host(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.com", "example.com"),
        ("a.b.example.co.uk:8080", "example.co.uk"),
        ("news.example.com.cn", "example.com.cn"),
        ("ann.github.io", "ann.github.io"),
        ("192.0.2.7:81", "192.0.2.7"),
        ("[2001:db8::1]:81", "[2001:db8::1]:81"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_registered_domain(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


# ------------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://e.com/sports/basketball/index.html", "e com sports basketball"),
        ("http://e.com/wp-login.php.html?next=a.HTML#top.php", "e com wp login next a top"),
        ("http://e.com/index/asp.net/node.js", "e com index asp net node js"),
        ("http://html.e.com/php", "html e com php"),
        ("http://e.com/newsOf2024_a-b", "e com news of 2024 a b"),
        ("http://e.com/NBAScores", "e com nbascores"),
        ("http://e.com/fooBAR", "e com foo bar"),
        ("http://e.com/%E4%B8%AD%E5%9B%BD1", "e com 中国 1"),
        ("http://e.com/%D6%D0%B9%FA", "e com 中国"),
        ("http://e.com/%FF%FE%FF", "e com"),
        ("http://e.com/caf%C3%A9Bar", "e com cafébar"),
        ("/i/redKite.jpg", "i red kite jpg"),
        ("", ""),
    ],
)
def test_url_tokens(url: str, words: str) -> None:
    assert url_tokens(url) == tuple(words.split())


def test_url_tokens_go_through_the_tokenizer() -> None:
    class Doubling:
        name = "doubling"

        def tokens(self, text: str) -> list[str]:
            return [word * 2 for word in text.split()]

        def chunks(self, chunks: list[str]) -> list[list[str]]:
            raise AssertionError

    assert url_tokens("http://e.com/aB", Doubling()) == ("ee", "comcom", "aa", "bb")


def test_languages_that_end_with_signs_are_words_of_addresses() -> None:
    assert url_words("http://a.org/tags/c%2B%2B/C%23") == "a org tags cplusplus csharp"
    assert url_words("http://a.org/c++/vitaminC") == "a org cplusplus vitamin c"
