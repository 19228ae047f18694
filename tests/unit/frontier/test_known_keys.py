"""The scores that the SQLite frontier remembers, beside a plain dictionary."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.frontier import known
from focuscrawl.frontier.known import KnownKeys
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry
from focuscrawl.types import digest64


def entry(key: int, score: float) -> Entry:
    return Entry(f"http://e.org/{key}", key, "e.org", score)


@pytest.fixture(autouse=True)
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_FIRST_PLACES", 4)
    monkeypatch.setattr(known, "_PLACES", 64)


scores = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, math.inf])
batches = st.lists(st.lists(st.tuples(st.integers(0, 40), scores), min_size=1, max_size=12), max_size=8)


@settings(max_examples=300)
@given(batches)
def test_what_is_remembered_is_what_was_told_last(told: list[list[tuple[int, float]]]) -> None:
    memory, model = KnownKeys(), dict[int, float]()
    for batch in told:
        memory.remember([key for key, _ in batch], [score for _, score in batch])
        model.update(batch)
    for key in range(41):
        for score in (-2.0, 0.0, 0.3, 2.0):
            known_for_sure = not memory.undecided([entry(key, score)])
            assert not known_for_sure or score <= model[key]


def test_nothing_is_lost_while_there_are_places_enough() -> None:
    memory = KnownKeys()
    for key in range(41):
        memory.remember([key], [0.5])
    found = [entry(key, score) for key in range(41) for score in (0.5, 0.6)]

    assert memory.undecided(found) == [one for one in found if one.score > 0.5]
    assert memory.undecided([entry(41, 0.0)])


def test_an_empty_place_is_not_taken_for_key_0() -> None:
    memory = KnownKeys()
    assert memory.undecided([entry(0, 0.0)])
    memory.remember(range(1, 30), [1.0] * 29)  # the table grows
    assert memory.undecided([entry(0, 0.0)])
    memory.remember([0], [0.5])
    memory.remember(range(30, 60), [1.0] * 30)
    assert not memory.undecided([entry(0, 0.5)])


def test_a_table_that_is_full_forgets_and_grows_no_more() -> None:
    memory = KnownKeys()
    keys = [digest64(f"http://e.org/{n}") for n in range(1_000)]
    for key in keys:
        memory.remember([key], [1.0])

    kept = [key for key in keys if not memory.undecided([entry(key, 1.0)])]
    assert 0 < len(kept) <= 64
    assert keys[-1] in kept


def test_a_score_too_large_for_a_place_is_looked_up() -> None:
    memory = KnownKeys()
    memory.remember([1], [0.5])
    assert memory.undecided([entry(1, 1e300)])  # which is refused later, with a sentence


def test_a_raise_that_moves_nothing_counts_as_none() -> None:
    memory = KnownKeys()
    memory.remember([1], [0.7])
    assert not memory.undecided([entry(1, 0.7 + 1e-9)])
    assert memory.undecided([entry(1, 0.7 + 1e-6)])


def test_links_found_again_are_known_however_many_came_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_FEWEST", 20)  # keys in memory before they go to the index of the file
    links = [Entry(url, digest64(url), "e.org", 0.5) for url in (f"http://e.org/{n}" for n in range(300))]
    better = [replace(link, score=0.6) for link in links]  # so that each has to be looked up

    async def crawl() -> None:
        for found in (links, better):
            frontier = SqliteFrontier(tmp_path / "crawl.db")
            await frontier.open()
            for at in range(0, 300, 10):
                await frontier.push(found[at : at + 10])
            assert (await frontier.push([*links[:5], *(replace(link, score=0.7) for link in links[5:10])])).added == 0
            assert (await frontier.stats()).queued == 300
            await frontier.close()

    asyncio.run(crawl())
