"""Addresses out of bookmarks, OPML, sitemaps and lists, as browsers and sites write them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import FocusCrawlError
from focuscrawl.seeding.imports import SeedFileError, read_candidates
from focuscrawl.seeding.judging import judged
from focuscrawl.seeding.lists import plain_list
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec

NETSCAPE = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1">茶</H3>
    <DL><p>
        <DT><A HREF="http://chayou.example/" ADD_DATE="1">茶友之家</A>
        <DD>论坛
        <DT><H3>Green</H3>
        <DL><p>
            <DT><A HREF="https://green.example/sencha">Sencha &amp; more</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="javascript:alert(1)">no</A>
    <DT><A HREF="http://top.example/">Top</A>
</DL><p>
"""
CHROME = {
    "checksum": "0",
    "roots": {
        "bookmark_bar": {
            "children": [
                {
                    "type": "folder",
                    "name": "Tea",
                    "children": [{"type": "url", "name": "A", "url": "http://a.example/"}],
                },
                {"type": "url", "name": "settings", "url": "chrome://settings/"},
            ],
            "name": "Bar",
            "type": "folder",
        },
        "sync_transaction_version": "1",
    },
    "version": 1,
}
FIREFOX = {
    "title": "",
    "type": "text/x-moz-place-container",
    "children": [
        {
            "title": "menu",
            "type": "text/x-moz-place-container",
            "children": [{"title": "乙", "type": "text/x-moz-place", "uri": "http://b.example/x"}],
        }
    ],
}
OPML = """<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0"><head><title>feeds</title></head><body><outline text="Tea">
<outline type="rss" text="Leaf" xmlUrl="http://leaf.example/feed" htmlUrl="http://leaf.example/"/>
<outline type="rss" text="Cup" xmlUrl="http://cup.example/rss"/></outline></body></opml>"""
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> http://a.example/1 </loc><lastmod>2026-01-01</lastmod></url>
<url><loc>http://a.example/2</loc></url><url><loc>ftp://a.example/3</loc></url></urlset>"""
INDEX = """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://a.example/s1.xml</loc></sitemap></sitemapindex>"""


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "given"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "kind", "found"),
    [
        (
            NETSCAPE,
            "Netscape bookmarks",
            [
                ("http://chayou.example/", "茶友之家", "茶"),
                ("https://green.example/sencha", "Sencha & more", "茶 / Green"),
                ("http://top.example/", "Top", "bookmarks"),
            ],
        ),
        (json.dumps(CHROME), "Chrome bookmarks", [("http://a.example/", "A", "Bar / Tea")]),
        (json.dumps(FIREFOX), "Firefox bookmarks", [("http://b.example/x", "乙", "menu")]),
        (OPML, "OPML", [("http://leaf.example/", "Leaf", "Tea"), ("http://cup.example/rss", "Cup", "Tea")]),
        (SITEMAP, "sitemap", [("http://a.example/1", "", "sitemap"), ("http://a.example/2", "", "sitemap")]),
        (INDEX, "sitemap", [("http://a.example/s1.xml", "", "sitemap index")]),
        (
            "see http://a.example/x, and [tea](http://b.example/t).\n# http://c.example/\n\nhttp://a.example/x\n",
            "list",
            [
                ("http://a.example/x", "", "list"),
                ("http://b.example/t", "tea", "list"),
                ("http://c.example/", "", "list"),
            ],
        ),
        (
            "我们在这里参见http://a.example/茶。还有一个地方是（http://b.example/），大家都说不错。".encode("gb18030"),
            "list",
            None,
        ),
    ],
)
def test_what_a_file_is_is_told_by_what_is_in_it(
    content: str | bytes, kind: str, found: list[tuple[str, str, str]] | None, tmp_path: Path
) -> None:
    read = read_candidates(written(tmp_path, content))
    assert read.kind == kind
    if found is None:
        assert len(read.candidates) == 2
        assert read.candidates[0].url.startswith("http://a.example/%E8%8C%B6")
    else:
        assert [(one.url, one.title, one.source) for one in read.candidates] == found


