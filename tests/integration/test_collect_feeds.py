"""Collecting the feeds on a topic, over a site of our own on loopback."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from changing_site import TOPIC, changing_site
from crawl_kit import crawl_here
from typer.testing import CliRunner

from focuscrawl.cli.main import app


def test_feeds_on_the_topic_are_results_and_exported(tmp_path: Path) -> None:
    with changing_site() as (site, address):
        site.posts = 3
        topic = tmp_path / "herbs.toml"
        topic.write_text(TOPIC.format(seed=address + "/bed/1"), encoding="utf-8")
        settings = {"FOCUSCRAWL_COLLECT_FEEDS": True}
        crawled = crawl_here(tmp_path / "run", topic=str(topic), pages=50, settings=settings)
    assert "/feed.xml" in site.paths()  # announced by one page only, which would not have been enough
    feed = crawled.page("/feed.xml")
    assert feed.relevant
    assert feed.reason == "a feed of 3 entries"
    assert feed.text.splitlines()[0].startswith("Bed 30 of the garden http://127.0.0.1")
    assert [line["title"] for line in crawled.jsonl() if line["reason"]] == ["The garden"]
    done = CliRunner().invoke(app, ["export", str(crawled.run), "--format", "opml", "--out", str(tmp_path / "x.opml")])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"1 feed written to {tmp_path / 'x.opml'}\n"
    outlines = ElementTree.parse(tmp_path / "x.opml").getroot().findall("body/outline")
    assert [(one.get("text"), one.get("xmlUrl")) for one in outlines] == [("The garden", f"{address}/feed.xml")]


def test_a_feed_on_something_else_is_no_result(tmp_path: Path) -> None:
    with changing_site() as (site, address):
        site.posts = 2
        topic = tmp_path / "herbs.toml"
        text = TOPIC.format(seed=address + "/bed/1").replace('"garden" = 1.0', '"row" = 1.0')
        text = text.replace('"thyme" = 1.0', '"pumpkin" = 1.0').replace('"sage" = 1.0', '"melon" = 1.0')
        topic.write_text(text.replace('"row" = 1.0', '"bread" = 1.0'), encoding="utf-8")
        settings = {"FOCUSCRAWL_COLLECT_FEEDS": True}
        crawled = crawl_here(tmp_path / "run", topic=str(topic), seeds=f"{address}/feed.xml", settings=settings)
    feed = crawled.page("/feed.xml")
    assert not feed.relevant
    assert feed.text == ""
    assert crawled.jsonl() == []
