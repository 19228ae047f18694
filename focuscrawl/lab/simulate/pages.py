"""The analysed pages of a recorded web: each analysed once, kept in memory, and on disk when a folder is given."""

from __future__ import annotations

import ast
import hashlib
import json
import logging
import sqlite3
import zlib
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from time import process_time

import focuscrawl
from focuscrawl.lab.simulate import codec
from focuscrawl.lab.simulate.files import Answer, WebFiles
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.texts import UrlMemory
from focuscrawl.text.base import Tokenizer

logger = logging.getLogger(__name__)

# About 150 kB an analysis in memory: 30,000 of them are some 4.5 GB, the largest recorded webs in full.
MEMORY_PAGES = 30_000
_WRITE_BATCH = 200
_ZLIB_LEVEL = 1  # a third of the size for a millisecond a page; higher levels cost more than they save
_ANALYSING = ("focuscrawl.page.analysis", "focuscrawl.text.tokenize")
_ANALYSING_PACKAGES = ("focuscrawl.page.", "focuscrawl.text.")


@lru_cache(maxsize=1)
def code_mark() -> str:
    """Return a digest of the code that analyses pages, so that a cache never outlives it.

    It covers the modules of `focuscrawl.page` and `focuscrawl.text` that analysing a page imports, found by reading
    their import statements. Called early it tells of the code this process runs, whatever happens to the files later.
    """
    root = Path(focuscrawl.__file__).parent.parent
    sources: dict[str, bytes] = {}
    waiting = list(_ANALYSING)
    while waiting:
        module = waiting.pop()
        file = root / (module.replace(".", "/") + ".py")
        if module in sources or not module.startswith(_ANALYSING_PACKAGES) or not file.is_file():
            continue
        sources[module] = file.read_bytes()
        for node in ast.walk(ast.parse(sources[module])):
            if isinstance(node, ast.ImportFrom):
                waiting += [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
            elif isinstance(node, ast.Import):
                waiting += [name.name for name in node.names]
    digest = hashlib.blake2b(digest_size=8)
    for module in sorted(sources):
        digest.update(f"{module} {len(sources[module])} ".encode() + sources[module])
    return digest.hexdigest()


class AnalysedPages:
    """Analyses of the pages of a recorded web, by answer.

    Parameters
    ----------
    files
        The web's files.
    tokenizer
        Cuts the pages' words; topics of another tokenizer need another instance.
    cache
        A private folder of the caller: analyses are kept there between processes. Several may use it at once. What is
        in it is trusted (see `codec`).
    max_links, follow_images
        As in the crawl's options.
    memory_pages
        How many analyses stay in memory; the least recently used go first.
    pin
        A name that stands for the code that analyses pages: with it, analyses on disk outlive changes of that code,
        so that rankings can be compared while it is worked on. "" (the default) believes none but its own.
    """

    def __init__(
        self,
        files: WebFiles,
        tokenizer: Tokenizer,
        *,
        cache: Path | None = None,
        max_links: int = 500,
        follow_images: bool = False,
        memory_pages: int = MEMORY_PAGES,
        pin: str = "",
    ) -> None:
        self.files = files
        self.tokenizer = tokenizer
        self.max_links = max_links
        self.follow_images = follow_images
        self.memory_pages = memory_pages
        self.pin = pin
        self.analysed = 0  # pages this instance had to analyse
        self.loaded = 0  # pages it read from disk
        self.reading_s = 0.0  # CPU time that both took
        self._urls = UrlMemory()
        self._paths: codec.Paths = {}
        self._memory: OrderedDict[str, PageAnalysis] = OrderedDict()
        self._unwritten: list[tuple[str, bytes]] = []
        self._database: sqlite3.Connection | None = None
        if cache is not None:
            self._database = self._open(cache)

    def get(self, answer: Answer) -> PageAnalysis:
        """Return the analysis of a page as it was answered (status 200)."""
        page = self._memory.get(answer.url)
        if page is not None:
            self._memory.move_to_end(answer.url)
            return page
        began = process_time()  # a system call: not worth it for pages in memory
        page = self._load(answer.url) or self._analyse(answer)
        self.reading_s += process_time() - began
        self._memory[answer.url] = page
        if len(self._memory) > self.memory_pages:
            self._memory.popitem(last=False)
        return page

    def flush(self) -> None:
        """Write what is new to disk."""
        if self._database is None or not self._unwritten:
            return
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?)", self._unwritten)
        self._unwritten.clear()

    def close(self) -> None:
        """Write what is new and let go of the cache; idempotent."""
        self.flush()
        if self._database is not None:
            self._database.close()
            self._database = None

    def _analyse(self, answer: Answer) -> PageAnalysis:
        page = analyse(
            self.files.read(answer.file),
            answer.url,
            content_type=answer.content_type,
            tokenizer=self.tokenizer,
            max_links=self.max_links,
            follow_images=self.follow_images,
            urls=self._urls,
        )
        self.analysed += 1
        data = codec.pack(page)
        if self._database is not None:
            self._unwritten.append((answer.url, zlib.compress(data, _ZLIB_LEVEL)))
            if len(self._unwritten) >= _WRITE_BATCH:
                self.flush()
        return codec.unpack(data, self._paths)

    def _load(self, url: str) -> PageAnalysis | None:
        if self._database is None:
            return None
        row = self._database.execute("SELECT data FROM pages WHERE url = ?", (url,)).fetchone()
        if row is None:
            return None
        self.loaded += 1
        return codec.unpack(zlib.decompress(row[0]), self._paths)

    def _open(self, cache: Path) -> sqlite3.Connection:
        cache.mkdir(parents=True, exist_ok=True)
        options = json.dumps([str(self.files.www.resolve()), self.tokenizer.name, self.max_links, self.follow_images])
        # A plug-in's tokenizer may say too little by its name; what it makes of this sentence says more.
        probe = "|".join(self.tokenizer.tokens("The crawlers' pages; 网页抓取程序, naïve boxes"))
        mark = hashlib.blake2b(
            f"{self.pin or code_mark()}|{codec.FORMAT}|{options}|{probe}".encode(), digest_size=8
        ).hexdigest()
        path = cache / f"analyses-{mark}.sqlite"
        database = sqlite3.connect(path, timeout=60.0)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")  # a cache: after a power cut it is made anew
        database.execute("CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, data BLOB NOT NULL)")
        database.commit()
        logger.debug("analyses are kept in %s", path)
        return database
