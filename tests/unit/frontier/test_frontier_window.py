"""The window over a bucket on disk, beside a sorted list of all of it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.host_queue import HostQueue, Rank
from focuscrawl.frontier.window import WINDOW, WindowBucket

steps = st.lists(st.tuples(st.sampled_from(["add", "add", "take", "remove"]), st.integers(0, 4)), max_size=200)


def load(bucket: WindowBucket, disk: list[Rank]) -> None:
    if bucket.unloaded:
        assert bucket.head() <= min(disk)  # never behind what it stands for
        bucket.load(sorted(disk)[:WINDOW])


@given(steps, st.randoms(use_true_random=False))
def test_the_head_is_the_best_of_all(steps: list[tuple[str, int]], rng: random.Random) -> None:
    bucket, disk = WindowBucket(HostQueue("h", 0.0), "", 0.0), []
    for seq, (step, score) in enumerate(steps):
        if step == "add":
            disk.append((-score / 4, seq))
            bucket.add(disk[-1])
        elif step == "take" and disk:
            load(bucket, disk)
            assert bucket.head() == min(disk)
            assert bucket.take() == min(disk)
            disk.remove(min(disk))
        elif disk:
            gone = disk.pop(rng.randrange(len(disk)))
            bucket.remove(gone)
        assert bucket.ready == len(disk)
        assert len(bucket.best) <= 2 * WINDOW
        assert (bucket.head() is None) == (not disk)
        if disk:
            assert bucket.head() <= min(disk)
            if not bucket.unloaded:
                assert bucket.head() == min(disk)


def test_memory_of_a_bucket_is_bounded() -> None:
    bucket = WindowBucket(HostQueue("h", 0.0), "", 0.0)
    for seq in range(1000):
        bucket.add((-(seq % 97) / 97, seq))
    assert bucket.ready == 1000
    assert bucket.best == [(-96 / 97, 96), (-96 / 97, 193)]  # most buckets are never leased from
    bucket.load([(-96 / 97, seq) for seq in range(96, 1000, 97)][:WINDOW])
    for seq in range(1000, 2000):
        bucket.add((-(seq % 97) / 97, seq))
    assert WINDOW <= len(bucket.best) <= 2 * WINDOW


@pytest.mark.parametrize("better", [True, False])
def test_an_unloaded_bucket_stands_for_its_best(better: bool) -> None:
    bucket = WindowBucket(HostQueue("h", 0.0), "", 0.0)
    bucket.ready, bucket.bound = 100, (-0.5, -1)  # as after opening a file
    bucket.add((-0.75 if better else -0.25, 200))
    assert bucket.unloaded
    assert bucket.head() == ((-0.75, 200) if better else (-0.5, -1))
