"""What was made of pages, kept on disk by their URLs: a private folder that several processes may use at once."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import zlib
from pathlib import Path

from focuscrawl.text.base import Tokenizer

logger = logging.getLogger(__name__)

_WRITE_BATCH = 200
_ZLIB_LEVEL = 1  # a third of the size for a millisecond a page; higher levels cost more than they save


class KeptValues:
    """Values by URL, as bytes.

    Parameters
    ----------
    folder
        A private folder of the caller; None keeps nothing. What is in it is trusted.
    kind
        What the values are: part of the file's name.
    made_by
        Whatever the values depend on beside the pages; others are kept in another file.
    """

    def __init__(self, folder: Path | None, kind: str, made_by: str) -> None:
        self._unwritten: list[tuple[str, bytes]] = []
        self._database: sqlite3.Connection | None = None
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        mark = hashlib.blake2b(made_by.encode(), digest_size=8).hexdigest()
        path = folder / f"{kind}-{mark}.sqlite"
        self._database = sqlite3.connect(path, timeout=60.0)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = OFF")  # a cache: after a power cut it is made anew
        self._database.execute("CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, data BLOB NOT NULL)")
        self._database.commit()
        logger.debug("%s are kept in %s", kind, path)

    def get(self, url: str) -> bytes | None:
        """Return what is kept of a page, None when nothing is."""
        if self._database is None:
            return None
        row = self._database.execute("SELECT data FROM pages WHERE url = ?", (url,)).fetchone()
        return None if row is None else zlib.decompress(row[0])

    def put(self, url: str, data: bytes) -> None:
        """Keep a value; it is on disk after `flush`."""
        if self._database is None:
            return
        self._unwritten.append((url, zlib.compress(data, _ZLIB_LEVEL)))
        if len(self._unwritten) >= _WRITE_BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is new to disk."""
        if self._database is None or not self._unwritten:
            return
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?)", self._unwritten)
        self._unwritten.clear()

    def close(self) -> None:
        """Write what is new and let go of the file; idempotent."""
        self.flush()
        if self._database is not None:
            self._database.close()
            self._database = None


def cutting(tokenizer: Tokenizer) -> str:
    """Return how a tokenizer cuts a sentence: a plug-in's may say too little by its name."""
    return "|".join(tokenizer.tokens("The crawlers' pages; 网页抓取程序, naïve boxes"))
