"""Single pages in Python: judged, extracted and scored in this process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import site_kit

import focuscrawl
from focuscrawl.errors import ConfigError, TopicError

URL = "http://coast.example/book/"


@pytest.fixture
def topic(tmp_path: Path) -> focuscrawl.Topic:
    file = tmp_path / "lighthouses.toml"
    file.write_text(site_kit.TOPIC_TOML.format(seed="http://coast.example/"), encoding="utf-8")
    return focuscrawl.load_topic(file)


def test_a_topic_tells_what_it_is(topic: focuscrawl.Topic) -> None:
    assert (topic.name, topic.title) == ("lighthouses", "Lighthouses")
    assert [warning.partition(";")[0] for warning in topic.warnings] == ["sample 1 has only 11 telling words"]
    with pytest.raises(TopicError, match="no such file"):
        focuscrawl.load_topic("no-such-topic")


def test_pages_are_judged_each_by_itself(topic: focuscrawl.Topic) -> None:
    on, off = (focuscrawl.judge(topic, site_kit.page(number), url=URL) for number in (3, 4))
    assert on.relevant
    assert not off.relevant
    assert on.score.value > on.threshold == 0.15
    assert focuscrawl.judge(topic, site_kit.page(3), url=URL) == on


def test_the_encoding_of_bytes_is_found_and_text_is_taken_as_it_is() -> None:
    text = "意大利开局是最古老的开局之一，白方第三步走象，黑方走马应对。" * 3
    html = f'<html><head><meta charset="gbk"><title>开局</title></head><body><p>{text}</p></body></html>'
    for page in (html, html.encode("gbk")):
        found = focuscrawl.extract(page, url=URL)
        assert (found.title, found.text) == ("开局", text)
    assert found.language == "zh"
    assert 0.0 < found.confidence <= 1.0
    nothing = focuscrawl.extract("", url=URL)
    assert (nothing.text, bool(nothing.reason)) == ("", True)


@pytest.mark.parametrize("html", [None, float("nan"), Path("page.html")])
def test_what_is_no_page_is_refused(topic: focuscrawl.Topic, html: Any) -> None:
    for read in (
        lambda: focuscrawl.judge(topic, html, url=URL),
        lambda: focuscrawl.score_links(topic, html, url=URL),
        lambda: focuscrawl.extract(html, url=URL),
    ):
        with pytest.raises(ConfigError, match="expected the text of a page, or its bytes"):
            read()


def test_an_address_that_is_none_is_refused(topic: focuscrawl.Topic) -> None:
    missing: Any = None  # as a cell of a data frame
    for read in (focuscrawl.extract, partial(focuscrawl.judge, topic), partial(focuscrawl.score_links, topic)):
        with pytest.raises(ConfigError, match="url=None: expected the address of the page"):
            read("<p>Chess</p>", url=missing)


def test_links_are_scored_best_first(topic: focuscrawl.Topic) -> None:
    links = focuscrawl.score_links(topic, site_kit.page(1), url=URL)
    assert links[0].url.startswith("http://coast.example/page/")
    assert [link.score for link in links] == sorted((link.score for link in links), reverse=True)
    assert "lighthouse" in links[0].anchor
    assert "bread" in links[-1].anchor
    assert links[0].score > links[-1].score
    assert links[0].parts


def test_topics_runs_and_errors_reach_another_process(topic: focuscrawl.Topic, tmp_path: Path) -> None:
    verdict = focuscrawl.judge(topic, site_kit.page(3), url=URL)  # the topic has a model now
    sent = pickle.loads(pickle.dumps(topic))
    assert focuscrawl.judge(sent, site_kit.page(3), url=URL) == pickle.loads(pickle.dumps(verdict)) == verdict
    run = focuscrawl.CrawlRun(tmp_path, runs=lambda: True)
    assert pickle.loads(pickle.dumps(run)).path == tmp_path
    error = TopicError(["seeds: expected a list", "terms: expected a table"])
    received = pickle.loads(pickle.dumps(error))
    assert (type(received), str(received), received.faults) == (TopicError, str(error), error.faults)


def test_importing_loads_nothing_and_single_pages_need_no_scrapy() -> None:
    code = (
        "import sys, focuscrawl\n"
        "ours = {name for name in sys.modules if name.startswith('focuscrawl')}\n"
        "assert ours == {'focuscrawl'}, ours\n"
        "assert not {'numpy', 'pydantic', 'asyncio'} & set(sys.modules)\n"
        "import focuscrawl.cli.crawl\n"  # what comes before the first line of `focuscrawl crawl`
        "assert not {'numpy', 'pydantic', 'scrapy'} & set(sys.modules)\n"
        "focuscrawl.extract('<p>text</p>', url='http://a.example/')\n"
        "topic = focuscrawl.load_topic('tea')\n"
        "focuscrawl.judge(topic, '<p>tea</p>', url='http://a.example/')\n"
        "focuscrawl.score_links(topic, '<a href=/tea>tea</a>', url='http://a.example/')\n"
        "assert not {'scrapy', 'twisted'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_name_is_there() -> None:
    assert all(getattr(focuscrawl, name) is not None for name in focuscrawl.__all__)
    assert set(focuscrawl.__all__) <= set(dir(focuscrawl))
    with pytest.raises(AttributeError, match="no attribute 'crawler_of_everything'"):
        focuscrawl.crawler_of_everything  # type: ignore[attr-defined]  # noqa: B018
