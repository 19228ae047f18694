"""Pages no extractor can do much with: no text and a reason, never an exception, bounded time and memory."""

from __future__ import annotations

import gzip
import random
import time
import tracemalloc
from functools import cache

import pytest

from focuscrawl import plugins
from focuscrawl.extraction.base import Extractor
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer

METHODS = ("router", "main-content", "threads", "wiehf", "density_svm", "blocks")
SENTENCE = "The lock keeper opened the lower gate at dawn, and two barges waited below the weir until noon. "
ARTICLE = f"<html><head><title>The gate</title></head><body><h1>The gate</h1><p>{SENTENCE * 3}</p><p>{SENTENCE * 4}</p>"
CHINESE = "船闸看守人清晨打开下闸门，两艘驳船在堰下等候，到了中午闸室才注满水。"
NOISE = random.Random(7).randbytes(60_000)
# What has no text for anybody.
NOTHING = {
    "empty": b"",
    "white space": b" \r\n\t " * 100,
    "binary": b"\x89PNG\r\n\x1a\n" + NOISE,
    "gzip": gzip.compress(ARTICLE.encode(), mtime=0),
    "nulls": bytes(5000),
    "no body": b"<html><head><title>The gate</title></head></html>",
    "a doctype": b"<!DOCTYPE html>",
    "scripts": b"<html><body><script>document.write('" + SENTENCE.encode() * 9 + b"')</script></body></html>",
    "frames": b"<html><head><title>The gate</title></head><frameset><frame src=/nav><frame src=/text></frameset>",
}
# What is broken and has a text all the same.
BROKEN = {
    "truncated in a tag": (ARTICLE + f"<p>{SENTENCE * 2}<a href='/half").encode(),
    "truncated in a character": ARTICLE.encode() + CHINESE.encode()[:-1],
    "no end tags at all": ARTICLE.replace("</p>", "").replace("</h1>", "").encode(),
    "no body element": f"<title>The gate</title><p>{SENTENCE * 3}<p>{SENTENCE * 4}".encode(),
    "two bodies": (ARTICLE + "</body></html><html><body><p>Powered by water</p></body></html>").encode(),
    "XML served as HTML": (
        f"<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'>{ARTICLE[6:]}</body></html>"
    ).encode(),
    "noframes": (
        f"<html><frameset><frame src=/a><noframes><body><p>{SENTENCE * 3}</p><p>{SENTENCE * 4}</p></body></noframes>"
        "</frameset></html>"
    ).encode(),
    "mixed encodings": (
        b"<html><head><meta charset=utf-8><title>The gate</title></head><body><h1>The gate</h1><p>"
        + SENTENCE.encode() * 3
        + CHINESE.encode()
        + b"</p><p>"
        + CHINESE.encode("gb18030")
        + SENTENCE.encode() * 4
    ),
}


@cache
def method(name: str) -> Extractor:
    extractor: Extractor = plugins.build("extractors", name)
    return extractor


def page(body: bytes) -> PageAnalysis:
    return analyse(body, "http://canal.example/gate", tokenizer=make_tokenizer("words"))


@pytest.mark.parametrize("kind", NOTHING)
@pytest.mark.parametrize("name", METHODS)
def test_nothing_gives_no_text_and_a_reason(name: str, kind: str) -> None:
    read = page(NOTHING[kind])
    found = method(name).extract(read)
    if found is None:
        assert read.empty_reason or name == "threads"
    elif kind in ("binary", "gzip"):
        assert "�" in found.text or not found.text  # whatever is legible in it; no more than that
        assert found.confidence.value <= 0.6
    else:
        assert found.text == ""
        assert found.confidence.reason
        assert found.confidence.value == 0.0


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("name", METHODS)
def test_a_broken_page_keeps_its_text(name: str, kind: str) -> None:
    found = method(name).extract(page(BROKEN[kind]))
    if name == "threads":
        assert found is None
        return
    assert found is not None
    assert found.text.count("The lock keeper opened the lower gate at dawn") >= 6
    assert "<" not in found.text


BIG = {
    "100,000 nested tags": b"<div>" * 100_000 + SENTENCE.encode(),
    "100,000 nested inline tags": b"<b><i>" * 50_000 + SENTENCE.encode(),
    "10,000 siblings": b"<div class=post><p class=user>a</p>b c d</div>" * 5_000,
    "100,000 attributes": b"<p " + b" ".join(b"a%d=b" % n for n in range(100_000)) + b">" + SENTENCE.encode(),
    "one line of 4 MB": b"<p>" + SENTENCE.encode() * 40_000,
    "tables in tables": b"<table><tr><td>" * 20_000 + SENTENCE.encode(),
}


@pytest.mark.parametrize("kind", BIG)
def test_a_huge_page_costs_bounded_time_and_memory(kind: str) -> None:
    begin = time.process_time()
    found = method("router").extract(page(BIG[kind]))
    spent = time.process_time() - begin
    nested = kind.startswith(("100,000 nested", "tables"))  # deeper than a browser shows, and than is read
    assert bool(found is not None and found.text) is not nested
    assert spent < 10.0  # a few hundred milliseconds as a rule; this is for slow machines


def test_the_memory_for_a_huge_page_is_a_small_multiple_of_it() -> None:
    body = BIG["10,000 siblings"][:60_000]
    method("router").extract(page(ARTICLE.encode()))  # the packaged numbers
    tracemalloc.start()
    try:
        method("router").extract(page(body))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60e6
