"""Workers of a fleet that kill themselves with ``kill -9`` at a moment of choice, each in a process of its own.

``python -m dying_worker`` imports and warms up all a crawl needs once, and forks a worker for each line it is given.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from crawl_kit import clean_environment, crawl_here, topic_file

from focuscrawl.crawler.crawl import Crawl
from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.frontier.redis import RedisFrontier

# Moment -> the call it lies before (False) or after (True).
MOMENTS: dict[str, tuple[type, str, bool]] = {
    "pages not written": (RunOutput, "keep", False),
    "pages written, frontier not told": (RedisFrontier, "settle", False),
    "frontier told, its answer not known": (RedisFrontier, "settle", True),
    "answer written, lines not": (RunOutput, "acknowledge", True),
    "recovered, not begun": (RunOutput, "begin", False),
    "begun, the earlier one not discarded": (RedisFrontier, "discard", False),
    "begun, nothing fetched": (Crawl, "start", False),
}


class Workers:
    """Runs workers, one after the other."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def run(self, run: Path, *, die: str = "", at: int = 1, spider: str = "focused", **settings: Any) -> int:
        """Run a worker of the topic beside its run folder to its end, or until it dies; return its exit code.

        Parameters
        ----------
        die, at
            The moment, and which time of those it comes; '' for a worker that ends well.
        spider
            The worker's, "recrawl" for one that visits up to 50 pages again.
        """
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps([str(run), die, at, spider, settings]), file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())


@contextmanager
def dying_workers() -> Iterator[Workers]:
    """Start the process that forks workers."""
    server = subprocess.Popen(
        [sys.executable, "-m", "dying_worker"],
        cwd=Path(__file__).parent,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        yield Workers(server)
        assert server.stdin is not None
        server.stdin.close()


def serve() -> None:
    """Fork a worker for each line, and print its exit code."""
    with tempfile.TemporaryDirectory() as folder:  # a seed nobody answers at: a crawl without pages loads it all
        crawl_here(Path(folder) / "run", topic=str(topic_file(Path(folder), "http://127.0.0.1:9/")))
    for line in sys.stdin:
        process = os.fork()
        if not process:
            _work(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _work(run: str, die: str, at: int, spider: str, settings: dict[str, Any]) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    try:
        if die:
            owner, name, after = MOMENTS[die]
            setattr(owner, name, _dying(getattr(owner, name), at, after=after))
        topic, pages = str(Path(run).parent / "lighthouses.toml"), 0 if spider == "focused" else 50
        done = crawl_here(Path(run), spider=spider, topic=topic, pages=pages, settings=settings)
        os._exit(done.exit_code)
    except BaseException:
        traceback.print_exc()
        os._exit(70)


def _dying(call: Callable[..., Any], at: int, *, after: bool) -> Callable[..., Any]:
    """Return `call`, before or after the `at`-th of which the process dies."""
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)

    @wraps(call)
    def plain(*args: Any, **options: Any) -> Any:
        if not after:
            count()
        result = call(*args, **options)
        if after:
            count()
        return result

    @wraps(call)
    async def awaited(*args: Any, **options: Any) -> Any:
        if not after:
            count()
        result = await call(*args, **options)
        if after:
            count()
        return result

    return awaited if iscoroutinefunction(call) else plain


if __name__ == "__main__":
    serve()
