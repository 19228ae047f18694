"""Examples in docstrings are run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import focuscrawl

ROOT = Path(focuscrawl.__file__).parent


def _with_examples() -> list[str]:
    paths = (p for p in sorted(ROOT.rglob("*.py")) if ">>> " in p.read_text(encoding="utf-8"))
    return [".".join(p.relative_to(ROOT.parent).with_suffix("").parts) for p in paths]


@pytest.mark.parametrize("module", _with_examples())
def test_the_examples_of_a_module_hold(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = doctest.testmod(import_module(module))
    assert result.attempted > 0, "its examples are not collected"
    assert result.failed == 0, capsys.readouterr().out


def test_there_are_examples() -> None:
    assert len(_with_examples()) > 30
