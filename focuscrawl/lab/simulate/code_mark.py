"""Digest of the code that reads pages: results on disk that older code has made are not used."""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from pathlib import Path

import focuscrawl

_PACKAGES = ("focuscrawl.extraction.", "focuscrawl.page.", "focuscrawl.text.")
_CODE = {".py", ".pyc"}


@lru_cache(maxsize=8)
def code_mark(*names: str) -> str:
    """Return a digest of some modules, of what they import, and of the data files beside these.

    It covers the modules of pages, texts and extraction, found by reading their import statements. Called early it
    tells of the code this process runs, whatever happens to the files later.

    Parameters
    ----------
    names
        Of modules of these packages.
    """
    root = Path(focuscrawl.__file__).parent.parent
    sources: dict[str, bytes] = {}
    waiting = list(names)
    while waiting:
        module = waiting.pop()
        file = root / (module.replace(".", "/") + ".py")
        if module in sources or not module.startswith(_PACKAGES) or not file.is_file():
            continue
        sources[module] = file.read_bytes()
        for data in file.parent.iterdir():
            if data.is_file() and data.suffix not in _CODE:
                sources[str(data.relative_to(root))] = data.read_bytes()
        for node in ast.walk(ast.parse(sources[module])):
            if isinstance(node, ast.ImportFrom):
                waiting += [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
            elif isinstance(node, ast.Import):
                waiting += [name.name for name in node.names]
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(sources):
        digest.update(f"{name} {len(sources[name])} ".encode() + sources[name])
    return digest.hexdigest()
