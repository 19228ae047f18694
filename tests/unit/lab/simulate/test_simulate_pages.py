from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from simulate_kit import make_web

from focuscrawl.lab.simulate import codec
from focuscrawl.lab.simulate.files import WebFiles
from focuscrawl.lab.simulate.pages import AnalysedPages
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer

RICH = """<!doctype html><html lang="zh"><head><title>国际象棋 chess</title><link rel="canonical" href="/a">
<link rel="alternate" type="application/rss+xml" href="/feed.xml" title="新闻"><meta name="description" content="棋谱">
</head><body><h1>国际象棋</h1><p>后翼弃兵是<a href="/b" rel="nofollow" title="开局">一种开局</a>，白方先走。</p>
<ul><li><a href="/c"><img src="x.png" alt="残局"></a></li><li><a href="/b">开局</a></li></ul></body></html>"""


def analysis(body: str = RICH) -> PageAnalysis:
    return analyse(
        body.encode(), "http://a.test/", content_type="text/html; charset=utf-8", tokenizer=make_tokenizer("zh")
    )


@pytest.mark.parametrize("body", [RICH, "", "<p>only text, no links</p>"])
def test_an_analysis_survives_packing_all_but_its_tree(body: str) -> None:
    page = analysis(body)
    again = codec.unpack(codec.pack(page))
    assert again == page  # the tree is no part of equality
    assert again.tree is None
    assert again.kind is page.kind


def test_equal_words_and_paths_are_one_object() -> None:
    paths: codec.Paths = {}
    first, second = (codec.unpack(codec.pack(analysis()), paths) for _ in range(2))
    links = first.links
    assert len(links) > 1
    assert links[0].dom_path is second.links[0].dom_path
    word = first.title_tokens[0]
    assert any(word is other for other in second.tokens)


@pytest.fixture
def files(tmp_path: Path) -> WebFiles:
    return WebFiles(make_web(tmp_path / "tiny") / "www")


def test_a_page_is_analysed_once(files: WebFiles) -> None:
    pages = AnalysedPages(files, make_tokenizer("en"))
    answer = files.answer("http://club.test/")
    assert pages.get(answer) is pages.get(answer)
    assert (pages.analysed, pages.loaded) == (1, 0)


def test_another_process_reads_what_one_has_analysed(files: WebFiles, tmp_path: Path) -> None:
    answer = files.answer("http://club.test/archive/")
    with_cache = AnalysedPages(files, make_tokenizer("en"), cache=tmp_path / "cache")
    page = with_cache.get(answer)
    with_cache.close()
    with_cache.close()
    later = AnalysedPages(files, make_tokenizer("en"), cache=tmp_path / "cache")
    assert later.get(answer) == page
    assert (later.analysed, later.loaded) == (0, 1)
    later.close()
    other_words = AnalysedPages(files, make_tokenizer("en", name="ngram"), cache=tmp_path / "cache")
    other_words.get(answer)
    assert other_words.analysed == 1
    other_words.close()


def test_a_change_of_the_analysing_code_empties_the_cache_unless_pinned(
    files: WebFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = files.answer("http://club.test/")

    def analysed(mark: str, pin: str) -> int:
        monkeypatch.setattr("focuscrawl.lab.simulate.pages.analysing_mark", lambda: mark)
        pages = AnalysedPages(files, make_tokenizer("en"), cache=tmp_path / "cache", pin=pin)
        pages.get(answer)
        pages.close()
        return pages.analysed

    assert [analysed("old", ""), analysed("old", ""), analysed("new", "")] == [1, 0, 1]
    assert [analysed("old", "p"), analysed("new", "p")] == [1, 0]


def test_memory_keeps_the_pages_used_last(files: WebFiles) -> None:
    pages = AnalysedPages(files, make_tokenizer("en"), memory_pages=2)
    a, b, c = (files.answer(f"http://kitchen.test/dish/{n}") for n in range(3))
    for answer in (a, b, a, c, a):
        pages.get(answer)
    assert pages.analysed == 3
    pages.get(b)
    assert pages.analysed == 4


def test_pages_are_kept_by_the_url_they_were_answered_at(files: WebFiles) -> None:
    pages = AnalysedPages(files, make_tokenizer("en"))
    plain, queried = files.answer("http://club.test/about"), files.answer("http://club.test/about?print=1")
    assert pages.get(plain).key != pages.get(queried).key
    assert replace(plain, url=queried.url) == queried
