"""Charts of a run as files, and the map of its hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree, html

from focuscrawl.errors import ConfigError
from focuscrawl.page.urls import url_key
from focuscrawl.records import PageRecord
from focuscrawl.report import chart_files
from focuscrawl.report.chart_files import PNG, SVG, standalone, write_charts
from focuscrawl.report.charts import Axis, Bar, bar_chart, legend
from focuscrawl.report.data import RunData
from focuscrawl.report.host_map import HostDot, HostMap, host_map, read_host_map
from focuscrawl.report.tables import section
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.values import to_json
from focuscrawl.wording.base import Say

SAY = Say()
SVG_NAME = "{http://www.w3.org/2000/svg}"
RUN = RunData(
    topic="chess",
    relevant=[False, True, True] * 20,
    relevance=[0.1, 0.6, 0.7] * 20,
    threshold=[0.3] * 60,
    predicted=[0.2, 0.5, 0.9] * 20,
    depth=[0, 1, 2] * 20,
)
MAP = HostMap(
    [HostDot("a.example", 9, 3, 0.0, 0.0), HostDot("<b>&.example", 1, 0, 1.0, 1.0)],
    {("<b>&.example", "a.example"): 4},
    1,
)


def test_each_chart_is_a_file_that_stands_alone(tmp_path: Path) -> None:
    written = write_charts(RUN, MAP, tmp_path / "charts", format_=SVG, say=SAY)
    names = {"hosts", "harvest", "recent", "relevance", "threshold", "depth", "calibration"}
    assert {path.stem for path in written} == names
    for path in written:
        text = path.read_text("utf-8")
        tree = etree.fromstring(text.encode())
        assert tree.tag == f"{SVG_NAME}svg"
        assert "var(" not in text
        texts = [element.text for element in tree.iter(f"{SVG_NAME}text")]
        assert texts[0]
        assert float(tree.get("height")) == float(tree.get("viewBox").split()[3])
        styled = {css for element in tree.iter() for css in (element.get("class") or "").split()}
        assert {"back", "title"} <= styled
        assert "narrow" not in text


def test_a_chart_has_its_title_and_key(tmp_path: Path) -> None:
    chart = bar_chart("drawn", [Bar(0, 1, (1.0,), "one <page>")], ("s1",), x=Axis("x", 0, 1), y=Axis("y", 0, 1))
    svg = standalone(section("Title & more", legend([("box s1", "key <1>"), ("mark", "limit")]), chart))
    tree = etree.fromstring(svg.encode())
    texts = [element.text for element in tree.iter(f"{SVG_NAME}text")]
    assert texts[:3] == ["Title & more", "key <1>", "limit"]
    assert [element.get("class") for element in tree.iter(f"{SVG_NAME}rect")] == ["back", "bar box s1", "bar s1"]


def test_png_is_drawn_or_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setitem(__import__("sys").modules, "resvg_py", None)
        with pytest.raises(ConfigError, match=r"focuscrawl\[charts\]"):
            write_charts(RUN, None, tmp_path / "none", format_=PNG, say=SAY)
    assert not (tmp_path / "none").exists()
    pytest.importorskip("resvg_py", reason="the extra charts is not installed")
    monkeypatch.setattr(chart_files, "chart_files", lambda *_: {"a": standalone(host_map(MAP, SAY) or section(""))})
    (path,) = write_charts(RUN, MAP, tmp_path, format_=PNG, say=SAY)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_map_shows_hosts_and_their_links() -> None:
    drawn = host_map(MAP, SAY)
    assert drawn is not None
    tree = html.fragment_fromstring(drawn)
    (wide, narrow) = tree.findall("svg")
    for svg in (wide, narrow):
        assert [circle.findtext("title") for circle in svg.iter("circle")] == [
            "a.example: 3 / 9",
            "<b>&.example: 0 / 1",
        ]
        assert [line.findtext("title") for line in svg.iter("line")] == ["<b>&.example – a.example: 4"]
    assert "1 more host is left out" in tree.text_content()
    assert host_map(None, SAY) is None
    assert "<circle" in str(host_map(HostMap(MAP.hosts, {}), SAY))


def test_the_map_is_read_from_the_links_of_a_run(tmp_path: Path) -> None:
    pages = {
        "https://a.example/1": True,
        "https://a.example/2": False,
        "https://b.example/": False,
        "https://c.example/": True,
    }
    links = {
        "https://a.example/1": ["https://b.example/", "https://a.example/2"],
        "https://b.example/": ["https://a.example/2"],
    }
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        assert read_host_map(db, pages=0) is None
        with db.transaction() as connection:
            for at, (url, relevant) in enumerate(pages.items()):
                host = url.split("/")[2]
                record = PageRecord(url_key(url), url, url, host, float(at), 200, relevant=relevant)
                connection.execute(PAGES.insert, PAGES.to_row(record))
            for url, targets in links.items():
                keys = to_json([to_signed(url_key(target)) for target in targets])
                connection.execute("INSERT INTO page_links VALUES (?, ?)", (to_signed(url_key(url)), keys))
        found = read_host_map(db, pages=4)
        assert found is not None
        assert [(dot.name, dot.pages, dot.relevant) for dot in found.hosts] == [
            ("a.example", 2, 1),
            ("c.example", 1, 1),
            ("b.example", 1, 0),
        ]
        assert found.links == {("a.example", "b.example"): 2}
        assert all(0.0 <= place <= 1.0 for dot in found.hosts for place in (dot.x, dot.y))
        assert read_host_map(db, pages=4) == found
        assert read_host_map(db, pages=10_000_000) is None
