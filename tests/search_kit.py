"""A double of a search server: an index in memory, on loopback, that speaks what OpenSearch 2 does."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from loopback import Answering, serving


class Server:
    """The index ``tea``, and what was asked of it."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[str, Any]] = {}
        self.index: dict[str, Any] | None = None
        self.busy = 0  # documents that are refused with 429 before one is taken
        self.amiss: set[str] = set()  # keys of documents that do not fit the mapping
        self.status = 0  # of all answers, when it is not 0
        self.takes_none = False  # documents; the index itself is there
        self.asked: list[tuple[str, str, str]] = []  # method, path, Authorization
        self.sent = 0
        self.url = ""

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if status := self.status or (503 if self.takes_none and path.endswith("/_bulk") else 0):
            return status, {"error": {"type": "no", "reason": "not today"}, "status": status}
        name = path.strip("/").split("/")[-1]
        if name == "tea":
            if method == "PUT":
                self.index = json.loads(body)
                return 200, {"acknowledged": True}
            return (200 if self.index is not None else 404), {}
        if name == "_mget":
            ids = json.loads(body)["ids"]
            return 200, {"docs": [self._got(one) for one in ids]}
        lines = [json.loads(line) for line in body.splitlines()]
        items = []
        while lines:
            ((action, meta),) = lines.pop(0).items()
            items.append({action: self._done(action, meta["_id"], lines.pop(0) if action == "index" else {})})
        return 200, {"errors": any(next(iter(one.values()))["status"] > 299 for one in items), "items": items}

    def _got(self, key: str) -> dict[str, Any]:
        found = self.documents.get(key)
        return {"_id": key, "found": found is not None, **({"_source": found} if found is not None else {})}

    def _done(self, action: str, key: str, source: dict[str, Any]) -> dict[str, Any]:
        if action == "delete":
            return {"_id": key, "status": 200 if self.documents.pop(key, None) is not None else 404}
        if self.busy:
            self.busy -= 1
            return {"_id": key, "status": 429, "error": {"type": "es_rejected", "reason": "queue is full"}}
        if key in self.amiss:
            return {"_id": key, "status": 400, "error": {"type": "mapper", "reason": "failed to parse field"}}
        self.sent += 1
        self.documents[key] = source
        return {"_id": key, "status": 201}


@contextmanager
def search_server() -> Iterator[Server]:
    """Run one while the block lasts."""
    state = Server()

    class Handler(Answering):
        protocol_version = "HTTP/1.1"

        def _respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            path = urlsplit(self.path).path
            state.asked.append((self.command, path, self.headers.get("Authorization") or ""))
            status, answer = state.answer(self.command, path, body)
            self.answer(status, "application/json", b"" if self.command == "HEAD" else json.dumps(answer).encode())

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _respond

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    state.url = f"opensearch://127.0.0.1:{http.server_address[1]}/tea"
    with serving(http):
        yield state
