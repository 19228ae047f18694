"""What earlier visits say of a page: how often it changed, and what it may be asked with."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from focuscrawl.crawler.page_history import RunFreshness, StoredPage, visited_pages
from focuscrawl.records import PageRecord
from focuscrawl.recrawl.rates import Interval
from focuscrawl.visits import Saw, Visit

DAY = 86_400.0


def page(key: int = 1, host: str = "a.example", **fields: object) -> PageRecord:
    url = f"http://{host}/{key}"
    return PageRecord(key, url, url, host, fetched_at=5.0, status=200, relevance=0.8, **fields)  # type: ignore[arg-type]


def visit(at: float, saw: Saw, status: int = 200, *, key: int = 1, **answer: str) -> Visit:
    return Visit(key, at * DAY, saw, status, **answer)


def of(*visits: Visit) -> StoredPage:
    [found] = visited_pages([page()], visits)
    return found


def test_a_page_never_visited_again_is_as_old_as_its_fetch() -> None:
    history = of().history
    assert (history.key, history.host, history.visited_at, history.intervals) == (1, "a.example", 5.0, ())
    assert history.weight == 0.8
    [off_topic] = visited_pages([replace(page(), relevance=0.0)], [])
    assert off_topic.history.weight == 0.01


def test_each_answer_after_the_first_ends_an_interval_and_a_failure_none() -> None:
    found = of(
        visit(1, Saw.FIRST),
        visit(2, Saw.UNCHANGED, 304),
        visit(3, Saw.FAILED, 503),
        visit(5, Saw.CHANGED),
        visit(6, Saw.MOVED),
        visit(7, Saw.GONE, 404),
    ).history
    assert found.visited_at == 7 * DAY
    assert found.intervals == (
        Interval(DAY, False),
        Interval(3 * DAY, True),
        Interval(DAY, True),
        Interval(DAY, False),
    )


FIRST = visit(1, Saw.FIRST, body="b1", text="t1", etag='"1"', modified="Mon")


def test_a_page_is_asked_for_with_the_validators_of_its_last_answer() -> None:
    earlier = of(FIRST, visit(2, Saw.CHANGED, body="b2", text="t2", etag='"2"', modified="Tue")).earlier
    assert (earlier.etag, earlier.modified, earlier.body, earlier.text) == ('"2"', "Tue", "b2", "t2")


def unmodified(at: float) -> Visit:
    return visit(at, Saw.UNCHANGED, 304, body="b1", text="t1", etag='"1"', modified="Mon")


def test_after_four_answers_in_a_row_that_it_is_not_modified_the_page_itself_is_asked_for() -> None:
    answers = [FIRST, *(unmodified(2 + n) for n in range(3))]
    assert of(*answers).earlier.etag == '"1"'
    fourth = of(*answers, unmodified(6)).earlier
    assert (fourth.etag, fourth.modified, fourth.body) == ("", "", "b1")
    seen = visit(7, Saw.UNCHANGED, body="b1", etag='"1"', modified="Mon")
    assert of(*answers, unmodified(6), seen, unmodified(8)).earlier.etag == '"1"', "it was told the truth"


def test_after_a_wrong_answer_to_a_condition_none_is_sent_until_the_page_has_come() -> None:
    wrong = visit(2, Saw.FAILED, 304)
    assert of(FIRST, wrong).earlier.etag == ""
    assert of(FIRST, wrong, unmodified(3)).earlier.etag == ""
    assert of(FIRST, wrong, visit(3, Saw.UNCHANGED, body="b1", etag='"1"')).earlier.etag == '"1"'
    assert of(FIRST, visit(2, Saw.FAILED, 503)).earlier.etag == '"1"', "another failure says nothing of conditions"


def test_a_host_that_gives_one_etag_to_two_pages_is_asked_with_none() -> None:
    pages = [page(1), page(2), page(3, "b.example")]
    visits = [visit(1, Saw.FIRST, key=key, body=f"b{key}", etag='"same"', modified="Mon") for key in (1, 2, 3)]
    assert [found.earlier.etag for found in visited_pages(pages, visits)] == ["", "", '"same"']
    assert {found.earlier.modified for found in visited_pages(pages, visits)} == {"Mon"}


def test_a_host_whose_pages_change_within_one_last_modified_is_asked_without_it() -> None:
    pages = [page(1), page(2), page(3, "b.example")]
    visits = [visit(1, Saw.FIRST, key=key, body="b", etag=f'"{key}"', modified="Mon") for key in (1, 2, 3)]
    visits.append(visit(2, Saw.CHANGED, key=1, body="other", etag='"4"', modified="Mon"))
    assert [found.earlier.modified for found in visited_pages(pages, visits)] == ["", "", "Mon"]
    assert [found.earlier.etag for found in visited_pages(pages, visits)] == ['"4"', '"2"', '"3"']


def test_a_failure_between_two_answers_hides_no_change_within_one_last_modified() -> None:
    failed = visit(2, Saw.FAILED, 503)
    changed = visit(3, Saw.CHANGED, body="other", etag='"2"', modified="Mon")
    assert of(FIRST, failed, changed).earlier.modified == ""


def test_freshness_is_that_of_the_pages_that_are_there() -> None:
    assert RunFreshness.of([], now=0.0) == RunFreshness(0, 1.0, 0.0)
    gone, there = page(1, revisit=Saw.GONE), page(2)
    visits = [visit(0, Saw.FIRST, key=2), *(visit(day, Saw.CHANGED, key=2) for day in range(1, 40))]
    pages = visited_pages([gone, there], visits)
    assert [one.is_gone for one in pages] == [True, False]
    at_once, later = (RunFreshness.of(pages, now=(39 + days) * DAY) for days in (0, 10))
    assert (at_once.pages, at_once.freshness, at_once.age_s) == (1, pytest.approx(1.0), pytest.approx(0.0))
    assert later.freshness < math.exp(-5)
    assert 5 * DAY < later.age_s < 10 * DAY
