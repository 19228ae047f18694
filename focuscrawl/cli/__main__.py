"""``python -m focuscrawl.cli``: the ``focuscrawl`` command."""

from __future__ import annotations

from focuscrawl.cli.main import run

if __name__ == "__main__":
    run()
