"""Folders import only what lies below them, in the order that docs/architecture.md gives; no files in a circle."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import focuscrawl

ROOT = Path(focuscrawl.__file__).parent
DOC = Path(__file__).parents[2] / "docs" / "architecture.md"
SCRAPY = {"scrapy", "twisted", "scrapy_redis"}


@cache
def order() -> dict[str, int]:
    """Return the line of each folder and of each module beside the folders, from the lowest up."""
    block = DOC.read_text(encoding="utf-8").partition("### Order of the folders")[2].split("```")[1]
    lines = block.removeprefix("text").strip().splitlines()
    return {name: number for number, line in enumerate(lines) if not line.startswith("-") for name in line.split()}


@cache
def first_with_scrapy() -> int:
    block = DOC.read_text(encoding="utf-8").partition("### Order of the folders")[2].split("```")[1]
    lines = block.removeprefix("text").strip().splitlines()
    return next(number for number, line in enumerate(lines) if line.startswith("-"))


@cache
def modules() -> dict[str, Path]:
    """Return all modules of the package by their dotted name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(module: str) -> frozenset[tuple[str, bool]]:
    """Return what a module imports, and whether only a type checker does."""
    return frozenset(_imports(ast.parse(modules()[module].read_text(encoding="utf-8")), False))


def _imports(node: ast.AST, checking: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, checking) for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            for alias in child.names:
                whole = f"{child.module}.{alias.name}"
                yield (whole if whole in modules() else child.module), checking
        else:
            only_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from _imports(child, checking or only_types)


def room(module: str) -> str:
    """Return the folder, or the module beside the folders, that a module of the package belongs to."""
    return module.split(".")[1]


def inside() -> list[str]:
    """Return the modules below the package itself, which everybody may name."""
    return [module for module in modules() if module != "focuscrawl"]


def test_the_order_names_every_folder_and_module() -> None:
    assert order().keys() == {room(module) for module in inside()}


@pytest.mark.parametrize("folder", sorted(order()))
def test_a_folder_imports_only_what_lies_below_it(folder: str) -> None:
    upwards = [
        f"{module} imports {target}"
        for module in inside()
        if room(module) == folder
        for target, _ in imports(module)
        if target.startswith("focuscrawl.") and room(target) != folder
        if order()[room(target)] > order()[folder]
    ]
    assert upwards == []


@pytest.mark.parametrize("folder", sorted(name for name, line in order().items() if line < first_with_scrapy()))
def test_what_is_below_the_glue_does_not_import_scrapy(folder: str) -> None:
    found = [
        f"{module} imports {target}"
        for module in inside()
        if room(module) == folder
        for target, _ in imports(module)
        if target.partition(".")[0] in SCRAPY
    ]
    assert found == []


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = {
        module: {target for target, checking in imports(module) if target in modules() and not checking}
        for module in inside()
    }
    for module, targets in graph.items():
        targets.discard(module)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_the_walk_sees_modules_and_imports() -> None:
    assert len(modules()) > 250
    assert ("focuscrawl.records", False) in imports("focuscrawl.ranking.calibration")
    assert ("focuscrawl.topic.spec", True) in imports("focuscrawl.topic.model")
    assert any(target.startswith("scrapy.") for target, _ in imports("focuscrawl.glue.requests"))


def test_no_module_is_a_drawer() -> None:
    drawers = {"utils.py", "helpers.py", "misc.py", "common.py"}
    assert not [p for p in ROOT.rglob("*.py") if p.name in drawers]


def test_no_module_hides_a_name_of_the_python_interface() -> None:
    """``focuscrawl.crawl(…)`` is a function: a package ``focuscrawl/crawl/`` would put itself in its place."""
    assert not [name for name in focuscrawl.__all__ if f"focuscrawl.{name}" in modules()]
