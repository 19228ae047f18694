"""URL keys by number, beside a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.graph.keys import KeyTable, key_array

keys = st.lists(st.one_of(st.integers(0, 30), st.integers(0, 2**64 - 1)), max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(keys, max_size=8), keys)
def test_numbers_are_those_of_a_dictionary(batches, asked):
    table, known = KeyTable(1000), {}
    for batch in batches:
        expected = [known.setdefault(key, len(known)) for key in batch]
        assert table.add(key_array(batch)).tolist() == expected
    assert table.find(key_array(asked)).tolist() == [known.get(key, -1) for key in asked]
    assert table.keys.tolist() == list(known)


def test_many_keys_stay_findable_while_the_table_grows():
    table = KeyTable(100_000)
    numbers = np.arange(50_000, dtype=np.uint64) * np.uint64(2**20)  # all alike in their low bits
    for part in np.split(numbers, 50):
        table.add(part)
    assert table.find(numbers).tolist() == list(range(50_000))
    assert (table.find(numbers + np.uint64(1)) == -1).all()
    assert table.nbytes / len(table) < 60


def test_beyond_the_limit_keys_stay_unknown():
    table = KeyTable(3)
    assert table.add(key_array([9, 8, 9])).tolist() == [0, 1, 0]
    assert table.add(key_array([7, 6, 8])).tolist() == [2, -1, 1]
    assert len(table) == 3


def test_another_key_of_a_page_stands_for_its_number():
    table = KeyTable(10)
    table.add(key_array([5, 6]))
    assert table.alias(77, 1)
    assert table.find(key_array([77, 6])).tolist() == [1, 1]
    assert not table.alias(5, 1)  # known already, as another page
    assert table.add(key_array([8])).tolist() == [2]
