from __future__ import annotations

from pathlib import Path

from simulate_kit import write_files

from focuscrawl.lab.simulate.files import WebFiles
from focuscrawl.lab.simulate.links import LinkGraph, build_links, load_graph


def links_of(tmp_path: Path, files: dict[str, str | bytes]) -> dict[str, list[str]]:
    write_files(tmp_path, files)
    return build_links(WebFiles(tmp_path / "www"))


def test_links_in_order_once_each_by_identity_without_the_page_itself(tmp_path: Path) -> None:
    body = (
        '<a href="two">2</a><a href="/two.html#x">2 again</a><a href="/">self</a><a href="mailto:x@y">m</a>'
        '<a href="http://b.test/missing">gone</a><area href=" //b.test/ "><iframe src="three.html"></iframe>'
        '<frame src="/four"><a href="http://[bad">bad</a><link href="/five.html">'
    )
    names = ["two", "three", "four", "five"]
    found = links_of(
        tmp_path,
        {"a.test/index.html": body, "b.test/index.html": "x"} | {f"a.test/{n}.html": "x" for n in names},
    )
    assert found["a.test/index.html"] == [
        "a.test/two.html",
        "b.test/index.html",
        "a.test/three.html",
        "a.test/four.html",
    ]


def test_base_stray_end_tags_and_old_encodings(tmp_path: Path) -> None:
    found = links_of(
        tmp_path,
        {
            "a.test/deep/index.html": '<base href="/other/"><p></body></html><a href="x">x</a>',
            "a.test/gbk.html": '<p>国际象棋<a href="/中.html">中</a>'.encode("gb18030"),
            "a.test/other/x.html": "",
            "a.test/中.html": "<?xml version='1.0'?>",
        },
    )
    assert found["a.test/deep/index.html"] == ["a.test/other/x.html"]
    assert found["a.test/gbk.html"] == ["a.test/中.html"]
    assert found["a.test/other/x.html"] == []
    assert found["a.test/中.html"] == []


def test_other_files_are_targets_without_links_of_their_own(tmp_path: Path) -> None:
    found = links_of(
        tmp_path, {"a.test/index.html": '<a href="/feed.xml">f</a>', "a.test/feed.xml": '<a href="/">h</a>'}
    )
    graph = LinkGraph(found)
    assert list(found) == ["a.test/index.html"]
    assert graph.targets == [(1,), ()]
    assert graph.sources == [[], [0]]
    assert graph.pages[1] == "a.test/feed.xml"


def test_a_cached_graph_is_read_instead_of_the_pages(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.test/index.html": '<a href="/b">b</a>', "a.test/b.html": ""})
    files = WebFiles(tmp_path / "www")
    first = load_graph(tmp_path, files, cache=tmp_path / "cache")
    (tmp_path / "www/a.test/index.html").write_text("")
    again = load_graph(tmp_path, files, cache=tmp_path / "cache")
    assert (again.pages, again.targets) == (first.pages, first.targets)
    assert again.targets[again.index["a.test/index.html"]] == (again.index["a.test/b.html"],)
    assert load_graph(tmp_path, files).targets == [(), ()]
