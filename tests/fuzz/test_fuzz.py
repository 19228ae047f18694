"""What fuzzing found does not come back, and a short run of each target finds nothing new."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.mutations import examples, mutated, tokens
from fuzz.run import fault, smaller
from fuzz.targets import TARGETS

_FINDINGS = sorted((Path(__file__).parent / "findings").iterdir())


@pytest.mark.parametrize("path", _FINDINGS, ids=lambda path: path.name)
def test_a_finding_does_not_come_back(path: Path) -> None:
    assert not fault(path.name.partition("-")[0], path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_honest_examples_are_read(target: str) -> None:
    assert [found for data in examples(target) if (found := fault(target, data))] == []


@pytest.mark.parametrize("target", TARGETS)
def test_changed_examples_are_read(target: str) -> None:
    draw, corpus = random.Random(7), examples(target)
    inputs = [mutated(draw, target, corpus) for _ in range(25)]
    assert [(found, data) for data in inputs if (found := fault(target, data))] == []


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_drawn_inputs_are_read(target: str, data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.sampled_from(tokens(target)) | st.binary(max_size=4), max_size=40))
    assert not fault(target, b"".join(pieces))


def test_a_fault_is_found_named_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes) -> None:
        if b"bad" in data:
            raise ValueError("no")

    monkeypatch.setitem(TARGETS, "url", broken)
    where = fault("url", b"something bad here")
    assert where.startswith("ValueError at test_fuzz.py:")
    assert smaller("url", b"something bad here", where) == b"bad"
