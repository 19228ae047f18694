"""Items as XML, which is well-formed whatever they hold."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from crawl_kit import crawl_here, topic_file
from record_kit import stored_record
from scrapy.exporters import XmlItemExporter
from site_kit import Site

from focuscrawl.crawler.items import page_item
from focuscrawl.glue.xml_items import XmlExporter


def exported(kind: type[XmlItemExporter], item: object) -> bytes:
    file = BytesIO()
    exporter = kind(file)
    exporter.start_exporting()
    exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue()


def test_words_and_texts_of_any_kind_make_a_document() -> None:
    words = {"title": {"fog signal": 1}, "text": {"灯塔": 1, "3d": 2}}
    item = page_item(stored_record(1, evidence=words, text="a\x0cb\x01 <c>\ud83d", keywords=("d\x0b",)))
    (page,) = ElementTree.fromstring(exported(XmlExporter, item))
    assert page.findtext("text") == "ab <c>"
    assert page.findtext("keywords/value") == "d"
    found = {
        place: {one.findtext("word"): one.findtext("count") for one in page.iterfind(f"evidence/{place}/value")}
        for place in words
    }
    assert found == {"title": {"fog signal": "1"}, "text": {"灯塔": "1", "3d": "2"}}


def test_items_of_others_are_as_scrapy_has_them() -> None:
    item = {"name": "lamp", "sizes": {"small": 1, "large": [2, 3]}}
    assert exported(XmlExporter, item) == exported(XmlItemExporter, item)


def test_a_crawl_writes_items_as_xml(site: Site, tmp_path: Path) -> None:
    topic, items = str(topic_file(tmp_path, site.url("/page/0"))), tmp_path / "items.xml"
    done = crawl_here(tmp_path / "run", topic=topic, pages=6, settings={"FEEDS": {str(items): {"format": "xml"}}})
    root = ElementTree.parse(items).getroot()
    assert {page.findtext("url") for page in root} == {line["url"] for line in done.jsonl()}
    assert "fog signal" in {word.text for word in root.iter("word")}
