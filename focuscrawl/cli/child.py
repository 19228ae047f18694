"""Process of a crawl that Python code has started: ``python -m focuscrawl.cli.child FD REQUEST``.

FD is a socket to the caller. Errors go through it, and when it closes the caller is gone and the crawl stops in order.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from threading import Thread

from focuscrawl.api.channel import FAILURE_FD, Request
from focuscrawl.cli.crawl import run_crawl


def main(number: str, request: str) -> None:
    """Crawl, and exit as the command does."""
    channel = socket.socket(fileno=int(number))
    os.environ[FAILURE_FD] = number
    Thread(target=_stop_with_caller, args=(channel,), daemon=True).start()
    asked: Request = json.loads(request)
    run_crawl(asked["arguments"], asked["settings"])


def _stop_with_caller(channel: socket.socket) -> None:
    channel.recv(1)  # the caller sends nothing
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main(*sys.argv[1:])
