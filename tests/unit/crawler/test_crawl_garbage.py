"""The cyclic garbage collector is left as it was found."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from focuscrawl.crawler import garbage


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
