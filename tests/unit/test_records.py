"""What is known of a link comes back from its stored form as it was."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import FrontierError
from focuscrawl.records import NO_ORIGIN, Entry, Origin

SCORES = st.dictionaries(st.text(max_size=5), st.floats(0.0, 1.0), max_size=4)
ORIGINS = st.builds(
    Origin,
    parent=st.none() | st.integers(0, 2**64 - 1),
    parent_url=st.text(max_size=20),
    anchor=st.text(max_size=20),
    parts=SCORES,
    carried=SCORES,
    without_anchor=st.none() | st.floats(0.0, 1.0),
    pagination_steps=st.integers(0, 300),
    topic=st.text(max_size=8),
    feed=st.booleans(),
    request=st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.lists(st.text(max_size=3)), max_size=3),
)


@given(ORIGINS)
def test_an_origin_comes_back_as_it_was(origin: Origin) -> None:
    assert Origin.from_json(origin.to_json()) == origin


def test_nothing_takes_no_room() -> None:
    assert (NO_ORIGIN.to_json(), Origin.from_json(b""), Origin.from_json("")) == (b"", NO_ORIGIN, NO_ORIGIN)


def test_origins_of_earlier_versions_are_read() -> None:
    text = (
        '{"anchor":"chess","parts":{"uh":0.5},"reason":"r","parent":7,"parent_url":"http://e.org/","inherit":{"b":1},'
        '"without_anchor":0.25,"along":2,"topic":"t@1","a key of another version":[]}'
    )
    expected = Origin(7, "http://e.org/", "chess", {"uh": 0.5}, "r", {"b": 1.0}, 0.25, 2, "t@1")
    assert Origin.from_json(text) == expected


def test_scores_of_any_mapping_are_stored() -> None:
    origin = Origin(parts=MappingProxyType({"uh": 0.5}), anchor="half a pair \ud83d")
    assert json.loads(origin.to_json()) == {"anchor": "half a pair \ufffd", "parts": {"uh": 0.5}}


@pytest.mark.parametrize("text", [b"no JSON", b"[]", b'{"parent":-1}', b'{"parts":{"uh":"x"}}', b"\xff", b"[" * 10_000])
def test_what_another_program_wrote_is_refused(text: bytes) -> None:
    with pytest.raises(FrontierError, match="start a new crawl"):
        Origin.from_json(text)


@pytest.mark.parametrize(("steps", "depth"), [(0, 5), (3, 2), (5, 0), (6, 5)])
def test_pagination_does_not_count_as_depth(steps: int, depth: int) -> None:
    """More steps than links cannot be: they are not believed."""
    assert Entry("http://e.org/", 1, "e.org", 0.5, depth=5, origin=Origin(pagination_steps=steps)).scope_depth == depth
