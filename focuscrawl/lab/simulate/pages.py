"""The analysed pages of a recorded web: each analysed once, kept in memory, and on disk when a folder is given."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path
from time import process_time

from focuscrawl.lab.simulate import codec
from focuscrawl.lab.simulate.code_mark import code_mark
from focuscrawl.lab.simulate.files import Answer, WebFiles
from focuscrawl.lab.simulate.kept import KeptValues, cutting
from focuscrawl.lab.simulate.texts import ExtractedTexts
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.texts import UrlMemory
from focuscrawl.text.base import Tokenizer

# About 150 kB an analysis in memory: 30,000 of them are some 4.5 GB, the largest recorded webs in full.
MEMORY_PAGES = 30_000


def analysing_mark() -> str:
    """Return a digest of the code that analyses pages."""
    return code_mark("focuscrawl.page.analysis", "focuscrawl.text.tokenize")


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
        A name that stands for the code that reads pages: with it, what is on disk outlives changes of that code, so
        that rankings can be compared while it is worked on. "" (the default) believes none but its own.
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
        self._reading_s = 0.0
        self._urls = UrlMemory()
        self._paths: codec.Paths = {}
        self._memory: OrderedDict[str, PageAnalysis] = OrderedDict()
        self.texts = ExtractedTexts(files, tokenizer, cache=cache, memory_pages=memory_pages, pin=pin)
        options = json.dumps([str(files.www.resolve()), tokenizer.name, max_links, follow_images])
        made_by = f"{pin or analysing_mark()}|{codec.FORMAT}|{options}|{cutting(tokenizer)}"
        self._kept = KeptValues(cache, "analyses", made_by)

    @property
    def reading_s(self) -> float:
        """CPU time, in seconds, that reading, analysing and extracting took."""
        return self._reading_s + self.texts.reading_s

    def get(self, answer: Answer) -> PageAnalysis:
        """Return the analysis of a page as it was answered (status 200)."""
        page = self._memory.get(answer.url)
        if page is not None:
            self._memory.move_to_end(answer.url)
            return page
        began = process_time()  # a system call: not worth it for pages in memory
        page = self._load(answer.url) or self._analyse(answer)
        self._reading_s += process_time() - began
        self._memory[answer.url] = page
        if len(self._memory) > self.memory_pages:
            self._memory.popitem(last=False)
        return page

    def flush(self) -> None:
        """Write what is new to disk."""
        self._kept.flush()
        self.texts.flush()

    def close(self) -> None:
        """Write what is new and let go of the cache; idempotent."""
        self._kept.close()
        self.texts.close()

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
        self._kept.put(answer.url, data)
        return codec.unpack(data, self._paths)

    def _load(self, url: str) -> PageAnalysis | None:
        data = self._kept.get(url)
        if data is None:
            return None
        self.loaded += 1
        return codec.unpack(data, self._paths)
