"""Readers that strangers write for, each as a function of bytes, and what must hold of what they return."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from focuscrawl import plugins
from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.items import page_item
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import FocusCrawlError
from focuscrawl.extraction.base import Extractor
from focuscrawl.extraction.feed_template import is_valid, learn_template
from focuscrawl.feeds.discover import is_feed
from focuscrawl.feeds.entries import FeedEntry, parse_feed
from focuscrawl.glue.sitemaps import parse_sitemap
from focuscrawl.page.analysis import analyse
from focuscrawl.page.urls import UrlJoiner, host_of, normalize_url, registered_domain, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.spec import TopicSpec, load_topic

URL = "http://canal.example/gate/page.html"
EXTRACTORS = ("router", "main-content", "threads", "wiehf", "density_svm", "blocks")
_TOPIC = {"name": "locks", "language": "auto", "terms": {"lock": 1.0, "gate": 0.8, "水闸": 1.0, "page": 0.1}}
_PAGES_A_STEP = 100
_ENCODINGS = ("utf-8", "gb18030", "big5hkscs", "utf-16-le", "iso8859-1", "no such one")


def read_page(data: bytes) -> None:
    """Take the whole page step; the first byte chooses the content type."""
    content_type = (None, "text/html", "text/html; charset=gbk", "text/xml", "text/plain; charset=utf-16")[_first(data)]
    lease = Lease(Entry(URL, url_key(URL), host_of(URL), 1.0), 1, 0.0, 1, 1.0)
    result = _fresh_step().process(Fetched(URL, 200, data[1:], 1.7e9, content_type), lease)
    assert 0.0 <= result.record.relevance <= 1.0
    for entry in result.settlement.found:
        _is_url(entry.url)
        assert -1.0 <= entry.score <= 1.0, entry
        _is_text(entry.origin.anchor)
    for text in (result.record.text, result.record.title, result.record.reason):
        _is_text(text)
    if result.item_wanted:
        assert page_item(result.record).url


def normalise_url(data: bytes) -> None:
    """Normalise an address by itself, and as a link of a page whose base and encoding are the text's, too."""
    text = data[1:].decode("utf-8", "surrogateescape" if data[:1] == b"\xff" else "replace")
    base, _, link = text.partition("\n")
    for found in (
        normalize_url(text, URL),
        normalize_url(link, base),
        UrlJoiner(base, _ENCODINGS[_first(data)])(link),
    ):
        if found is not None:
            _is_url(found)
            assert normalize_url(found, found) == found


def read_topic(data: bytes) -> None:
    """Load a topic file and build all that a crawl makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "topic.toml"
        path.write_bytes(data)
        try:
            build_step(load_topic(str(path)))
        except FocusCrawlError as error:
            _is_text(str(error))


def read_feed(data: bytes) -> None:
    """Read a feed, and a sitemap, of the same bytes."""
    is_feed(data)
    feed = parse_feed(data, "http://canal.example/feed", content_type=(None, "text/xml; charset=gbk")[_first(data) % 2])
    assert feed.entries or feed.reason
    for entry in feed.entries:
        if entry.link:
            assert entry.link.startswith(("http://", "https://"))
        for text in (entry.title, entry.text, entry.author, entry.published, entry.id, *entry.categories):
            _is_text(text)
    for address in parse_sitemap(data, "http://canal.example/sitemap.xml").urls:
        assert normalize_url(address.url, address.url) == address.url


def extract(data: bytes) -> None:
    """Read the main text of a page with every extractor of the package, and learn a template from it."""
    page = analyse(data, URL, tokenizer=_words())
    for extractor in _extractors():
        found = extractor.extract(page)
        if found is not None:
            assert 0.0 <= found.confidence.value <= 1.0
            for text in (found.text, found.title, found.author or "", found.published or "", found.category or ""):
                _is_text(text)
            if found.text:
                entry = FeedEntry(URL, title=page.title, text=found.text[:500])
                template = learn_template([(entry, page)] * 3)
                assert template is None or is_valid(entry, template.extract(page)) in (True, False)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "page": read_page,
    "url": normalise_url,
    "topic": read_topic,
    "feed": read_feed,
    "extractors": extract,
}


def _first(data: bytes) -> int:
    return (data[0] if data else 0) % 5


def _is_text(text: str) -> None:
    text.encode()  # no half of a surrogate pair: nothing could store it
    assert "\0" not in text


def _is_url(url: str) -> None:
    assert url.startswith(("http://", "https://"))
    url.encode("ascii")
    assert host_of(url)
    assert registered_domain(host_of(url))


class _Step:
    """A page step, made anew now and then: what it remembers of a host shall not decide what the next page does."""

    pages = 0
    step: PageStep


def _fresh_step() -> PageStep:
    if _Step.pages % _PAGES_A_STEP == 0:
        _Step.step = build_step(TopicSpec.model_validate(_TOPIC))
    _Step.pages += 1
    return _Step.step


@cache
def _words() -> Tokenizer:
    return make_tokenizer("auto")


@cache
def _extractors() -> tuple[Extractor, ...]:
    return tuple(plugins.build("extractors", name) for name in EXTRACTORS)
