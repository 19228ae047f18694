"""Web server of the dashboard: the standard library's, a thread a viewer, on loopback only."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from focuscrawl import __version__
from focuscrawl.dashboard import looks
from focuscrawl.dashboard.actions import Actions
from focuscrawl.dashboard.guard import HEADERS, LOOPBACK, POLICY, REPORT_POLICY, Guard
from focuscrawl.dashboard.source import Source
from focuscrawl.dashboard.state import StateReader
from focuscrawl.dashboard.watcher import Watcher
from focuscrawl.errors import FocusCrawlError, InputError, os_reason
from focuscrawl.wording import dashboard as texts
from focuscrawl.wording.base import Language, Say, language_of

logger = logging.getLogger(__name__)

PORT = 8710
"""Port that is tried first."""
_BODY = 2 * 1024 * 1024
_IDLE_S = 60.0  # of a connection that sends nothing
_POLL_S = 0.1  # until the order to end is seen
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
ASSETS = {
    "/": "index.html",
    **{
        f"/assets/{name}": name
        for name in (
            "dashboard.css",
            "app.js",
            "parts.js",
            "charts.js",
            "panels.js",
            "pictures.js",
            "link.js",
            "icon.svg",
            "vendor/preact-htm.js",
            "vendor/uplot.js",
            "vendor/uplot.css",
        )
    },
}
"""Path of each file that is served -> its place in the package."""


class Dashboard:
    """A running dashboard.

    Parameters
    ----------
    source
        The crawl that is shown.
    port
        To listen on; 0 for any free one, None for the usual one, or any free one where that is taken.
    listen
        IP address to listen on. Whatever it is, the browser has to name loopback, so another one is of use only where
        loopback cannot be reached from outside and the port is led there: in a container.
    language
        In which the page begins; None: that of `FOCUSCRAWL_LANG` or of the locale.

    Raises
    ------
    ConfigError
        If the port cannot be used.
    """

    def __init__(
        self, source: Source, *, port: int | None = None, listen: str = LOOPBACK, language: Language | None = None
    ) -> None:
        self.token = secrets.token_urlsafe(24)
        self.source = source
        self.language = language or language_of()
        self.watcher = Watcher(StateReader(source))
        self.actions = Actions(source)
        self._server = _listen(listen, port)
        self._server.dashboard = self
        self.port: int = self._server.server_address[1]
        self.guard = Guard(self.port, self.token)

    @property
    def address(self) -> str:
        """Address for the browser, without the token."""
        return f"http://{LOOPBACK}:{self.port}/"

    @property
    def own_address(self) -> str:
        """Address with the token, which lets its page give orders; after a #, so it is never sent or logged."""
        return f"{self.address}#token={self.token}"

    def serve(self) -> None:
        """Serve until `close` is called from another thread, or Ctrl-C."""
        self.watcher.start()
        try:
            self._server.serve_forever(poll_interval=_POLL_S)
        finally:
            self.watcher.close()
            self._server.server_close()

    def close(self) -> None:
        """Have `serve` return."""
        self._server.shutdown()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    dashboard: Dashboard

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the library gives them
        """Log what went wrong with a request; a browser that went away is nothing."""
        logger.debug("a request failed", exc_info=True)


