"""``python -m focuscrawl``: the ``focuscrawl`` command."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from focuscrawl.cli.main import run

        run()
    except KeyboardInterrupt:  # while modules are loaded, as by the next round of a recrawl
        sys.exit(130)
