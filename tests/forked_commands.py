"""Commands in processes forked from one that has imported what they need: the imports cost more than most commands.

``python -m forked_commands FD`` imports once and forks a process for each request that comes through the socket FD. A
forked process has its own reactor, signals, environment and working folder, as one started from a shell has.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

READY = (
    "focuscrawl.addon",
    "focuscrawl.cli.fetch",
    "focuscrawl.cli.main",
    "focuscrawl.commands.crawl",
    "focuscrawl.glue.scrapy_redis",
    "focuscrawl.report.write",
    "focuscrawl.spiders.feed",
    "focuscrawl.spiders.focused",
    "focuscrawl.storage.postgres",
    "psycopg",
    "redis.asyncio",
    "scrapy.cmdline",
    "scrapy.core.downloader.contextfactory",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
    "scrapy.core.scraper",
    "scrapy.extensions.feedexport",
)


def steers_crawls(variable: str) -> bool:
    """Tell whether a variable of the environment steers any crawl: a proxy, or Scrapy's settings."""
    return variable.lower().endswith("_proxy") or variable.startswith("SCRAPY_")


class Forked:
    """A command that runs, with the methods of a `subprocess.Popen` that tests use."""

    def __init__(self, command: Sequence[str], status: int, folder: tempfile.TemporaryDirectory[str]) -> None:
        self.command = command
        self.returncode: int | None = None
        self._status = os.fdopen(status, "rb", buffering=0)
        self._folder = folder
        self.pid = int(self._status.readline())

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when it has ended."""
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.command, timeout or 0.0)
            self._end()
        assert self.returncode is not None
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Return what it wrote when it has ended."""
        self.wait(timeout)
        folder = Path(self._folder.name)
        out, err = (folder / "out").read_bytes(), (folder / "err").read_bytes()
        self._folder.cleanup()
        return out, err

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def _end(self) -> None:
        self.returncode = int(self._status.readline())
        self._status.close()


class ForkServer:
    """The process that forks; it ends with the one that started it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "error::ResourceWarning", "-m", "forked_commands", str(theirs.fileno())],
                cwd=Path(__file__).parent,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._socket = ours

    def start(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> Forked:
        """Start ``scrapy …`` or ``focuscrawl …``."""
        folder = tempfile.TemporaryDirectory()
        status, its_status = os.pipe()
        files = [os.open(Path(folder.name) / name, os.O_WRONLY | os.O_CREAT) for name in ("out", "err")]
        request = json.dumps({"command": command, "cwd": str(cwd), "env": dict(env)}).encode() + b"\n"
        try:
            sent = socket.send_fds(self._socket, [request], [*files, its_status])
            self._socket.sendall(request[sent:])
        finally:
            for file in (*files, its_status):
                os.close(file)
        return Forked(command, status, folder)

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._process.wait(20)


@cache
def fork_server() -> ForkServer:
    """Return the one of this test session; conftest.py ends it."""
    return ForkServer()


def close_fork_server() -> None:
    """End the one of this test session, if there is one."""
    if fork_server.cache_info().currsize:
        fork_server().close()
        fork_server.cache_clear()


def _requests(channel: socket.socket) -> list[str]:
    """Fork for each request; return, with the command, in the forked processes only."""
    while True:
        request, files, _, _ = socket.recv_fds(channel, 1 << 16, 3)
        while request and not request.endswith(b"\n"):
            request += channel.recv(1 << 16)
        if not request:
            os._exit(0)
        if not os.fork():
            channel.close()
            return _kept(json.loads(request), *files)
        for file in files:
            os.close(file)


def _kept(request: dict[str, object], out: int, err: int, status: int) -> list[str]:
    """Fork the command and say its process and its exit code; return in the forked process only."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if process:
        os.write(status, b"%d\n" % process)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        os.write(status, b"%d\n" % code)
        os._exit(0)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as at a terminal, though the tests may run under nohup
    os.dup2(out, 1)
    os.dup2(err, 2)
    for file in (out, err, status):
        os.close(file)
    os.chdir(str(request["cwd"]))
    sys.path[0] = str(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[call-overload]
    sys.path[1:1] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    return request["command"]  # type: ignore[return-value]


def _serve() -> None:
    from importlib import import_module

    for name in READY:
        import_module(name)
    from focuscrawl.topic.model import fit_topic
    from focuscrawl.topic.spec import load_topic

    fit_topic(load_topic("tea"))  # reads the lists of word frequencies
    assert "twisted.internet.reactor" not in sys.modules
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for a command
    command = _requests(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = list(command)
    if command[0] == "scrapy":
        from scrapy.cmdline import execute

        execute(command)
    else:
        from focuscrawl.cli.main import run

        run(command[1:])


if __name__ == "__main__":
    _serve()
