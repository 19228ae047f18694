"""Process of a crawl that Python code has started: ``python -m focuscrawl.cli.child FD REQUEST``.

FD is a socket to the caller. Errors go through it, and when its other end closes the caller wants the crawl to stop in
order, or is gone.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from focuscrawl.api.channel import FAILURE_FD, Request, send_failure
from focuscrawl.cli.crawl import run_crawl
from focuscrawl.errors import FocusCrawlError


def main(number: str, request: str) -> None:
    """Crawl, and exit as the command does."""
    os.environ[FAILURE_FD] = number
    asked: Request = json.loads(request)
    if asked["seed_file"]:  # the run keeps the seeds: the file lasts no longer than this process
        asked["arguments"]["seeds"] = Path(asked["seed_file"]).read_text(encoding="utf-8")
    try:
        run_crawl(asked["arguments"], asked["settings"])
    except Exception as error:  # of Scrapy or somebody's component: its traceback is for standard error
        what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        send_failure(FocusCrawlError(f"The crawl in {asked['arguments']['run']} failed: {what}."))
        raise


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:  # while Scrapy is loaded: the caller was interrupted as well
        sys.exit(130)
