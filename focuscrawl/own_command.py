"""Modules of this package as processes of their own: by this interpreter, and this very package."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import focuscrawl


def own_command(module: str = "focuscrawl") -> list[str]:
    """Return the command that runs a module of this package; modules in the current folder have no say in it."""
    return [sys.executable, "-P", "-m", module]


def own_environment(given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment in which this very package is found: a checkout need not be installed."""
    root = str(Path(focuscrawl.__file__).parents[1])
    path = given.get("PYTHONPATH", "")
    if "site-packages" in root or "dist-packages" in root or root in path.split(os.pathsep):
        return dict(given)
    return {**given, "PYTHONPATH": os.pathsep.join(filter(None, [root, path]))}
