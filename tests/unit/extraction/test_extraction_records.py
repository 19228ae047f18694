from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from focuscrawl.extraction import main_content, router, thread_records
from focuscrawl.extraction.base import Record
from focuscrawl.extraction.blocks import BlocksExtractor
from focuscrawl.extraction.main_content import Judged, MainContentExtractor, judge_lines
from focuscrawl.extraction.records import find_records
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.extraction.segments import segment
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis, PageKind
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

TEXT = "The lock was closed when we came down the river on the second day of the trip."


def records(html: str) -> tuple[Record, ...]:
    tree = parse(html)
    assert tree is not None
    found = segment(tree.root)
    return find_records(found, [at for at, line in enumerate(found.lines) if len(line.text) > 40])


def test_posts_with_author_and_date() -> None:
    post = (
        "<div class=post><p class=username>{0}</p><span>2021-03-0{1} 10:00</span><div class=text><p>{2}</p></div></div>"
    )
    html = "".join(post.format(name, day, TEXT) for name, day in (("ann", 1), ("bo", 2), ("cy", 3)))
    assert records(f"<div>{html}</div>") == tuple(
        Record(TEXT, name, f"2021-03-0{day}T10:00") for name, day in (("ann", 1), ("bo", 2), ("cy", 3))
    )


@pytest.mark.parametrize("signed", [0, 2, 3])
def test_sections_that_are_hardly_signed_are_no_posts(signed: int) -> None:
    sections = "".join(
        f"<section><h2>Part {n}</h2><p>{TEXT}</p>{'<i>2024-05-01</i>' if n < signed else ''}</section>"
        for n in range(12)
    )
    assert len(records(f"<div>{sections}</div>")) == (12 if signed == 3 else 0)


def test_one_body_has_no_records() -> None:
    assert records(f"<div><p>{TEXT}</p><p>{TEXT}</p><p>{TEXT}</p></div>") == ()
    assert records(f"<div class=a>{TEXT * 9}</div><div class=a>{TEXT}</div><div class=a>{TEXT}</div>") == ()


@pytest.mark.parametrize(("kind", "count"), [(PageKind.MULTI_BODY, 3), (PageKind.ARTICLE, 0)])
def test_only_a_page_of_several_bodies_has_records(kind: PageKind, count: int) -> None:
    post = "<div class=post><p class=username>ann</p><p>2021-03-0{0} 10:00</p><div class=text><p>{1}</p></div></div>"
    html = f"<title>Locks</title><h1>Locks</h1><div>{''.join(post.format(day, TEXT * 3) for day in (1, 2, 3))}</div>"
    page = replace(analyse(html.encode(), "http://a.example/", tokenizer=make_tokenizer("words")), kind=kind)
    found = MainContentExtractor().extract(page)
    assert found is not None
    assert TEXT in found.text
    assert len(found.records) == count


PAGE = analyse(b"<p>text</p>", "http://a.example/", tokenizer=make_tokenizer("words"))


def test_the_lines_of_a_page_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(page: PageAnalysis) -> Judged | None:
        calls.append(page)
        return judge_lines(page)

    for module in (router, main_content, thread_records):
        monkeypatch.setattr(module, "judge_lines", counted)
    found = RouterExtractor().extract(PAGE)
    assert found is not None
    assert len(calls) == 1


def test_blocks_are_as_sure_as_their_lines_are_judged() -> None:
    article = f"<article><p>{TEXT}</p><p>{TEXT}<br>It was shut.</p></article>"
    html = f"<title>The lock</title><body>{article}<nav><a href=/>Home</a></nav></body>"
    page = analyse(html.encode(), "http://a.example/", tokenizer=make_tokenizer("words"))
    judged = judge_lines(page)
    assert judged is not None
    assert [line.text for line in judged.found.lines] == [TEXT, TEXT, "It was shut.", "Home"]
    told = replace(judged, probabilities=np.array([0.2, 0.4, 0.9, 0.9]), weights=np.array([16.0, 16.0, 8.0, 1.0]))
    found = BlocksExtractor().extract_judged(page, told)
    assert found is not None
    assert found.text.count(TEXT) == 2
    mean, share = (0.2 * 16 + 0.4 * 16 + 0.9 * 8) / 40, len(found.text) / 400
    assert found.confidence.parts == pytest.approx({"probability": mean, "length": share})
    assert found.confidence.value == pytest.approx(mean * (0.5 + 0.5 * share))
    nothing = BlocksExtractor().extract_judged(page, replace(told, probabilities=np.zeros(4)))
    assert nothing is not None
    assert nothing.confidence.value == 0.0
    assert BlocksExtractor().extract_judged(page, None) == BlocksExtractor().extract(page)


def test_the_router_hears_how_sure_blocks_are_by_their_lines() -> None:
    titles = "".join(f"<li><a href=/{at}>Lock {at}</a></li>" for at in range(20))
    html = f"<title>Locks</title><body><div>Search</div><div>0%</div><div>Menu</div><ul>{titles}</ul></body>"
    page = analyse(html.encode(), "http://a.example/tags/lock/", tokenizer=make_tokenizer("words"))
    found, alone = RouterExtractor().extract(page), BlocksExtractor().extract_judged(page, judge_lines(page))
    assert found is not None
    assert alone is not None
    assert found.confidence.parts["blocks"] == alone.confidence.value


@pytest.mark.parametrize(("probability", "has_text"), [(0.05, False), (0.2, True)])
def test_what_is_judged_as_no_main_content_is_no_text_of_another_method(
    monkeypatch: pytest.MonkeyPatch, probability: float, has_text: bool
) -> None:
    page = analyse(f"<body><div><p>{TEXT}</p></div>".encode(), "http://a.example/", tokenizer=make_tokenizer("words"))
    judged = judge_lines(page)
    assert judged is not None
    told = replace(judged, probabilities=np.full(len(judged.found.lines), probability), threshold=0.1)
    monkeypatch.setattr(router, "judge_lines", lambda _page: told)
    found = RouterExtractor().extract(page)
    assert found is not None
    assert set(found.confidence.parts) == {"main-content", "wiehf", "blocks"}
    assert bool(found.text) == has_text
    assert (found.confidence.value > 0.0) == has_text


def test_a_notice_of_the_site_is_no_text_of_another_method(monkeypatch: pytest.MonkeyPatch) -> None:
    html = f"<body><div><p>{TEXT}</p></div><div class=footer><p>Copyright 2024 Canal News. {TEXT}</p></div>"
    page = analyse(html.encode(), "http://a.example/", tokenizer=make_tokenizer("words"))
    judged = judge_lines(page)
    assert judged is not None
    unsure = replace(judged, probabilities=np.full(len(judged.found.lines), 0.2), threshold=0.3)
    monkeypatch.setattr(router, "judge_lines", lambda _page: unsure)
    found = RouterExtractor().extract(page)
    assert found is not None
    assert found.method != "main-content"
    assert found.text == TEXT
