"""Server of the sample web: a proxy on loopback that answers for its hosts and forwards nothing.

Crawlers are run with ``http_proxy=http://127.0.0.1:PORT``, so the names (all of them reserved ones) need not resolve.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self

from focuscrawl.demo.web import SampleWeb

_IDLE_S = 30.0  # a client that keeps its connection open without asking anything is let go
_MISSING = b"There is no such page in the sample web.\n"


def serve_until_interrupted(server: SampleServer) -> None:
    """Serve until Ctrl-C."""
    with server, suppress(KeyboardInterrupt):
        Event().wait()


class SampleServer:
    """The proxy, as a context manager: up inside, port and threads gone afterwards.

    Parameters
    ----------
    web
        What it serves.
    port
        0 picks a free one.
    """

    def __init__(self, web: SampleWeb, *, port: int = 0) -> None:
        self._server = _Server(web, port)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="sample-web")

    @property
    def address(self) -> str:
        """The proxy's URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # those are not waited for when the server closes
    request_queue_size = 64

    def __init__(self, web: SampleWeb, port: int) -> None:
        self.web = web
        self._open: set[socket.socket] = set()
        self._lock = Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer's own asks the resolver for this machine's name, which can take seconds without a network.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that went away is its own matter."""

    def close(self) -> None:
        """End what is open, then wait for its threads."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "sample-web"
    sys_version = ""
    timeout = _IDLE_S
    # Head and body in one packet: two of them wait for each other's acknowledgement, 40 ms a page.
    wbufsize = 65536
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        # A path alone (somebody asks the port itself) has no host of the sample web, and is answered like any other.
        found = self.server.web.answer(self.path)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", found.content_type if found else "text/plain")
        body = found.body if found else _MISSING
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the parent's

    def do_CONNECT(self) -> None:
        """Refuse: nothing is forwarded, and nothing here speaks https."""
        self.close_connection = True
        self.do_GET()

    # What they send is not read, so the connection cannot be used again.
    do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = do_CONNECT  # noqa: N815 - the parent's

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parent's
        """Log nothing."""
