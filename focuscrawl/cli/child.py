"""Process of a crawl that Python code has started: ``python -m focuscrawl.cli.child FD REQUEST``.

FD is a socket to the caller. Errors go through it, and when its other end closes the caller wants the crawl to stop in
order, or is gone.
"""

from __future__ import annotations

import json
import os
import sys

from focuscrawl.api.channel import FAILURE_FD, Request
from focuscrawl.cli.crawl import run_crawl


def main(number: str, request: str) -> None:
    """Crawl, and exit as the command does."""
    os.environ[FAILURE_FD] = number
    asked: Request = json.loads(request)
    run_crawl(asked["arguments"], asked["settings"])


if __name__ == "__main__":
    main(*sys.argv[1:])
