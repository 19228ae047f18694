"""Pages of the graph as parts that are saved with a run."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import FocusCrawlError
from focuscrawl.graph.journal import PageLinks, pack, unpack

keys = st.integers(0, 2**64 - 1)
pages = st.lists(st.tuples(keys, keys, st.floats(0, 1), st.lists(keys, max_size=6), st.booleans()), min_size=1)


def page(key, other, relevance, targets, weighted):
    weights = np.linspace(0, 1, len(targets), dtype=np.float32) if weighted else np.empty(0, np.float32)
    return PageLinks(key, other, relevance, np.array(targets, np.uint64), weights)


@given(pages)
def test_pages_come_back_as_they_were(made):
    given_pages = [page(*one) for one in made]
    for one, other in zip(given_pages, unpack(json.loads(json.dumps(pack(given_pages)))), strict=True):
        assert (one.key, one.other_key, one.relevance) == (other.key, other.other_key, other.relevance)
        assert one.targets.tolist() == other.targets.tolist()
        assert one.weights.tolist() == other.weights.tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"keys": "no base64!"},
        {"keys": "AAAA"},
        {"targets": 7},
        {"pages": [[1, 1, 0.5, 99, 0]]},
        {"pages": None},
    ],
)
def test_a_damaged_part_is_named(change):
    part = pack([page(1, 1, 0.5, [2, 3], True)])
    with pytest.raises(FocusCrawlError, match="link graph of the run"):
        unpack(part | change)


def test_a_page_takes_little_room():
    rng = np.random.default_rng(0)
    menu = rng.integers(0, 2**63, 60)
    made = [page(n, n, 0.5, [*menu, *rng.integers(0, 2**63, 50)], True) for n in range(50)]
    assert len(json.dumps(pack(made))) / 50 < 1500
