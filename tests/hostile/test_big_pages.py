"""Pages made to be costly: cut where they are too long, and their best links kept."""

from __future__ import annotations

import pytest
from cpu_kit import cpu_limit

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_options import StepOptions
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.page.tree import MAX_CHARS, MAX_ELEMENTS, parse
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.mentions import Mentions
from focuscrawl.topic.spec import TopicSpec

URL = "http://canal.example/all"
MANY = MAX_ELEMENTS + 20_000
# Twice the promise: processes that run beside the test slow its own down.
MOST_SECONDS = 5.0
BIG = {
    "links": "".join(f'<p><a href="/{at}" title="t{at}">road {at}</a>' for at in range(100_000)),
    "a million links": "<a href=x>lock gate</a>" * 900_000,
    "links of nothing but words": f'<a href="/{"船閘" * 1_900}">lock</a>' * 1_400,
    "nested blocks": "<div>" * MANY + "lock",
    "nested inline and blocks": "<b><p>" * MANY + "lock",
    "links of the head in nested blocks": "".join(f'<div><link rel=alternate href="/a{at}">' for at in range(7_400)),
    "cells": "<table><tr>" + "<td>1" * 1_000_000 + "</table>",
    "headings": "".join(f"<h2>lock {at}</h2>" for at in range(150_000)),
    "one word": "<p>" + "船闸" * 650_000,
    "an attribute": f'<p title="{"x" * 15_000_000}">lock</p>',
    "line breaks": "lock<br>" * MANY,
    "ligatures": "<p>" + "\ufdfa" * 1_100_000,
}


@pytest.fixture
def step() -> PageStep:
    spec = {"name": "locks", "language": "en", "terms": {"lock": 1.0, "gate": 0.8, "船闸": 0.7}}
    return build_step(TopicSpec.model_validate(spec))


def lease(url: str) -> Lease:
    return Lease(Entry(url, url_key(url), host_of(url), 1.0), token=1, expires_at=0.0, attempt=1, priority=1.0)


def answer(body: str) -> Fetched:
    return Fetched(URL, 200, body.encode(), 1_700_000_000.0, "text/html; charset=utf-8")


def in_time(step: PageStep, fetched: Fetched) -> StepResult:
    """Return what a page comes to, within the promised CPU time."""
    with cpu_limit(MOST_SECONDS):
        return step.process(fetched, lease(URL))


@pytest.mark.parametrize("name", BIG)
def test_a_big_page_is_settled_in_time(step: PageStep, name: str) -> None:
    result = in_time(step, answer(BIG[name]))
    assert result.record.outcome == "done"
    assert len(result.settlement.found) <= 500


def test_a_plain_text_of_a_million_addresses_is_settled_in_time(step: PageStep) -> None:
    text = Fetched(URL, 200, b"http://a.b/c " * 1_200_000, 1_700_000_000.0, "text/plain")
    result = in_time(step, text)
    assert result.record.outcome == "done"


@pytest.mark.parametrize("name", BIG)
def test_no_tree_is_larger_than_stated(name: str) -> None:
    tree = parse(BIG[name])
    assert tree is not None
    assert sum(1 for _ in tree.root.iter()) <= MAX_ELEMENTS + 10
    assert sum(map(len, tree.root.itertext())) <= MAX_CHARS
    assert tree.truncated is (name != "an attribute") or len(BIG[name]) > MAX_CHARS


@pytest.mark.parametrize("where", [0, 99_500])
def test_the_best_500_links_are_kept_wherever_they_stand(step: PageStep, where: int) -> None:
    links = [f'<p><a href="/road/{at}">market road {at}</a></p>' for at in range(99_500)]
    links[where:where] = [f'<p><a href="/lock/{at}"><b>Locks</b> {at}</a></p>' for at in range(500)]
    found = step.process(answer("<h1>lock</h1>" + "".join(links)), lease(URL)).settlement.found
    assert [entry.url.removeprefix("http://canal.example") for entry in found] == [f"/lock/{at}" for at in range(500)]


def test_of_too_many_equal_links_the_first_are_kept(step: PageStep) -> None:
    links = "".join(f'<p><a href="/{at}">road</a></p>' for at in range(900))
    found = step.process(answer(links), lease(URL)).settlement.found
    assert [entry.url for entry in found] == [f"http://canal.example/{at}" for at in range(500)]


def test_words_are_found_as_they_stand_in_raw_text() -> None:
    mentions = Mentions({"lock": 1.0, "lock gate": 0.5, "船闸": 0.7, "a+b": 0.2})
    texts = ["Locks and a LOCK gate", "a block", "去船闸的路 /lock/3", "the gate", "a+b", "gate\nlock", ""]
    assert mentions(texts) == pytest.approx([1.5, 0.0, 1.7, 0.0, 0.2, 1.0, 0.0])
    assert Mentions({"三峡": 1.0, "巫峽": 0.5})(["長江三峽", "巫峡", "峡"]) == pytest.approx([1.0, 0.5, 0.0])
    assert Mentions({})(texts) == [0.0] * len(texts)


