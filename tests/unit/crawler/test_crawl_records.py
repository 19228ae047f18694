"""What is stored of a result beside its text: posts, keywords, summary."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.extraction.base import Extraction, text_language
from focuscrawl.page.analysis import analyse
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease, PageRecord
from focuscrawl.topic.spec import TopicSpec

URL = "http://canal.example/forum/thread/17"
TEXTS = (
    "The lower gate of our lock sticks at half height since the frost, and the lock keeper is away until spring.",
    "Ours did the same. The lock keeper let the chamber run dry and found a log below the sill of the lower gate.",
    "Thanks.",
)


@pytest.fixture
def step() -> PageStep:
    return build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0, "gate": 0.8, "keeper": 0.8}}))


def stored(step: PageStep, head: str = "", url: str = URL) -> PageRecord:
    posts = "".join(
        f"<div class=post><div class=postprofile><a class=username href=/u/{at}>keeper_{at}</a></div>"
        f"<p class=date>2021-03-0{at + 1} 10:30</p><div class=content><p>{text}</p></div></div>"
        for at, text in enumerate(TEXTS)
    )
    body = f"<title>The lower gate</title>{head}<h1>The lower gate</h1><div>{posts}</div>".encode()
    entry = Entry(url, url_key(url), host_of(url), 1.0)
    lease = Lease(entry, token=1, expires_at=0.0, attempt=1, priority=1.0)
    return step.process(Fetched(url, 200, body, 1_700_000_000.0, "text/html"), lease).record


def test_a_thread_is_stored_with_its_posts_keywords_and_summary(step: PageStep) -> None:
    record = stored(step)
    assert record.relevant
    assert [one["text"] for one in record.records] == list(TEXTS)
    assert [one["author"] for one in record.records] == ["keeper_0", "keeper_1", "keeper_2"]
    assert [one["published"] for one in record.records] == [f"2021-03-0{day}T10:30" for day in (1, 2, 3)]
    assert "lower gate" in record.keywords
    assert record.summary


def test_a_text_has_its_own_language_where_the_page_tells_none(step: PageStep) -> None:
    """What the rules take for the page's text may be a configuration, with hardly a word of any language."""
    page = analyse(b"<pre>meta: false, pages: true</pre>", URL, tokenizer=step.topic.tokenizer)
    assert [text_language(page, found) for found in (None, Extraction("given", "船闸今天开放，过闸的船很多。"))] == [
        "",
        "zh",
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("船闸今天开放，过闸的船很多，" * 4, "zh"),
        ("船闸今天开放，过闸的船很多。", "en"),  # a few names
        ("The lower gate sticks at half height since the frost. " * 3 + "船闸", "en"),
    ],
)
def test_a_text_in_another_script_than_its_page_has_its_own_language(step: PageStep, text: str, language: str) -> None:
    body = b"<html lang=en><p>The gate of the lock is the one that you see to the left of it.</p>"
    page = analyse(body, URL, tokenizer=step.topic.tokenizer)
    assert text_language(page, Extraction("given", text)) == language


def test_nothing_is_told_of_a_page_that_must_not_be_stored(step: PageStep) -> None:
    record = stored(step, "<meta name=robots content=noindex>", f"{URL}8")
    assert (record.text, record.records, record.keywords, record.summary) == ("", (), (), "")


def test_a_duplicate_is_not_described_again(step: PageStep) -> None:
    first, record = stored(step), stored(step, url=f"{URL}9")
    assert record.duplicate_of == first.key
    assert record.keywords == ()


def test_every_verdict_says_where_the_words_of_the_topic_stand(step: PageStep) -> None:
    record = stored(step)
    assert record.evidence["title"] == {"gate": 1}
    assert record.evidence["text"] == {"lock": 3, "gate": 3, "keeper": 2}
    assert "site" not in record.evidence
    assert record.own_terms == 3


def test_a_page_that_must_not_be_stored_is_relevant_and_no_result(step: PageStep) -> None:
    record = stored(step, "<meta name=robots content=noindex>", f"{URL}8")
    assert (record.relevant, record.not_stored) == (True, "asks not to be indexed")
    assert stored(step).not_stored == ""
    assert stored(step, url="http://mirror.example/17").not_stored == "duplicate"
    assert step.counters.progress().not_stored == {"asks not to be indexed": 1, "duplicate": 1}
    assert step.counters.stored == 1


def test_a_page_that_says_what_its_whole_host_says_is_told_to_have_nothing_of_its_own(step: PageStep) -> None:
    records = [stored(step, url=f"{URL}{number}") for number in range(4)]
    assert not records[-1].relevant
    assert records[-1].reason == "no text of its own: all of it stands on many pages of the host"


def test_an_article_under_many_addresses_is_no_result_without_a_text(step: PageStep) -> None:
    def article(path: str, title: str, *paragraphs: str) -> PageRecord:
        links = "".join(f"<p><a href=/seen/{path}{n}>Seen lately: boat {path[-3:]} {n}</a></p>" for n in range(6))
        text = "".join(f"<p>{one}</p>" for one in paragraphs)
        url = f"http://canal.example/{path}"
        body = f"<title>{title}</title><h1>{title}</h1><div>{text}</div><aside>{links}</aside>".encode()
        lease = Lease(Entry(url, url_key(url), host_of(url), 1.0), token=1, expires_at=0.0, attempt=1, priority=1.0)
        return step.process(Fetched(url, 200, body, 1_700_000_000.0, "text/html"), lease).record

    for name in "abcdefghijkl":
        article(f"boat-{name}", f"Boat {name}", f"Boat {name} was painted by its owner and sails to town {name}.")
    ways = ("", "?share=mail", "?share=reddit", "?share=twitter", "?share=x")
    records = [article(f"gate/{way}", "The lock keeper and the lower gate", *TEXTS[:2]) for way in ways]
    assert all(record.relevant for record in records)
    assert [bool(record.text) for record in records if not record.not_stored] == [True]
    assert records[-1].not_stored == "says what many addresses of its host say"
