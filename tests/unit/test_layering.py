"""Packages of algorithms know neither Scrapy nor Twisted, and import each other only downwards."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import focuscrawl

ROOT = Path(focuscrawl.__file__).parent
ALGORITHMS = (
    "text",
    "topic",
    "page",
    "scoring",
    "ranking",
    "graph",
    "extraction",
    "feeds",
    "dedupe",
    "frontier",
    "fleet",
    "storage",
    "lab",
    "crawler",
    "report",
)
FORBIDDEN = {"scrapy", "twisted", "scrapy_redis"}
GLUE = {"focuscrawl.glue", "focuscrawl.spiders", "focuscrawl.commands", "focuscrawl.addon", "focuscrawl.settings"}


def _modules() -> list[Path]:
    return sorted(p for package in ALGORITHMS for p in (ROOT / package).rglob("*.py"))


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_algorithms_import_neither_scrapy_nor_the_glue(path: Path) -> None:
    imported = _imports(path)
    assert not {name for name in imported if name.partition(".")[0] in FORBIDDEN}
    assert not {name for name in imported if any(name == g or name.startswith(g + ".") for g in GLUE)}


def test_the_walk_sees_modules_and_imports() -> None:
    assert len(_modules()) > 20
    assert "focuscrawl.types" in _imports(ROOT / "crawler" / "step.py")


def test_no_module_is_a_drawer() -> None:
    drawers = {"utils.py", "helpers.py", "misc.py", "common.py"}
    assert not [p for p in ROOT.rglob("*.py") if p.name in drawers]


def test_no_package_hides_a_name_of_the_python_door() -> None:
    """``focuscrawl.crawl(…)`` is a function: importing a package ``focuscrawl/crawler/`` would put itself in its place.

    The room of the crawl is called otherwise (``focuscrawl/crawler/``).
    """
    names = ("crawl", "judge", "extract", "load_topic", "score_links")
    assert not [name for name in names if (ROOT / name).exists() or (ROOT / f"{name}.py").exists()]
