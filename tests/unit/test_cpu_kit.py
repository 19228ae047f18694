"""The bound on CPU time: it counts what the block takes, and nothing that came before."""

from __future__ import annotations

import gc
from itertools import count

import pytest
from cpu_kit import TooMuchCpu, cpu_limit


def test_what_takes_too_much_is_broken_off() -> None:
    with pytest.raises(TooMuchCpu, match=r"more than 0\.05 s"), cpu_limit(0.05):
        all(number >= 0 for number in count())


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_rests_and_is_then_as_it_was(collecting: bool) -> None:
    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        with cpu_limit(10.0):
            assert not gc.isenabled()
        assert gc.isenabled() is collecting
        with pytest.raises(ZeroDivisionError), cpu_limit(10.0):
            raise ZeroDivisionError
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()
