"""Labelled pages for the extraction benchmark and the training: folders of sets.

A set is a folder with ``truth.jsonl``, an object a line with ``id``, ``lang``, ``text`` (the gold main text, null when
there are only snippets), optionally ``url``, ``title``, ``kind``, and ``html/<id>.html.gz``.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

Truth = dict[str, Any]


def read_sets(folder: Path, names: list[str], every: dict[str, int] | None = None) -> list[tuple[str, Truth]]:
    """Return (set, truth) for each labelled page of the sets in `folder`, or every n-th."""
    pages = []
    for place in sorted(path.parent for path in folder.glob("*/truth.jsonl")):
        if names and place.name not in names:
            continue
        with (place / "truth.jsonl").open(encoding="utf-8") as lines:
            truths = [json.loads(line) for line in lines if line.strip()]
        pages += [(place.name, truth) for truth in truths[:: (every or {}).get(place.name, 1)]]
    return pages


def every(words: list[str]) -> dict[str, int]:
    """Return what ``--every SET=N`` says, given several times."""
    return {name: int(number) for name, _, number in (word.partition("=") for word in words)}


def read_body(folder: Path, name: str, truth: Truth) -> bytes:
    """Return the bytes of a labelled page."""
    return gzip.decompress((folder / name / "html" / f"{truth['id']}.html.gz").read_bytes())


def load_scorer(path: Path) -> ModuleType:
    """Return the module at `path` that defines ``score_page`` and ``aggregate``."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: no Python module; give the scorer's path with --scorer")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def site(name: str, truth: Truth) -> str:
    """Return what groups pages of one site, so that none is both learned from and measured on."""
    if truth.get("feed"):
        return f"{name}:{truth['feed']}"
    host = truth.get("site_guess") or urlsplit(truth.get("url") or "").hostname or str(truth["id"])
    parts = host.split(".")
    # Second-level registries (com.cn, co.uk) have short labels.
    keep = 3 if len(parts) > 2 and len(parts[-1]) == 2 and len(parts[-2]) <= 3 else 2
    return ".".join(parts[-keep:])
