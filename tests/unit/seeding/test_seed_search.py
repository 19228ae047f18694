"""Metasearch: queries of a topic, engines behind their protocol, lists merged by rank."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from http.server import ThreadingHTTPServer
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answering, address, serving

from focuscrawl.errors import ConfigError
from focuscrawl.seeding.candidates import Candidate, fused, limited_by_site
from focuscrawl.seeding.queries import queries_of
from focuscrawl.seeding.search import PublicEngines, SearchEngine, SearchError, SearxngEngine, metasearch
from focuscrawl.topic.spec import TopicSpec


class Searxng(ThreadingHTTPServer):
    """A server that answers as docs.searxng.org says; `answer` is status, content type and body."""

    answer: tuple[int, str, bytes]
    asked: list[dict[str, list[str]]]


class _Handler(Answering):
    server: Searxng

    def do_GET(self) -> None:
        self.server.asked.append(parse_qs(urlsplit(self.path).query))
        self.answer(*self.server.answer)


@pytest.fixture
def server() -> Iterator[Searxng]:
    with serving(Searxng(("127.0.0.1", 0), _Handler)) as running:
        running.asked = []
        yield running


def answered(rows: Sequence[object], **more: object) -> tuple[int, str, bytes]:
    return 200, "application/json", json.dumps({"query": "q", "results": rows, **more}).encode()


def test_results_of_a_server_are_candidates(server: Searxng) -> None:
    server.answer = answered(
        [
            {"url": "http://a.example/茶", "title": " 绿茶\n", "content": "龙井", "engine": "bing", "score": 2.0},
            {"url": "javascript:alert(1)", "title": "no"},
            {"title": "no address"},
            "no object",
        ]
    )
    found = SearxngEngine(address(server) + "/").search("绿茶", language="zh-CN", most=10)
    assert [(one.url, one.title, one.snippet) for one in found] == [("http://a.example/%E8%8C%B6", "绿茶", "龙井")]
    assert server.asked == [{"q": ["绿茶"], "format": ["json"], "safesearch": ["0"], "language": ["zh-CN"]}]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((403, "text/html", b"no"), 'enable the format "json"'),
        ((429, "text/html", b"slow down"), "too many requests"),
        ((500, "text/html", b""), "HTTP 500"),
        ((200, "text/html", b"<html>Are you human? captcha</html>"), "no JSON, perhaps a captcha"),
        ((200, "application/json", b"[1]"), "JSON of another kind"),
        ((200, "application/json", b" " * (4 * 1024 * 1024 + 1)), "more than 4 MB"),
        (answered([], unresponsive_engines=[["google", "CAPTCHA"]]), r"no engine answered \(google CAPTCHA\)"),
    ],
)
def test_what_is_no_answer_is_one_sentence(server: Searxng, answer: tuple[int, str, bytes], told: str) -> None:
    server.answer = answer
    with pytest.raises(SearchError, match=told) as caught:
        SearxngEngine(address(server)).search("tea", language="auto", most=10)
    assert "\n" not in str(caught.value)


def test_an_engine_that_is_not_there(server: Searxng) -> None:
    server.shutdown()
    server.server_close()
    with pytest.raises(SearchError, match="no answer"):
        SearxngEngine(address(server)).search("tea", language="auto", most=10)


@pytest.mark.parametrize("host", ["http://127.0.0.1:1/搜", f"http://{'a' * 70}.example"])
def test_an_address_that_cannot_be_asked_is_a_query_without_an_answer(host: str) -> None:
    with pytest.raises(SearchError, match="no answer"):
        SearxngEngine(host).search("tea", language="auto", most=10)


@pytest.mark.parametrize(
    "wrong", ["", "localhost:8080", "ftp://x.example", "file:///etc/passwd", "http://[::1", "http://127.0.0.1:80800"]
)
def test_an_address_that_is_none(wrong: str) -> None:
    with pytest.raises(ConfigError, match="expected the http or https address"):
        SearxngEngine(wrong)


@pytest.mark.parametrize(
    ("spec", "queries"),
    [
        (
            TopicSpec(
                name="t", title="茶", terms={"绿茶": 1.0, "红茶": 0.9, "龙井": 0.8}, synonyms={"绿茶": ("green tea",)}
            ),
            ["茶", "绿茶 红茶", "green tea", "绿茶 龙井", "绿茶", "红茶"],
        ),
        (
            TopicSpec(name="t", title="网络爬虫 · Web crawling", terms={"爬虫": 1.0, "crawler": 0.9}),
            ["网络爬虫", "Web crawling", "爬虫", "crawler"],
        ),
        (TopicSpec(name="tea-pots", samples={"relevant_text": ("text",)}), ["tea pots"]),
    ],
)
def test_queries_of_a_topic(spec: TopicSpec, queries: list[str]) -> None:
    assert queries_of(spec) == queries


def some(*urls: str) -> list[Candidate]:
    return [Candidate(url) for url in urls]


def test_lists_are_merged_by_rank() -> None:
    """Worked: b has 1/62 + 1/61, a 1/61, c 1/62, so b, a, c."""
    merged = fused([some("http://a/", "http://b/"), some("http://b/", "http://c/")])
    assert [one.url for one in merged] == ["http://b/", "http://a/", "http://c/"]


NUMBERS = st.lists(st.lists(st.integers(0, 9), unique=True), max_size=5)


@given(NUMBERS)
def test_merging_keeps_each_once_and_agrees_with_sums(lists: list[list[int]]) -> None:
    merged = [int(one.url[9:-1]) for one in fused([some(*(f"http://h/{n}/" for n in part)) for part in lists])]
    assert sorted(merged) == sorted({n for part in lists for n in part})
    value = {n: sum(1.0 / (61 + part.index(n)) for part in lists if n in part) for n in merged}
    assert all(value[a] >= value[b] - 1e-12 for a, b in pairwise(merged))


def test_no_site_has_more_than_its_share() -> None:
    found = limited_by_site(some("http://www.a.com/1", "http://a.com/2", "http://b.com/1", "http://x.a.com/3"), 2)
    assert [one.url for one in found] == ["http://www.a.com/1", "http://a.com/2", "http://b.com/1"]


@pytest.mark.parametrize("names", ["wikipaedia", "mojeek,wikipaedia", "mojeek, "])
def test_an_engine_that_does_not_exist_is_refused_before_others_are_asked(names: str) -> None:
    pytest.importorskip("ddgs", reason="the extra search is not installed")
    with pytest.raises(ConfigError, match=r"--engines: there is no engine .*; known: auto, .*mojeek") as raised:
        PublicEngines(names)
    assert ('Did you mean "wikipedia"?' in str(raised.value)) is ("wikipaedia" in names)
    PublicEngines("mojeek, wikipedia")
    PublicEngines()


class _Scripted(SearchEngine):
    def search(self, query: str, *, language: str, most: int) -> list[Candidate]:
        if query == "bad":
            raise SearchError("engine: too many requests.")
        return some(f"http://{query}.com/", "http://both.com/")[:most]


def test_a_query_without_an_answer_is_told_and_the_others_count() -> None:
    found = metasearch(_Scripted(), ["one", "bad", "two"], most=2)
    assert found.faults == ["engine: too many requests."]
    assert [one.url for one in found.candidates] == ["http://both.com/", "http://one.com/"]