def _listen(address: str, port: int | None) -> _Server:
    try:
        return _Server((address, PORT if port is None else port), _Handler)
    except OSError as error:
        if port is None:
            return _listen(address, 0)
        why = os_reason(error)
        raise InputError(f"{address}:{port}: {why}; choose another port with --port, 0 for any free one.") from error


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server_version = f"focuscrawl/{__version__}"
    sys_version = ""
    timeout = _IDLE_S
    server: _Server

    def do_GET(self) -> None:
        """Answer what only looks."""
        if self._refused(order=False):
            return
        parts = urlsplit(self.path)
        asset = ASSETS.get(parts.path)
        if asset is not None:
            self._send_asset(asset)
        elif parts.path == "/report":
            self._send_report()
        elif parts.path == "/api/events":
            self._send_events(parts.query)
        elif parts.path in _LOOKS:
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            self._answer(lambda: _LOOKS[parts.path](self.server.dashboard, query))
        else:
            self._send_json({"fault": f"{parts.path}: there is nothing here."}, HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Carry out an order."""
        if self._refused(order=True):
            return
        name = urlsplit(self.path).path.removeprefix("/api/orders/")
        body = self._body()
        if body is None:
            return
        dashboard = self.server.dashboard
        try:
            answer = dashboard.actions.run(name, body)
        except KeyError:
            self._send_json({"fault": f'"{name}": there is no such order.'}, HTTPStatus.NOT_FOUND)
        except FocusCrawlError as error:
            self._send_json({"fault": str(error)}, HTTPStatus.UNPROCESSABLE_ENTITY)
        else:
            dashboard.watcher.look_again()
            self._send_json(answer)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's
        """Log for those who look for faults only."""
        logger.debug(format, *args)

    # ----------------------------------------------------------------------- private

    def _refused(self, *, order: bool) -> bool:
        why = self.server.dashboard.guard.refusal(dict(self.headers.items()), order=order)
        if why:
            self.close_connection = True  # a body that was not read must not be taken for a request
            self._send_json({"fault": why}, HTTPStatus.FORBIDDEN)
        return bool(why)

    def _body(self) -> Any:
        """Return the JSON of an order, None where it was answered that there is none."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _BODY:
            self.close_connection = True
            self._send_json({"fault": f"Content-Length: expected {_BODY:,} bytes at most."}, HTTPStatus.BAD_REQUEST)
            return None
        data = self.rfile.read(int(length))
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._send_json({"fault": "The order is no JSON object."}, HTTPStatus.BAD_REQUEST)
            return None
        return body

    def _answer(self, look: Callable[[], dict[str, Any]]) -> None:
        try:
            self._send_json(look())
        except FocusCrawlError as error:
            self._send_json({"fault": str(error)}, HTTPStatus.UNPROCESSABLE_ENTITY)

    def _send_asset(self, name: str) -> None:
        data = files("focuscrawl.dashboard").joinpath("assets", *name.split("/")).read_bytes()
        self._send(data, _TYPES[name[name.rindex(".") :]] + "; charset=utf-8")

    def _send_report(self) -> None:
        folder = self.server.dashboard.source.folder
        if folder is None or not folder.report.is_file():
            self._send_json({"fault": "There is no report yet; focuscrawl report makes it."}, HTTPStatus.NOT_FOUND)
            return
        self._send(folder.report.read_bytes(), "text/html; charset=utf-8", policy=REPORT_POLICY)

    def _send_json(self, data: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"), "application/json", status)

    def _send(self, data: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK, *, policy: str = POLICY) -> None:
        self.send_response(status)
        self._send_headers(kind, policy=policy)
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def _send_headers(self, kind: str, *, policy: str = POLICY) -> None:
        self.send_header("Content-Type", kind)
        for name, value in (HEADERS | {"Content-Security-Policy": policy}).items():
            self.send_header(name, value)

    def _send_events(self, query: str) -> None:
        last = self.headers.get("Last-Event-ID") or parse_qs(query).get("finds", ["0"])[0]
        watcher = self.server.dashboard.watcher
        self.close_connection = True  # the answer ends with the connection
        with watcher.viewer() as taken:
            if not taken:
                self._send_json({"fault": "Too many pages look at this crawl."}, HTTPStatus.SERVICE_UNAVAILABLE)
                return
            self.send_response(HTTPStatus.OK)
            self._send_headers("text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in watcher.events(int(last) if last.isdecimal() else 0):
                self.wfile.write(event)
                self.wfile.flush()


def _texts(board: Dashboard, query: dict[str, str]) -> dict[str, Any]:
    wanted = query.get("lang", "")
    language: Language = "zh" if wanted == "zh" else "en" if wanted == "en" else board.language
    return {"language": language, "texts": texts.page_texts(Say(language))}


_LOOKS: dict[str, Callable[[Dashboard, dict[str, str]], dict[str, Any]]] = {
    "/api/texts": _texts,
    "/api/explain": lambda board, query: looks.explained(board.source, query.get("url", "")),
    "/api/search": lambda board, query: looks.searched(board.source, query.get("q", "")),
    "/api/borderline": lambda board, _: looks.borderline(board.source),
    "/api/neighbourhood": lambda board, query: looks.neighbourhood(board.source, query.get("key", "")),
    "/api/answers": lambda board, _: board.actions.answers.given(),
    "/api/hosts": lambda board, _: looks.host_paths(board.source),
}
