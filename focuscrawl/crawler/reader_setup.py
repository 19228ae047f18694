"""What a reader of pages in another process is made of, and the plain values it is asked and answers with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from focuscrawl import plugins
from focuscrawl.crawler.page_analyser import PageAnalyser
from focuscrawl.crawler.read_page import QUICK
from focuscrawl.crawler.watchdog import Watchdog
from focuscrawl.extraction.base import Extraction, Extractor, Record
from focuscrawl.extraction.licence import licence_of
from focuscrawl.extraction.markdown import to_markdown
from focuscrawl.extraction.plain_extraction import extracted
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.packed import page_row
from focuscrawl.types import Explained


class Reader:
    """Analyses pages and extracts their main content, as the page step does.

    Parameters
    ----------
    tokenizer
        Name, and options to build it with.
    extractor
        Name.
    mentioned, max_links, ftp
        As of `PageAnalyser`.
    cpu_s
        Seconds of processor time that a page may take for each of both; 0 is no limit.

    Raises
    ------
    PluginError
        If a part cannot be built.
    """

    def __init__(
        self,
        *,
        tokenizer: tuple[str, Mapping[str, Any]],
        extractor: str,
        mentioned: Mapping[str, float],
        max_links: int,
        ftp: bool,
        cpu_s: float,
    ) -> None:
        name, options = tokenizer
        made = plugins.build("tokenizers", name, **options)
        self._analyser = PageAnalyser(made, mentioned, max_links=max_links, ftp=ftp)
        self._extractor: Extractor = plugins.build("extractors", extractor)
        self._watchdog = Watchdog(cpu_s)

    def read(
        self, body: bytes, url: str, content_type: str | None, follow_images: bool
    ) -> tuple[PageAnalysis, tuple[Any, ...]]:
        """Return the analysis of an answer, and the same as plain values."""
        page = self._watchdog.run(self._analyser.analyse, body, url, content_type, follow_images=follow_images)
        return page, page_row(page)

    def extract(self, page: PageAnalysis, *, quick: bool) -> tuple[Any, ...]:
        """Return main content and licence of a page that was read."""
        extractor = QUICK if quick else self._extractor
        return extraction_row(self._watchdog.run(extracted, extractor, page)), licence_of(page.tree, page.url)

    def markdown(self, page: PageAnalysis, text: str) -> str:
        """Return a text of a page that was read as Markdown."""
        return self._watchdog.run(to_markdown, text, page.tree, page.url)


def extraction_row(found: Extraction | None) -> tuple[Any, ...] | None:
    """Return what was extracted as plain values."""
    if found is None:
        return None
    confidence = found.confidence
    return (
        *(found.method, found.text, found.title, found.published, found.author, found.category, found.xpaths),
        *(confidence.value, dict(confidence.parts), confidence.reason),
        tuple((one.text, one.author, one.published) for one in found.records),
        found.tags,
    )


def extraction_of(row: Sequence[Any] | None) -> Extraction | None:
    """Return the extraction of an `extraction_row`.

    >>> found = Extraction("blocks", "Tea.", confidence=Explained(0.5, {"length": 0.5}, "short"), tags=("Oolong",))
    >>> extraction_of(extraction_row(found)) == found
    True
    """
    if row is None:
        return None
    method, text, title, published, author, category, xpaths, value, parts, reason, records, tags = row
    return Extraction(
        method,
        text,
        title,
        published,
        author,
        category,
        tuple(xpaths),
        Explained(value, parts, reason),
        tuple(Record(*one) for one in records),
        tuple(tags),
    )
