from __future__ import annotations

import time

import pytest

from focuscrawl import plugins
from focuscrawl.page.analysis import analyse
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

LOCK = (
    "The lock at the old mill was opened again in spring, after the carpenters had hung new gates of green oak in it."
)
KEEPER = "Its keeper counts the boats each evening and writes their names into a book that his grandmother began."


def place(number: int, stand_in: str = "<p>Loading the rest …</p>") -> str:
    return f'<!--$?--><template id="B:{number}"></template>{stand_in}<!--/$-->'


def late(number: int, part: str) -> str:
    return (
        f'<div hidden id="S:{number}">{part}</div><script>$RC=function(b,c){{}};$RC("B:{number}","S:{number}")</script>'
    )


def words(html: str) -> str:
    tree = parse(html)
    assert tree is not None
    return " ".join(" ".join(tree.root.xpath("//body//text()[not(ancestor::script)]")).split())


def test_a_part_that_came_late_stands_in_its_place() -> None:
    html = f"<body><main><p>one</p>{place(0)}<p>three</p></main><footer>end</footer>{late(0, '<p>two</p> too')}</body>"
    assert words(html) == "one two too three end"


def test_parts_within_parts_and_stand_ins_within_stand_ins() -> None:
    inner = "Wait <!--$--><b>a</b><!--/$--> little"
    html = f"<body><main>{place(0, inner)} four</main>{late(0, f'one {place(1)} three')}{late(1, '<i>two</i>')}</body>"
    assert words(html) == "one two three four"


def test_a_segment_takes_the_place_of_its_template() -> None:
    segment = '<div hidden id="S:2"><b>two</b></div><script>$RS("S:2","P:2")</script>'
    assert words(f'<body><p>one <template id="P:2"></template> three</p>{segment}</body>') == "one two three"


@pytest.mark.parametrize(
    "html",
    [
        f'<body><p>one</p><template id="B:0"></template><p>two</p>{late(0, "three")}</body>',  # no end
        f"<body><p>one</p><p>two</p>{late(0, 'three')}</body>",  # no place
        f"<body><p>one</p><p>two</p>{late(0, 'three' + place(0, ''))}</body>",  # in itself
        f'<body><p>one</p><p id="B:0">two</p><!--/$-->{late(0, "three")}</body>',  # no template
    ],
)
def test_a_part_without_a_place_stays_where_it_is(html: str) -> None:
    assert words(html) == "one two three"


def test_the_text_of_a_streamed_page_is_whole_and_in_order() -> None:
    body = f"<main><article><h1>The lock</h1><p>{LOCK}</p>{place(0)}</article></main><footer><p>Canal News</p></footer>"
    page = analyse(
        f"<html><head><title>The lock</title></head><body>{body}{late(0, f'<p>{KEEPER}</p>')}</body></html>".encode(),
        "http://a.example/lock",
        tokenizer=make_tokenizer("words"),
    )
    found = plugins.build("extractors", "router").extract(page)
    assert found is not None
    assert found.text.removeprefix("The lock").strip() == f"{LOCK}\n\n{KEEPER}"


@pytest.mark.parametrize(
    "html",
    [
        "".join(map(place, range(3000))) + "".join(late(number, "<p>x</p>") for number in range(3000)),
        "".join(f'<template id="B:{number}"></template>' for number in range(6000))
        + "".join(late(number, "x") for number in range(3000)),
        "<!--$-->" * 100_000 + late(0, "x"),
        "".join(late(number, "<i>" * 60 + place(number + 1)) for number in range(200)),
    ],
)
def test_many_late_parts_take_little_time(html: str) -> None:
    began = time.process_time()
    assert parse(f"<body>{place(0)}{html}</body>") is not None
    assert time.process_time() - began < 1.0
