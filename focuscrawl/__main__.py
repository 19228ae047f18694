"""The ``focuscrawl`` command, and ``python -m focuscrawl``."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the command line and run it; Ctrl-C ends it with exit code 130 meanwhile, too."""
    try:
        from focuscrawl.cli.main import run

        run()
    except KeyboardInterrupt:  # while modules are loaded, as by the next round of a recrawl
        sys.exit(130)


if __name__ == "__main__":
    main()