def test_half_an_emoji_in_a_title_or_a_folder_is_a_replacement_character(tmp_path: Path) -> None:
    path = tmp_path / "Bookmarks"
    link = r'{"name": "Oolong \ud83c", "url": "http://tea.example/"}'
    path.write_text(rf'{{"roots": {{"bar": {{"name": "\ud83d", "children": [{link}]}}}}}}', encoding="ascii")
    (found,) = read_candidates(path).candidates
    assert (found.title, found.source) == ("Oolong \ufffd", "\ufffd")
    spec = TopicSpec(name="tea", terms={"oolong": 1.0})
    topic = fit_topic(spec)
    assert [one.reason for one in judged([found], topic, make_judge(topic, spec))] == ["oolong"]


def test_a_packed_sitemap_is_the_same(tmp_path: Path) -> None:
    assert len(read_candidates(written(tmp_path, gzip.compress(SITEMAP.encode(), mtime=0))).candidates) == 2


def test_a_note_below_a_bookmark_is_kept(tmp_path: Path) -> None:
    assert read_candidates(written(tmp_path, NETSCAPE)).candidates[0].snippet == "论坛"


@pytest.mark.parametrize("end", ["\n", "<DD>a note\n", "</DT>\n"])
def test_a_folder_has_as_many_bookmarks_as_it_has(end: str, tmp_path: Path) -> None:
    items = "".join(f'<DT><A HREF="http://a.example/{n}">Tea {n}</A>{end}' for n in range(600))
    head = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>Tea</H3>\n<DL><p>\n"
    after = '</DL><p>\n<DT><A HREF="http://b.example/">Top</A>\n</DL>'
    read = read_candidates(written(tmp_path, head + items + after)).candidates
    assert [one.title for one in read] == [*(f"Tea {n}" for n in range(600)), "Top"]
    assert {one.source for one in read[:-1]} == {"Tea"}
    assert read[-1].source == "bookmarks"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no http or https address in it"),
        (b"mozLz40\0\x01", "compressed copy of Firefox"),
        (b"\x1f\x8b\x08\x00", "damaged gzip file"),
        (gzip.compress(b"\0" * (65 << 20), mtime=0), "unpacks to more than 64 MB"),
        (b'{"roots": ', "cannot be read as such"),
        (b"[" * 100, "no http or https address"),
        (b"<?xml version='1.0'?><rss/>", "OPML or a sitemap was expected"),
        (b"<html><body>nothing", "no http or https address"),
        (b'{"roots": {"x": {"children": [3, null, {"url": 7}]}}}', "no http or https address"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(content: bytes, told: str, tmp_path: Path) -> None:
    with pytest.raises(SeedFileError, match=told) as caught:
        read_candidates(written(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_entities_of_a_stranger_are_not_expanded(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("http://secret.example/")
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY f SYSTEM "file://{tmp_path}/secret">]>'
        "<urlset><url><loc>&f;</loc></url><url><loc>http://a.example/</loc></url></urlset>"
    )
    assert [one.url for one in read_candidates(written(tmp_path, bomb)).candidates] == ["http://a.example/"]


def test_a_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(FocusCrawlError, match=r"is a directory|there is no such file"):
            read_candidates(path)


def test_prose_gives_its_addresses_of_the_web() -> None:
    text = "see http://a.example/b, ftp://a.example and [it](https://a.example)"
    assert [found.url for found in plain_list(text)[0]] == ["http://a.example/b", "https://a.example/"]


def test_lines_that_were_meant_as_addresses_are_told(tmp_path: Path) -> None:
    text = "# Tea\nhttp://a.example/\n d.example \nftp://x.example/\n\nsee below\nhttp:///\n"
    found = read_candidates(written(tmp_path, text))
    assert [one.url for one in found.candidates] == ["http://a.example/"]
    assert found.left_out == [(3, "d.example"), (4, "ftp://x.example/"), (7, "http:///")]


_PIECES = ["http://", "HTTPS://", "ftp://", "javascript:", "a.example", "/b", "(", ")", "](", "[", ":80", " "]


@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=30).map("".join))
def test_any_text_gives_only_addresses_of_the_web(text: str) -> None:
    found = [candidate.url for candidate in plain_list(text)[0]]
    assert [url for url in found if not url.startswith(("http://", "https://"))] == []
