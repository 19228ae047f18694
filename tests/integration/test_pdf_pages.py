"""PDFs in a crawl: judged and stored as pages, their links followed, broken ones settled with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crawl_kit import Crawled, crawl_here, topic_file
from site_kit import Site

from focuscrawl.page.pdf import PdfError

BROKEN = {
    "/pdf/cut.pdf": "damaged PDF: ",
    "/pdf/scan.pdf": "a PDF without text, perhaps scanned pages",
}


def crawl_documents(site: Site, folder: Path, **settings: Any) -> Crawled:
    paths = ["pdf/keeper.pdf", "pdf/unnamed.pdf", "text/12", *(path[1:] for path in BROKEN)]
    seeds = site.url("/links/" + ",".join(path.replace("/", "~") for path in paths))
    topic = topic_file(folder, site.url("/"))
    with topic.open("a", encoding="utf-8") as file:
        file.write("\n[scope]\nexclude = ['^http://[^/]+/page/[2-5]']\n")
    return crawl_here(folder / "run", topic=str(topic), seeds=seeds, settings=settings, pages="20")


def test_a_pdf_is_judged_stored_and_its_links_are_followed(site: Site, tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    done = crawl_documents(site, tmp_path, FOCUSCRAWL_PDF=True, FOCUSCRAWL_STORES="jsonl,warc")
    record = done.page("/keeper.pdf")
    assert (record.content_type, record.title, record.relevant, record.reason) == (
        "application/pdf",
        "Lighthouse lamps",
        True,
        "",
    )
    assert "fog signal of the lighthouse warns ships" in record.text
    assert any(line["url"].endswith("/keeper.pdf") for line in done.jsonl())
    assert done.page("/unnamed.pdf").relevance == pytest.approx(record.relevance, abs=0.05)
    assert done.page("/page/6").anchor == "The lamp of the lighthouse keeper"
    assert done.page("/page/9").content_type == "text/html"
    for path, reason in BROKEN.items():
        broken = done.page(path)
        assert broken.reason.startswith(reason)
        assert (broken.outcome, broken.relevant, broken.text, broken.content_type) == (
            "done",
            False,
            "",
            "application/pdf",
        )
    counts = done.counts()
    assert (counts["queued"], counts["leased"]) == (0, 0)


def test_the_archive_has_the_pdf_itself(site: Site, tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    warcio = pytest.importorskip("warcio", reason="the extra warc is not installed")
    done = crawl_documents(site, tmp_path, FOCUSCRAWL_PDF=True, FOCUSCRAWL_STORES="warc")
    (path,) = (done.run / "archive").glob("*.warc.gz")
    with path.open("rb") as file:
        bodies = {
            record.rec_headers.get_header("WARC-Target-URI"): record.content_stream().read()
            for record in warcio.ArchiveIterator(file)
            if record.rec_type == "response"
        }
    body = bodies[site.url("/pdf/keeper.pdf")]
    assert body.startswith(b"%PDF-1.4")
    assert len(body) == done.page("/keeper.pdf").body_bytes


def test_links_of_plain_text_are_followed(site: Site, tmp_path: Path) -> None:
    done = crawl_documents(site, tmp_path)
    record = done.page("/text/12")
    assert (record.content_type, record.relevant) == ("text/plain", True)
    assert "lighthouse" in record.text


def test_without_the_setting_no_pdf_is_asked_for(site: Site, tmp_path: Path) -> None:
    site.clear()
    done = crawl_documents(site, tmp_path)
    assert not any("pdf" in path and "links" not in path for path in site.paths())
    assert done.exit_code == 0


def test_without_pypdf_a_crawl_of_pdfs_does_not_start(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdf", None)
    with pytest.raises(PdfError, match=r"^FOCUSCRAWL_PDF: reading PDFs needs the package pypdf"):
        crawl_documents(site, tmp_path, FOCUSCRAWL_PDF=True)
