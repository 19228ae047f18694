"""HTTP servers on loopback, in a thread of the test's process: a handler with one way to answer, and its running."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TypeVar

S = TypeVar("S", bound=HTTPServer)


class Answering(BaseHTTPRequestHandler):
    """A handler that says nothing on standard error, and answers with one call."""

    def answer(self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        """Send a whole answer, the body's length with it."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def address(server: HTTPServer) -> str:
    """Return where a server is, without a path."""
    return f"http://127.0.0.1:{server.server_address[1]}"


@contextmanager
def serving(server: S) -> Iterator[S]:
    """Let a server answer while the block lasts."""
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def accepting(listener: socket.socket, talk: Callable[[socket.socket], None]) -> Iterator[None]:
    """Have `talk` answer each connection to a listening socket, in a thread of its own; the socket is closed."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                Thread(target=talk, args=(connection,), daemon=True).start()

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10.0)
