"""A server of bad manners: each path answers with bytes no honest server would send."""

from __future__ import annotations

import re
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from loopback import accepting

Answer = Callable[[socket.socket], None]

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def html(body: str) -> Answer:
    """Answer with an honest page."""
    data = body.encode()

    def send(connection: socket.socket) -> None:
        connection.sendall(_OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(data) + data)

    return send


def raw(*pieces: bytes, times: int = 1, then: bytes = b"") -> Answer:
    """Answer with `pieces` the first of which comes once, the others `times` times."""

    def send(connection: socket.socket) -> None:
        connection.sendall(pieces[0])
        for _ in range(times):
            for piece in pieces[1:]:
                connection.sendall(piece)
        connection.sendall(then)

    return send


@dataclass
class Manners:
    """The running server: what it answers by path, or by host name and path, and how often it was asked for each."""

    port: int
    answers: dict[str, Answer]
    asked: Counter[str] = field(default_factory=Counter)
    requests: list[bytes] = field(default_factory=list)  # as they came, headers and all
    sent: Counter[str] = field(default_factory=Counter)  # answers that were taken to their end

    def url(self, path: str) -> str:
        """Return the address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"


@contextmanager
def bad_manners(answers: dict[str, Answer], *, tls: ssl.SSLContext | None = None) -> Iterator[Manners]:
    """Serve `answers` by path on loopback, each connection in a thread of its own; 404 for any other path."""
    listener = socket.create_server(("127.0.0.1", 0))
    manners = Manners(listener.getsockname()[1], answers)
    not_found = raw(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def talk(accepted: socket.socket) -> None:
        with (
            accepted,
            suppress(OSError),
            tls.wrap_socket(accepted, server_side=True) if tls else accepted as connection,
        ):
            request = b""
            # A greeting in TLS (22) to a server without it gets an answer at once.
            while b"\r\n\r\n" not in request and request[:1] != b"\x16" and (data := connection.recv(65536)):
                request += data
            manners.requests.append(request)
            path = request.split(b" ", 2)[1].decode("latin-1") if request.count(b" ") >= 2 else ""
            host = re.search(rb"(?i)^host:[ ]*([^:\r\n]*)", request, re.MULTILINE)
            where = (host[1].decode("latin-1") if host else "") + path
            manners.asked.update((path, where))
            answers.get(where, answers.get(path, not_found))(connection)
            manners.sent.update((path, where))

    with accepting(listener, talk):
        yield manners
