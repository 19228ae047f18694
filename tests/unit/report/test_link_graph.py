"""The link graph of a run, read back from what is written."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

import networkx as nx
import pytest

from focuscrawl.errors import StoreError
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Outcome, PageRecord, Settlement
from focuscrawl.report import link_graph
from focuscrawl.report.link_graph import host_graph, page_graph, write_graph
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import hex_key, to_signed
from focuscrawl.storage.page_rows import PAGES as TABLE
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.storage.several import SeveralRuns
from focuscrawl.storage.unsettled import begin_worker

TOP = 2**64 - 1
# key -> host, relevance, title, keys of its links
PAGES = {
    1: ("a.example", 0.75, "国际象棋 & \x0b<b>", (2, 3, 4, 1, 99, 2)),
    2: ("a.example", 0.25, "", (1, 50)),
    3: ("b.example", 0.5, "Third", (TOP,)),
    TOP: ("b.example", 0.0, "Last", ()),
}


def every(_: PageRecord) -> bool:
    return True


def settlement_of(frontier_lease: object, key: int, *, also: tuple[int, ...] = ()) -> Settlement:
    host, relevance, title, links = PAGES[key]
    url = f"http://{host}/{key}"
    record = PageRecord(
        key, url, url, host, 5.0, 200, title=title, relevance=relevance, relevant=relevance >= 0.5, score=0.5, depth=1
    )
    return Settlement(frontier_lease, Outcome.DONE, also=also, edges=links, record=record)  # type: ignore[arg-type]


async def crawl(path: Path) -> None:
    frontier = SqliteFrontier(path, clock=lambda: 1.0)
    await frontier.open()
    await frontier.push([Entry(f"http://{PAGES[key][0]}/{key}", key, PAGES[key][0], 0.5) for key in PAGES])
    await frontier.push([Entry("http://b.example/4", 4, "b.example", 0.25)])
    for lease in await frontier.lease(4, worker="", per_host=4, lease_s=60.0):
        # 50 led to page 3 through a redirect
        await frontier.settle([settlement_of(lease, lease.entry.key, also=(50,) if lease.entry.key == 3 else ())])
    (failed,) = await frontier.lease(1, worker="", per_host=4, lease_s=60.0)
    record = PageRecord(4, "http://b.example/4", "http://b.example/4", "b.example", 5.0, 404, outcome="refused")
    await frontier.settle([Settlement(failed, Outcome.REFUSED, record=record)])
    await frontier.close()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "crawl.db"
    asyncio.run(crawl(path))
    return path


@pytest.fixture
def run(path: Path) -> Iterator[CrawlDb]:
    with CrawlDb.open_readonly(path) as db:
        yield db


def write_pages(db: sqlite3.Connection, pages: list[PageRecord], edges: dict[int, list[int]]) -> None:
    db.executemany(TABLE.insert, map(TABLE.to_row, pages))
    links = [(to_signed(page.key), json.dumps(list(map(to_signed, edges.get(page.key, []))))) for page in pages]
    db.executemany("INSERT INTO page_links VALUES (?, ?)", links)


def written(graph: nx.DiGraph, format_: str) -> nx.DiGraph:
    file = BytesIO()
    write_graph(graph, file, format_)
    file.seek(0)
    return (nx.read_graphml if format_ == "graphml" else nx.read_gexf)(file)


@pytest.mark.parametrize("format_", ["graphml", "gexf"])
def test_pages_are_nodes_and_links_between_them_edges(run: CrawlDb, format_: str) -> None:
    graph = written(page_graph(run, every), format_)
    ids = {key: hex_key(key) for key in PAGES}
    assert set(graph) == set(ids.values())
    # Not 4, which was refused, nor 99, which was not fetched, nor 1 itself; 50 is another address of 3.
    assert set(graph.edges) == {(ids[a], ids[b]) for a, b in ((1, 2), (1, 3), (2, 1), (2, 3), (3, TOP))}
    first = graph.nodes[ids[1]]
    assert first["label"] == "国际象棋 & \ufffd<b>"  # XML cannot hold a vertical tab
    assert (first["url"], first["host"]) == ("http://a.example/1", "a.example")
    assert (first["relevance"], first["relevant"], first["score"], first["depth"]) == (0.75, True, 0.5, 1)
    assert graph.nodes[ids[2]]["label"] == "http://a.example/2"
    assert sorted(data["order"] for _, data in graph.nodes(data=True)) == [1, 2, 3, 4]


@pytest.mark.parametrize("format_", ["graphml", "gexf"])
def test_hosts_are_nodes_and_their_links_are_counted(run: CrawlDb, format_: str) -> None:
    graph = written(host_graph(run, every), format_)
    names = ("pages", "relevant", "relevance", "inner_links")
    told = {host: {name: data[name] for name in names} for host, data in graph.nodes(data=True)}
    assert told == {
        "a.example": {"pages": 2, "relevant": 1, "relevance": 0.5, "inner_links": 4},
        "b.example": {"pages": 2, "relevant": 1, "relevance": 0.25, "inner_links": 1},
    }
    assert {(a, b): data["weight"] for a, b, data in graph.edges(data=True)} == {("a.example", "b.example"): 2}


def test_pages_that_are_not_wanted_are_left_out_with_their_links(run: CrawlDb) -> None:
    graph = page_graph(run, lambda page: page.relevant)
    assert set(graph.edges) == {(hex_key(1), hex_key(3))}
    assert set(host_graph(run, lambda page: page.host == "b.example")) == {"b.example"}


def test_too_many_links_are_refused(run: CrawlDb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_graph, "MOST_LINKS", 4)
    with pytest.raises(StoreError, match=r"more than 4 links between its pages.*with --hosts"):
        page_graph(run, every)
    assert len(host_graph(run, every)) == 2


def test_runs_of_a_fleet_are_one_graph(path: Path, tmp_path: Path) -> None:
    """Two workers that fetched half of the pages each; their aliases are in Redis."""
    with CrawlDb.open_readonly(path) as db:
        pages, edges = list(db.pages()), dict(db.edges())
    with ExitStack() as opened:
        runs = {}
        for name, keys in (("one", (1, 3)), ("two", (2, TOP))):
            with CrawlDb.open(tmp_path / name / "crawl.db") as db:
                RunSettings(topic="chess", overrides={"FOCUSCRAWL_FRONTIER_URL": "redis://h"}).save(db)
                begin_worker(db, name, "e", settled=None)
                with db.transaction() as connection:
                    write_pages(connection, [page for page in pages if page.key in keys], edges)
            runs[name] = opened.enter_context(CrawlDb.open_readonly(tmp_path / name / "crawl.db"))
        run = opened.enter_context(SeveralRuns.open(runs))
        assert set(page_graph(run, every).edges) == {
            (hex_key(a), hex_key(b)) for a, b in ((1, 2), (1, 3), (2, 1), (3, TOP))
        }
