"""The cyclic garbage collector is left as it was found, and does not have to free pages."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from focuscrawl.crawler import garbage
from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.page.tree import PageTree
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.spec import TopicSpec


@pytest.fixture
def thresholds() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)
    gc.unfreeze()


def test_a_crawl_relaxes_the_collector_and_gives_it_back(thresholds: tuple[int, int, int]) -> None:
    garbage.relax()
    assert gc.get_threshold()[0] > thresholds[0]
    assert gc.get_freeze_count() > 0
    garbage.restore()
    assert gc.get_threshold() == thresholds
    assert gc.get_freeze_count() == 0


def test_the_last_of_several_crawls_gives_it_back(thresholds: tuple[int, int, int]) -> None:
    garbage.relax()
    garbage.relax()
    garbage.restore()
    assert gc.get_threshold() != thresholds
    garbage.restore()
    assert gc.get_threshold() == thresholds
    garbage.restore()
    assert gc.get_threshold() == thresholds


@pytest.mark.parametrize("chosen", [(0, 10, 10), (200_000, 5, 5)])
def test_a_choice_of_the_users_stays(thresholds: tuple[int, int, int], chosen: tuple[int, int, int]) -> None:
    gc.set_threshold(*chosen)
    garbage.relax()
    assert gc.get_threshold() == chosen
    garbage.restore()
    assert gc.get_threshold() == chosen


def trees() -> int:
    return sum(isinstance(thing, PageTree) for thing in gc.get_objects())


def test_the_tree_of_a_page_goes_with_its_step() -> None:
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}), choices=StepChoices())
    gc.collect()
    before = trees()
    for number, word in enumerate(("lock", "boat", "lock")):
        url = f"http://canal.example/{number}"
        body = f"<title>A {word}</title><p>Of a {word} and a <a href='/{word}'>{word}</a> with words.</p>" * 9
        lease = Lease(Entry(url, url_key(url), host_of(url), 1.0), number + 1, 0.0, 1, 1.0)
        result = step.process(Fetched(url, 200, body.encode(), 1_700_000_000.0, "text/html"), lease)
        assert result.record.relevant is (word == "lock")
        assert trees() == before
