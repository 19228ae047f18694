"""Thread that reads the state of a crawl while somebody looks at it, for all viewers together."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Thread
from typing import Any

from focuscrawl.dashboard.state import StateReader

logger = logging.getLogger(__name__)
_KEEP_ALIVE_S = 15.0
_LAST_S = 2.0  # for viewers to be sent the last state
MOST_VIEWERS = 16


class Watcher:
    """Reads while there are viewers, and hands each what is new."""

    def __init__(self, reader: StateReader) -> None:
        self._reader = reader
        self._news = Condition()
        self._viewers = 0
        self._version = 0
        self._state: dict[str, Any] = {}
        self._line = b""
        self._finds: list[dict[str, Any]] = []
        self._closed = False
        self._ended = False  # nothing new comes
        self._thread = Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """End; viewers are sent the last state, and let go."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._thread.join()
        with self._news:
            self._news.wait_for(lambda: self._viewers == 0, _LAST_S)

    def look_again(self) -> None:
        """Read anew at once: something was changed."""
        with self._news:
            self._reader.paced.expire()
            self._news.notify_all()

    @contextmanager
    def viewer(self) -> Iterator[bool]:
        """Count as a viewer; False where there are too many already."""
        with self._news:
            taken = self._viewers < MOST_VIEWERS
            self._viewers += taken
            self._news.notify_all()
        try:
            yield taken
        finally:
            with self._news:
                self._viewers -= taken
                self._news.notify_all()

    def events(self, finds: int = 0) -> Iterator[bytes]:
        """Yield server-sent events: the state whenever it is new, finds after number `finds`, and a sign of life."""
        version = 0
        while True:
            with self._news:
                self._news.wait_for(lambda known=version: self._ended or self._version != known, _KEEP_ALIVE_S)  # type: ignore[misc]
                if self._ended and self._version == version:
                    return
                fresh, version = self._version != version, self._version
                line, new = self._line, [find for find in self._finds if find["n"] > finds]
            if not fresh:
                yield b": still there\n\n"
                continue
            if new:
                finds = new[-1]["n"]
                yield _event("finds", json.dumps(new, ensure_ascii=False).encode(), str(finds))
            yield _event("state", line)

    def _run(self) -> None:
        try:
            self._watch()
        finally:
            with self._news:
                self._ended = True
                self._news.notify_all()

    def _watch(self) -> None:
        last = False
        while not last:
            with self._news:
                self._news.wait_for(lambda: self._closed or self._viewers > 0)
                last = self._closed
                if last and not self._viewers:
                    return
                if last:  # a crawl may have ended since: what its viewers keep on their screens is its final state
                    self._reader.paced.expire()
            try:
                state = self._reader.paced()
            except Exception:
                logger.exception("the state of the crawl could not be read")
                state = {"fault": "An error of the dashboard itself; its output has the details."}
            with self._news:
                if state is not self._state:
                    self._state = state
                    self._line = json.dumps(state, ensure_ascii=False).encode()
                    self._finds = self._reader.finds.since(0)
                    self._version += 1
                    self._news.notify_all()
                if not last:
                    self._news.wait_for(self._is_due, max(0.05, self._reader.paced.wait_s))

    def _is_due(self) -> bool:
        return self._closed or (self._viewers > 0 and self._reader.paced.wait_s == 0.0)


def _event(name: str, data: bytes, number: str = "") -> bytes:
    mark = f"id: {number}\n".encode() if number else b""
    return b"event: " + name.encode() + b"\n" + mark + b"data: " + data + b"\n\n"
