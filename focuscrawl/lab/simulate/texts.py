"""The main contents of a recorded web's pages: each extracted once, kept in memory, and on disk when asked."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

from focuscrawl.crawler.reader_setup import extraction_of, extraction_row
from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.plain_extraction import extracted
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.lab.simulate.code_mark import code_mark
from focuscrawl.lab.simulate.files import WebFiles
from focuscrawl.lab.simulate.kept import KeptValues, cutting
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.base import Tokenizer

_FORMAT = 1  # whatever changes in the rows makes earlier ones unreadable: part of a cache's name


def extracting_mark() -> str:
    """Return a digest of the code that extracts the main content of a page."""
    return code_mark("focuscrawl.extraction.router", "focuscrawl.page.analysis", "focuscrawl.text.tokenize")


class ExtractedTexts:
    """Extractor of a simulation, whose analyses come without their trees: it reads the page's file again, once.

    It extracts as a crawl without feeds does. The text is that of the whole page: what its host repeats is taken out
    afterwards, crawl by crawl.

    Parameters
    ----------
    files, tokenizer, cache, memory_pages, pin
        As of `focuscrawl.lab.simulate.pages.AnalysedPages`.
    """

    name = "router"

    def __init__(
        self, files: WebFiles, tokenizer: Tokenizer, *, cache: Path | None, memory_pages: int, pin: str = ""
    ) -> None:
        self.extracted = 0  # pages this instance had to extract
        self.reading_s = 0.0  # CPU time that reading and extracting took
        self._files = files
        self._tokenizer = tokenizer
        self._extractor = RouterExtractor()
        self._memory: OrderedDict[str, Extraction | None] = OrderedDict()
        self._memory_pages = memory_pages
        options = f"{_FORMAT}|{files.www.resolve()}|{tokenizer.name}|{cutting(tokenizer)}"
        self._kept = KeptValues(cache, "texts", f"{pin or extracting_mark()}|{options}")

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content of a page of the web, None when there is none."""
        if page.url in self._memory:
            self._memory.move_to_end(page.url)
            return self._memory[page.url]
        began = process_time()
        kept = self._kept.get(page.url)
        if kept is None:
            row = self._extract(page.url)
            self._kept.put(page.url, json.dumps(row, ensure_ascii=False).encode())
        else:
            row = json.loads(kept)
        found = self._memory[page.url] = extraction_of(row)
        if len(self._memory) > self._memory_pages:
            self._memory.popitem(last=False)
        self.reading_s += process_time() - began
        return found

    def _extract(self, url: str) -> Sequence[Any] | None:
        answer = self._files.answer(url)
        body = self._files.read(answer.file)
        page = analyse(body, url, content_type=answer.content_type, tokenizer=self._tokenizer)
        self.extracted += 1
        return extraction_row(extracted(self._extractor, page))

    def flush(self) -> None:
        """Write what is new to disk."""
        self._kept.flush()

    def close(self) -> None:
        """Write what is new and let go of the cache; idempotent."""
        self._kept.close()
