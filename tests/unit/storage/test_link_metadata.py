"""Which metadata the links of a run had."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from focuscrawl.page.analysis import analyse
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.link_metadata import FIELDS, LinkMetadata, field_counts
from focuscrawl.text.tokenize import make_auto

PAGE = b"""<html><title>Links</title><body>
<p>Before it <a href="/plain">plain</a> and after it.</p>
<a href="/image" name="n" onmouseover="status='there'"><img src="/i.png" alt="a picture"></a>
<a href="/title" title="told"></a>
<iframe src="/framed" title="a frame"></iframe>
<map name="m"><area href="/area" alt="an area"></map>
</body></html>"""


def analysed(body: bytes = PAGE):  # type: ignore[no-untyped-def]
    return analyse(body, "http://e.example/", tokenizer=make_auto(language="en"))


def test_fields_are_those_a_link_has() -> None:
    found = {link.url.rpartition("/")[2]: list(field_counts([link])) for link in analysed().links}
    assert found["plain"][:3] == ["href", "anchor text", "surrounding text"]
    assert {"href", "name", "onmouseover", "src", "image text"} <= set(found["image"])
    assert "anchor text" not in found["image"]
    assert "title" in found["title"]
    assert {"src", "frame text"} <= set(found["framed"])
    assert "href" not in found["framed"]
    assert "map and area text" in found["area"]


def test_the_links_of_a_page_count_as_each_of_them_does() -> None:
    links = analysed().links
    assert field_counts(links) == sum((Counter(field_counts([link])) for link in links), Counter())
    assert field_counts(()) == {}


def test_counts_of_all_processes_add_up(tmp_path: Path) -> None:
    page = analysed()
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        for times in (1, 2):
            counts = LinkMetadata()
            for _ in range(times):
                counts.count(page, page)
            counts.record(db)
        LinkMetadata().record(db)  # a process without a page notes nothing
        whole = LinkMetadata.load(db)
    assert (whole.pages, whole.links) == (3, 3 * len(page.links))
    assert whole.with_field["name"] == 3
    assert whole.pages_with["href"] == 3
    assert whole.with_field["href"] == 3 * field_counts(page.links)["href"]
    assert set(whole.with_field) <= set(FIELDS)
    assert (whole.site_wide_links, whole.site_wide_words) == (0, 0)
