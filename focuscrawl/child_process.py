"""A file of ours as a process of its own, which answers one request after another."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, TypeVar

# What waits, for a disk or for its turn on a busy machine, takes no processor time; no request takes so long otherwise.
_WALL_S = 120.0

Answer = TypeVar("Answer")


class ChildClosedError(Exception):
    """The process was ended for good."""


class ChildProcess:
    """See the module's docstring. It is started when first asked, and anew after it was ended.

    One thread at a time talks to it; any may close it.

    Parameters
    ----------
    program
        The file.
    quiet
        What it writes on standard error goes nowhere.
    """

    def __init__(self, program: Path, *, quiet: bool = False) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.closed = False
        self._program = program
        self._quiet = quiet

    def exchange(self, talk: Callable[[IO[bytes], IO[bytes]], Answer]) -> Answer:
        """Return what `talk` makes of the standard input and output of the process.

        A process that takes two minutes of real time is killed, and `talk` comes to the end of its output.

        Raises
        ------
        ChildClosedError
            After `close`.
        BrokenPipeError
            If the process ended before it had the request.
        """
        process = self.process or self._start()
        if self.closed:
            raise ChildClosedError
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(_WALL_S, process.kill)
        timer.start()
        try:
            return talk(process.stdin, process.stdout)
        finally:
            timer.cancel()

    def end(self) -> int | None:
        """End the process; return how it ended, None where none ran."""
        process, self.process = self.process, None
        if process is None:
            return None
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            return process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def close(self) -> None:
        """Kill the process and start none any more; whoever talks to it comes to an end, and has to call `end`."""
        self.closed = True
        process = self.process
        if process is not None:
            process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        self.process = subprocess.Popen(  # noqa: S603 - this interpreter, and a file of ours
            [sys.executable, "-P", str(self._program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if self._quiet else None,
            process_group=0,  # Ctrl-C is for the crawl, which ends in order
        )
        return self.process
