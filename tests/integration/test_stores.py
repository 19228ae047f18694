"""Stores beside ``crawl.db``, chosen by a setting, in a crawl of one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_kit import crawl_here, topic_file
from postgres_kit import PostgresServer
from search_kit import search_server
from site_kit import Site
from warcio.archiveiterator import ArchiveIterator

from focuscrawl.errors import ConfigError, FocusCrawlError, StoreError
from focuscrawl.report.read import read_run
from focuscrawl.storage.postgres_run import PostgresRun


def archived(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type == "response":
                    assert record.http_headers.get_statuscode() == "200"
                    assert record.http_headers.get_header("Content-Type", "").startswith("text/html")
                    found[record.rec_headers.get_header("WARC-Target-URI")] = record.content_stream().read()
    return found


def test_results_are_archived(site: Site, tmp_path: Path) -> None:
    topic = str(topic_file(tmp_path, site.url("/page/0")))
    done = crawl_here(tmp_path / "run", topic=topic, pages=20, settings={"FOCUSCRAWL_STORES": "jsonl,warc"})
    answers = archived(tmp_path / "run" / "archive")
    assert answers
    assert set(answers) == {line["final_url"] for line in done.jsonl()}
    assert all(b"lighthouse" in body for body in answers.values())
    (file,) = (tmp_path / "run" / "archive").iterdir()
    assert file.name.startswith("lighthouses-")
    assert file.name.endswith("-00001.warc.gz")


def test_redirects_on_the_way_to_a_result_are_archived_before_it(site: Site, tmp_path: Path) -> None:
    topic = str(topic_file(tmp_path, site.url("/redirect/2")))
    settings = {"FOCUSCRAWL_STORES": "jsonl,warc", "FOCUSCRAWL_WARC_REQUESTS": "1"}
    done = crawl_here(tmp_path / "run", topic=topic, pages=1, settings=settings)
    (line,) = done.jsonl()
    assert (line["url"], line["final_url"]) == (site.url("/redirect/2"), site.url("/page/3"))
    (path,) = (tmp_path / "run" / "archive").iterdir()
    with path.open("rb") as file:
        found = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.http_headers)
            for record in ArchiveIterator(file, check_digests="raise")
            if record.rec_type in ("response", "request")
        ]
    urls = [site.url(path) for path in ("/redirect/2", "/redirect/1", "/page/3")]
    assert [(kind, url) for kind, url, _ in found] == [(kind, url) for url in urls for kind in ("response", "request")]
    answers = [http for kind, _, http in found if kind == "response"]
    assert [http.get_statuscode() for http in answers] == ["302", "302", "200"]
    assert [http.get_header("Location") for http in answers] == ["/redirect/1", "/page/3", None]


def test_a_run_that_goes_on_brings_its_earlier_pages_to_postgres(
    site: Site, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    url = postgres_server.database()
    topic = str(topic_file(tmp_path, site.url("/page/0")))
    crawl_here(tmp_path / "run", topic=topic, pages=10)
    settings = {"FOCUSCRAWL_STORES": ["jsonl", "postgres"], "FOCUSCRAWL_POSTGRES_URL": url}
    done = crawl_here(tmp_path / "run", pages=20, settings=settings)
    with PostgresRun.open(url) as run:
        assert run.crawl == "lighthouses/run"
        assert list(run.pages()) == done.pages()
        data = read_run(run)
    assert (data.pages, data.topic, data.stop_reason) == (20, "lighthouses", "budget: 20 pages")
    assert data.best
    assert data.frontier == "crawl.db of the run folder"
    assert "geheim" not in str(data.settings)


@pytest.mark.parametrize(
    ("url", "error", "told"),
    [
        ("", ConfigError, "FOCUSCRAWL_POSTGRES_URL: The address of PostgreSQL: expected postgresql://"),
        ("postgresql://me:geheim@127.0.0.1:1/crawls", StoreError, "onnection refused"),
    ],
)
def test_postgres_without_a_server_is_said_before_the_first_fetch(
    site: Site, tmp_path: Path, url: str, error: type[FocusCrawlError], told: str
) -> None:
    topic = str(topic_file(tmp_path, site.url("/page/0")))
    settings = {"FOCUSCRAWL_STORES": "jsonl,postgres", "FOCUSCRAWL_POSTGRES_URL": url}
    with pytest.raises(error, match=told) as raised:
        crawl_here(tmp_path / "run", topic=topic, settings=settings)
    assert "geheim" not in str(raised.value)
    assert not site.paths()
    crawl_here(tmp_path / "run", topic=topic, pages=1)  # nothing is left open or locked


def test_a_store_that_cannot_be_opened_does_not_stop_a_run_that_goes_on(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    topic, run = str(topic_file(tmp_path, site.url("/page/0"))), tmp_path / "run"
    stores = {"FOCUSCRAWL_STORES": "jsonl,warc"}
    crawl_here(run, topic=topic, pages=2, settings=stores)
    (run / "pages.jsonl").unlink()
    (run / "pages.jsonl").mkdir()
    again = crawl_here(run, pages=4, settings=stores)
    assert again.counts()["done"] == 4
    assert "store jsonl: " in caplog.text


def test_results_an_index_was_away_for_are_counted_and_come_when_the_run_goes_on(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    monkeypatch.setattr("focuscrawl.storage.opensearch._MAX_PENDING", 2)
    topic, run = str(topic_file(tmp_path, site.url("/page/0"))), tmp_path / "run"
    with search_server() as server:
        settings = {"FOCUSCRAWL_STORES": "jsonl,opensearch", "FOCUSCRAWL_OPENSEARCH_URL": server.url}
        server.takes_none = True
        done = crawl_here(run, topic=topic, pages=15, settings=settings)
        assert done.session is not None
        assert done.session.crawler.stats is not None
        results = len(done.jsonl())
        assert results > 2
        assert done.session.crawler.stats.get_value("focuscrawl/dropped/opensearch") == results
        server.takes_none = False
        again = crawl_here(run, pages=20, settings=settings)
        assert len(server.documents) == len(again.jsonl()) >= results
        assert again.session is not None
        assert again.session.crawler.stats is not None
        assert again.session.crawler.stats.get_value("focuscrawl/dropped/opensearch") is None