def markdown_step() -> PageStep:
    """Return a step to which every page is a result that is kept as Markdown, too."""
    spec = {"name": "locks", "language": "en", "terms": {"lock": 1.0, "gate": 0.8}, "judge": {"threshold": 0.0001}}
    return build_step(TopicSpec.model_validate(spec), choices=StepChoices(options=StepOptions(markdown=True)))


@pytest.mark.parametrize("blocks", ["<footer>© 2024</footer><div>lock</div>", "<p>© 2024</p>"])
def test_many_notices_in_a_result_take_no_longer(blocks: str) -> None:
    text = "<p>The gate of the lock holds the water of the canal; the keeper opens it.</p>" * 20
    body = f"<title>Lock gate</title>{text}{'<div>' * 1_500}{blocks * 6_000}"
    with cpu_limit(MOST_SECONDS):
        result = markdown_step().process(answer(body), lease(URL))
    assert result.item_wanted


@pytest.mark.parametrize("tag", ["p", "pre", "td", "h2"])
def test_marks_out_of_order_in_a_result_take_no_longer(tag: str) -> None:
    step = markdown_step()
    text = "<p>The gate of the lock holds the water of the canal; the keeper opens it.</p>" * 20
    marks = "\u0301\u0323" * 30_000
    body = f"<title>Lock gate</title>{text}<{tag}>lock a{marks}</{tag}>"
    result = in_time(step, answer(body))
    assert result.item_wanted


@pytest.mark.parametrize(
    ("sign", "times"), [("\ufdfa", 900), ("\ufdfb", 900), ("㍘", 40_000), ("㋿", 40_000), ("½", 40_000)]
)
def test_signs_that_are_written_out_are_kept_where_a_text_has_some(sign: str, times: int) -> None:
    some, flood = (
        parse(f"<p>{text}</p>") for text in (f"the keeper {sign} of the lock" * (times // 40), f"{sign} a" * times)
    )
    assert some is not None
    assert flood is not None
    assert sign in some.root.findtext(".//p")
    assert sign not in flood.root.findtext(".//p")


@pytest.mark.parametrize("text", ["… " * 450_000, "<i>…</i>" * 10_000], ids=["long", "in pieces"])
def test_notices_about_scripts_within_each_other_take_no_longer(step: PageStep, text: str) -> None:
    body = f"<title>Lock gate</title><script></script>{'<noscript>' * 1_900}{text}"
    result = in_time(step, answer(body))
    assert result.record.outcome == "done"


@pytest.mark.parametrize("tag", ["h2", 'a href="/p{}"'])
def test_headings_and_links_that_nobody_closes_take_no_longer(step: PageStep, tag: str) -> None:
    opened = "".join(f"<section><{tag.format(number)}>lock {number} " for number in range(900))
    body = f"<title>Lock gate</title><body>{opened}<p>{'the gate of a lock ' * 50_000}"
    result = in_time(step, answer(body))
    assert result.record.outcome == "done"


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("<var>", "<p>lock gate {n}"),
        ("<i>", '<a href="/{n}">lock gate</a>'),
        ('<ul class="c{n}">', "<h3>lock gate {n}</h3>"),
        ('<ul class="post">', "<p>the gate of the lock {n}</p>"),
    ],
)
def test_what_follows_thousands_of_open_elements_takes_no_longer(step: PageStep, above: str, below: str) -> None:
    opened = "".join(above.format(n=number) for number in range(1_900))
    body = f"<title>Lock gate</title><body>{opened}" + "".join(below.format(n=number) for number in range(12_000))
    result = in_time(step, answer(body))
    assert result.record.relevant


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("<ul>", "<li>the gate of lock {n}"),
        ("<b>", "<h3>lock gate {n}</h3>"),
        ("<pre>", "<pre>the gate of lock {n}</pre>"),
    ],
)
def test_markdown_of_what_follows_thousands_of_open_elements_takes_no_longer(above: str, below: str) -> None:
    step = markdown_step()
    body = f"<title>Lock gate</title><body>{above * 1_900}" + "".join(below.format(n=n) for n in range(9_000))
    result = in_time(step, answer(body))
    assert result.record.markdown


@pytest.mark.parametrize(
    ("above", "times", "below"),
    [
        ("<div class=author>", 1_800, "<i></i>"),
        ("<span class=fa-user>", 1_800, "<i></i>"),
        ("<div></div><div></div><div><span>Joined 12 May 2024</span>", 900, "<h3>x</h3>"),
        ("<ul><li><li><li><span>Joined 12 May 2024</span>", 600, "<i></i>"),
    ],
)
def test_names_and_dates_around_thousands_of_elements_take_no_longer(
    step: PageStep, above: str, times: int, below: str
) -> None:
    text = "<p>The gate of the lock holds the water of the canal; the keeper opens it.</p>" * 12
    body = f"<title>Lock gate</title>{text}<div class=comment>{above * times}{below * 11_000}"
    result = in_time(step, answer(body))
    assert result.item_wanted


def test_headings_with_readings_within_each_other_take_no_longer(step: PageStep) -> None:
    text = "<p>The gate of the lock holds the water of the canal; the keeper opens it.</p>" * 12
    headings = "<section><h1><rt>" * 60
    body = f"<title>Lock gate</title>{text}{headings}{'<b>' * 1_700}{'x<i>y</i>' * 13_000}"
    result = in_time(step, answer(body))
    assert result.item_wanted
