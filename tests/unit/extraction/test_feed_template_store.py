"""Templates of feeds over time: first learning, drift, back-off, files."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from focuscrawl.errors import StoreError
from focuscrawl.extraction.blocks import BlocksExtractor
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.extraction.template_store import TemplateExtractor, TemplateStore
from focuscrawl.feeds.entries import FeedEntry, ParsedFeed
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer

if TYPE_CHECKING:
    from conftest import Clock

FEED = "https://mill.example/feed.xml"
STONES = "granite basalt sandstone limestone slate marble quartz flint chalk gneiss schist tuff".split()  # noqa: SIM905


def text(n: int) -> str:
    stone = STONES[n % len(STONES)]
    return (
        f"Number {n}: the miller dresses the {stone} with a pick each month, for worn furrows heat and spoil the flour."
        f" A {stone} lasts some forty years when the grain is clean and the gap is kept."
    )


def entry(n: int) -> FeedEntry:
    return FeedEntry(
        f"https://mill.example/{n}", f"On {STONES[n % 12]} {n}", text(n), (), f"2025-01-{n + 1:02d}T00:00:00+00:00"
    )


def page(n: int, layout: str = "old", *, body: str | None = None, footer: str = "") -> PageAnalysis:
    story = f"<p>{text(n) if body is None else body}</p>"
    menu = "<div><a href=/>mill</a> <a href=/grain>grain and other things we sell</a></div>"
    if layout == "old":
        html = f"{menu}<div class=story><h1>{entry(n).title}</h1><div class=text>{story}</div>{footer}</div>"
    elif layout == "new":
        html = f"<table><tr><td>{menu}</td><td class=main><h2>{entry(n).title}</h2><div>{story}</div></td></tr></table>"
    else:
        html = "<div><p>Too many requests, please come back later.</p></div>"
    return analyse(f"<body>{html}</body>".encode(), f"https://mill.example/{n}", tokenizer=make_tokenizer())


def feed(count: int = 12) -> ParsedFeed:
    return ParsedFeed(FEED, "The mill", "https://mill.example/", tuple(entry(n) for n in range(count)))


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> TemplateStore:
    made = TemplateStore(tmp_path / "templates", clock=clock)
    made.add(feed())
    return made


def learned(store: TemplateStore) -> TemplateStore:
    for n in range(3):
        store.extract(page(n))
    assert store.feeds[FEED].current is not None
    return store


def test_the_third_page_of_a_feed_gives_a_template(store: TemplateStore) -> None:
    assert store.extract(page(0)) is None
    assert store.extract(page(1)) is None
    found = store.extract(page(2))
    assert found is not None
    assert found.text == text(2)
    state = store.feeds[FEED]
    assert (state.seen, state.extracted, state.correct) == (3, 1, 1)
    assert len(state.samples) == 0


@pytest.mark.parametrize("train", [1, 2, 7])
def test_the_number_of_pages_that_a_template_is_learned_from_is_a_choice(clock: Clock, train: int) -> None:
    store = TemplateStore(clock=clock, train=train)
    store.add(feed())
    found = [store.extract(page(n)) is not None for n in range(train)]
    assert found == [False] * (train - 1) + [True]


def test_a_feed_with_two_entries_learns_from_two(tmp_path: Path, clock: Clock) -> None:
    store = TemplateStore(clock=clock)
    store.add(feed(2))
    store.extract(page(0))
    assert store.extract(page(1)) is not None


def test_pages_of_the_site_that_are_in_no_feed_are_extracted(store: TemplateStore) -> None:
    found = learned(store).extract(page(77))
    assert found is not None
    assert found.text == text(77)


def test_pages_of_other_sites_are_not(store: TemplateStore) -> None:
    foreign = analyse(b"<body><div>x</div></body>", "https://other.example/1", tokenizer=make_tokenizer())
    assert learned(store).extract(foreign) is None


def test_two_failures_in_a_row_learn_the_new_layout(store: TemplateStore) -> None:
    learned(store)
    old = store.feeds[FEED].current
    assert store.extract(page(3, "new")) is None
    found = store.extract(page(4, "new"))
    assert found is not None
    assert found.text == text(4)
    state = store.feeds[FEED]
    assert (state.previous, state.rate, state.failures) == (old, 1.0, 0)


def test_the_previous_template_is_the_second_choice(store: TemplateStore) -> None:
    learned(store)
    for n in (3, 4):
        store.extract(page(n, "new"))
    found = store.extract(page(5, "old"))
    assert found is not None
    assert found.text == text(5)
    found = store.extract(page(6, "new"))
    assert found is not None
    assert found.text == text(6)


def test_one_error_page_with_status_200_changes_nothing(store: TemplateStore) -> None:
    learned(store)
    before = store.feeds[FEED].current
    assert store.extract(page(3, "error")) is None
    assert store.extract(page(4)) is not None
    state = store.feeds[FEED]
    assert state.current == before
    assert state.failures == 0
    assert state.rate == pytest.approx(0.8 * 0.8 + 0.2)


def test_failed_learning_backs_off_an_hour_then_two_up_to_a_day(store: TemplateStore, clock: Clock) -> None:
    state = store.feeds[FEED]
    waits = []
    for n in range(9):
        for k in range(3):
            store.extract(page((3 * n + k) % 12, "error"))
        waits.append((state.retry_at - clock.now) / 3600.0)
        clock.now = state.retry_at
    assert waits == [1, 2, 4, 8, 16, 24, 24, 24, 24]
    assert state.current is None


def test_nothing_is_learned_before_the_wait_is_over(store: TemplateStore, clock: Clock) -> None:
    for n in range(3):
        store.extract(page(n, "error"))
    clock.advance(3599)
    assert [store.extract(page(n)) for n in range(5)] == [None] * 5
    clock.advance(2)
    assert store.extract(page(6)) is not None


def test_samples_are_few(store: TemplateStore) -> None:
    for n in range(40):
        store.extract(page(n % 12, "error"))
    assert len(store.feeds[FEED].samples) <= 5


def test_a_run_that_goes_on_knows_its_templates(store: TemplateStore, tmp_path: Path, clock: Clock) -> None:
    learned(store).save()
    again = TemplateStore(tmp_path / "templates", clock=clock)
    again.load()
    assert again.feeds[FEED].fields() == store.feeds[FEED].fields()
    found = again.extract(page(50))  # without the feed: by its host
    assert found is not None
    assert found.text == text(50)
    again.add(feed())
    assert again.feeds[FEED].current is not None


def test_a_file_is_plain_json_and_alone(store: TemplateStore, tmp_path: Path) -> None:
    learned(store).save()
    (path,) = (tmp_path / "templates").iterdir()
    fields = json.loads(path.read_text(encoding="utf-8"))
    assert fields["feed"] == FEED
    assert fields["hosts"] == ["mill.example"]
    assert fields["recall"] == pytest.approx(1 / 3)
    assert fields["precision"] == 1.0


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"feed": "x", "current": {"body": 3}}', b"\xff\xfe"])
def test_a_broken_file_is_left_out_with_a_warning(
    content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.json").write_bytes(content)
    store = TemplateStore(tmp_path)
    with caplog.at_level(logging.WARNING):
        store.load()
    assert store.feeds == {}
    assert "learned anew" in caplog.text


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "templates").write_text("a file")
    store = TemplateStore(tmp_path / "templates", clock=clock)
    store.add(feed())
    with pytest.raises(StoreError, match="templates cannot be written"):
        store.save()


def test_the_other_extractor_does_what_templates_cannot(store: TemplateStore) -> None:
    extractor = TemplateExtractor(store, BlocksExtractor())
    methods = [found.method for n in range(4) if (found := extractor.extract(page(n))) is not None]
    assert methods == ["blocks", "blocks", "feed_template", "feed_template"]


def test_what_a_template_does_not_know_is_read_from_the_page(store: TemplateStore) -> None:
    extractor = TemplateExtractor(store, BlocksExtractor())
    learned(store)
    line = "By Ann Lee on <time datetime=2025-01-08T09:30:00+08:00>8 January</time> in"
    links = "<a href=/c rel=category>Stones</a> <a href=/t rel=tag>basalt</a>"
    signed = page(7, footer=f"<p class=byline>{line} {links}</p>")
    found = extractor.extract(signed)
    assert found is not None
    assert (found.method, found.text, found.title) == ("feed_template", text(7), entry(7).title)
    assert (found.author, found.category, found.tags) == ("Ann Lee", "Stones", ("basalt",))
    assert found.published == "2025-01-08T09:30:00+08:00"


def test_a_feed_of_many_sites_has_a_template_for_each(tmp_path: Path, clock: Clock) -> None:
    def moved(n: int) -> str:
        return f"https://{'kiln' if n % 2 else 'mill'}.example/{n}"

    entries = tuple(FeedEntry(moved(n), entry(n).title, text(n), (), entry(n).published) for n in range(10))
    store = TemplateStore(tmp_path / "templates", clock=clock)
    store.add(ParsedFeed("https://planet.example/feed.xml", entries=entries))
    found = []
    for n in range(10):
        html = page(n, "new" if n % 2 else "old").tree
        assert html is not None
        body = etree.tostring(html.root, encoding="utf-8", method="html")
        found.append(store.extract(analyse(body, moved(n), tokenizer=make_tokenizer())))
    assert [one.text if one else None for one in found] == [None] * 4 + [text(n) for n in range(4, 10)]
    assert {state.site for state in store.feeds.values()} == {"kiln.example", "mill.example"}
    store.save()
    again = TemplateStore(tmp_path / "templates", clock=clock)
    again.load()
    assert set(again.feeds) == set(store.feeds)


def test_of_many_feeds_that_list_a_page_a_few_are_asked(clock: Clock) -> None:
    store = TemplateStore(clock=clock)
    for number in range(40):
        store.add(replace(feed(2), url=f"https://mill.example/feed/{number}"))
    store.extract(page(0))
    assert sum(state.seen for state in store.feeds.values()) == 5


def thread(n: int, *, posts: int) -> PageAnalysis:
    html = f"<h1>{entry(n).title}</h1><div class=thread>" + "".join(
        f"<div class=post id=p{at}><p>By: <a href=/member/{at}/>miller{'abcdef'[at]}</a> on Jan. {at + 1}, 2025</p>"
        f"<div class=text><p>{text(n + at)}</p></div></div>"
        for at in range(posts)
    )
    body = f"<body>{html}</div></body>".encode()
    return analyse(body, f"https://mill.example/{n}", tokenizer=make_tokenizer())


def test_threads_of_a_feed_are_read_as_threads(store: TemplateStore) -> None:
    extractor = TemplateExtractor(store, RouterExtractor())
    for n in range(4):
        found = extractor.extract(thread(n, posts=1))
    assert found is not None
    assert found.method == "feed_template"
    found = extractor.extract(thread(4, posts=5))
    assert found is not None
    assert found.method == "threads"
    assert [one.author for one in found.records] == ["millera", "millerb", "millerc", "millerd", "millere"]
    assert [one.text for one in found.records] == [text(4 + at) for at in range(5)]
