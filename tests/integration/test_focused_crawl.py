"""The focused spider over the test site, in this process."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from crawl_kit import crawl_here, topic_file
from site_kit import PAGES, POSTS, Site

from focuscrawl.cli.export import export_graph
from focuscrawl.ranking.apprentice import Apprentice
from focuscrawl.storage.keys import hex_key
from focuscrawl.wording.base import Say


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return str(topic_file(tmp_path, site.url("/")))


def test_a_blog_chained_by_next_links_is_read_to_its_end(site: Site, tmp_path: Path) -> None:
    done = crawl_here(tmp_path / "run", topic=str(topic_file(tmp_path, site.url("/post/aa"))), pages=0)
    assert {path.rpartition("/")[2] for path in site.paths()} == set(POSTS)
    assert max(record.depth for record in done.pages()) == len(POSTS) - 1 > 40


def test_a_chain_without_end_costs_four_times_the_budget_of_its_host(site: Site, tmp_path: Path) -> None:
    topic = str(topic_file(tmp_path, site.url("/deeper/x")))
    done = crawl_here(tmp_path / "run", topic=topic, pages=0, settings={"FOCUSCRAWL_PAGES_PER_HOST": 10})
    assert len(site.paths()) == 40
    assert done.session is not None
    assert done.session.ending is not None
    assert done.session.ending.reason == "exhausted"


def test_it_crawls_the_whole_site_once_and_stops_when_nothing_is_left(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_here(tmp_path / "run", topic=topic)
    asked = Counter(site.paths())
    assert set(asked.values()) == {1}
    assert len(asked) == PAGES + 1
    assert done.session is not None
    assert done.session.ending is not None
    assert done.session.ending.reason == "exhausted"
    assert done.exit_code == 0
    counts = done.counts()
    assert (counts["pages"], counts["queued"]) == (PAGES + 1, 0)
    file = tmp_path / "links.graphml"
    export_graph([str(done.run)], format_="graphml", out=file, every=True, hosts=False, say=Say("en"), as_json=False)
    graph, pages = nx.read_graphml(file), done.pages()
    assert {data["url"] for _, data in graph.nodes(data=True)} == {page.final_url for page in pages}
    found_on = {(hex_key(page.parent), hex_key(page.key)) for page in pages if page.parent is not None}
    assert len(found_on) == PAGES
    assert found_on <= set(graph.edges)


def test_relevant_pages_are_items_and_lines(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_here(tmp_path / "run", topic=topic, pages=30)
    relevant = [record for record in done.pages() if record.relevant]
    assert relevant
    assert {item.url for item in done.items} == {record.url for record in relevant}
    assert {line["url"] for line in done.jsonl()} == {record.url for record in relevant}
    assert all("lighthouse" in line["text"] for line in done.jsonl())


@pytest.mark.parametrize("pages", [1, 7, 25])
def test_the_budget_is_met_exactly(site: Site, topic: str, tmp_path: Path, pages: int) -> None:
    done = crawl_here(tmp_path / "run", topic=topic, pages=pages)
    assert len(site.paths()) == pages
    assert done.counts()["pages"] == pages
    assert done.session is not None
    assert done.session.ending is not None
    assert done.session.ending.reason == "budget"


def test_fetches_that_give_no_page_do_not_count_towards_the_budget(site: Site, topic: str, tmp_path: Path) -> None:
    seeds = site.url("/links/status~404,status~410,status~403,page~3,page~6")
    done = crawl_here(tmp_path / "run", topic=topic, seeds=seeds, pages=6)
    outcomes = Counter(record.outcome for record in done.pages())
    assert outcomes["done"] == 6
    assert outcomes["refused"] == 3


def test_topical_links_are_fetched_first(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_here(tmp_path / "run", topic=topic, seeds=site.url("/page/1"), pages=15, settings={"CONCURRENT_REQUESTS": 1})
    numbers = [int(path.rpartition("/")[2]) for path in site.paths()]
    assert sum(n % 3 == 0 for n in numbers) >= 9


def test_a_resumed_run_goes_on_where_it_stopped(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_here(tmp_path / "run", topic=topic, pages=20)
    first = site.paths()
    done = crawl_here(tmp_path / "run", pages=45)  # topic and seeds are those of the run
    asked = Counter(site.paths())
    assert len(first) == 20
    assert len(asked) == 45
    assert set(asked.values()) == {1}
    assert done.session is not None
    assert done.session.crawl.step.counters.pages == 45
    lines = [line["url"] for line in done.jsonl()]
    assert len(lines) == len(set(lines))


def test_links_that_waited_in_an_earlier_session_are_scored_on(site: Site, topic: str, tmp_path: Path) -> None:
    first = crawl_here(tmp_path / "run", topic=topic, pages=20)
    done = crawl_here(tmp_path / "run", pages=21)
    assert done.session is not None
    ranker = done.session.crawl.step.ranker
    assert isinstance(ranker, Apprentice)
    queued = first.counts()["queued"]
    assert queued > 20
    assert len(ranker.waiting) >= queued - 10  # one was fetched, and some were called up or wait behind all others


def test_a_class_of_the_taxonomy_is_crawled_and_gone_on_with(site: Site, tmp_path: Path) -> None:
    crawl_here(tmp_path / "run", topic="CLC:e0", seeds=site.url("/page/1"), pages=5)
    done = crawl_here(tmp_path / "run", pages=9)
    assert done.session is not None
    assert done.session.crawl.plan.spec.name == "clc-e0"
    assert done.counts()["pages"] == 9


def test_a_resumed_run_keeps_to_the_seeds_it_was_started_with(site: Site, topic: str, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text(site.url("/no-such-page") + "\n", encoding="utf-8")
    crawl_here(tmp_path / "run", topic=topic, seeds=str(seeds))
    seeds.unlink()
    resumed = crawl_here(tmp_path / "run", topic=topic)
    assert [page.url for page in resumed.pages()] == [site.url("/no-such-page")]


def test_a_run_that_fetched_nothing_begins_again_at_its_seeds(site: Site, topic: str, tmp_path: Path) -> None:
    seed = "/later/500/3/0"  # as a server that was not running yet, or a proxy
    first = crawl_here(tmp_path / "run", topic=topic, seeds=site.url(seed))
    assert first.exit_code == 1
    done = crawl_here(tmp_path / "run", pages=5)
    assert done.exit_code == 0
    assert site.paths().count(seed) == 4
    assert done.page(seed).outcome == "done"
    assert done.counts()["pages"] == 5
    gone_on = crawl_here(tmp_path / "run", pages=8)  # it has pages now, which are not fetched again
    assert site.paths().count(seed) == 4
    assert gone_on.counts()["pages"] == 8


def test_a_resumed_run_that_has_used_its_budget_stops_at_once(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_here(tmp_path / "run", topic=topic, pages=5)
    done = crawl_here(tmp_path / "run")
    assert len(site.paths()) == 5
    assert done.session is not None
    assert done.session.ending is not None
    assert done.session.ending.reason == "budget"


def test_a_budget_of_relevant_pages_stops_the_crawl(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_here(tmp_path / "run", topic=topic, relevant=3, settings={"CONCURRENT_REQUESTS": 1})
    assert done.session is not None
    assert 3 <= done.session.crawl.step.counters.stored <= 4  # one more may be under way


@pytest.mark.parametrize("frontier", ["memory", "sqlite"])
def test_both_frontiers_crawl_the_same_pages(site: Site, topic: str, tmp_path: Path, frontier: str) -> None:
    done = crawl_here(tmp_path / "run", topic=topic, settings={"FOCUSCRAWL_FRONTIER": frontier})
    assert set(Counter(site.paths()).values()) == {1}
    assert done.session is not None
    assert done.session.crawl.step.counters.pages == PAGES + 1
