"""Check of what an extractor returns, where it enters the crawl."""

from __future__ import annotations

from focuscrawl.errors import PluginFaultError
from focuscrawl.extraction.base import Extraction, Extractor, Record
from focuscrawl.page.model import PageAnalysis
from focuscrawl.plain_values import optional_text, plain_score, text, texts
from focuscrawl.plugins import faults_told, name_of


def extracted(extractor: Extractor, page: PageAnalysis) -> Extraction | None:
    """Return the main content that an extractor finds on a page, with texts and numbers that are Python's own.

    It becomes JSON and a row long after its page: what these cannot hold would end the crawl, or lose all results.

    Raises
    ------
    PluginFaultError
        If it is no `Extraction`, or one of its fields holds what it must not.
    """
    found: object = extractor.extract(page)
    if found is None:
        return None
    what = f'extractor "{name_of(extractor)}"'
    if not isinstance(found, Extraction):
        raise PluginFaultError(f"{what}: expected an Extraction or None, found {type(found).__name__}.")
    if not isinstance(found.records, tuple | list):
        raise PluginFaultError(f"{what}: records {found.records!r:.80}: expected a list of Record.")
    return Extraction(
        text(found.method, f"{what}: method"),
        text(found.text, f"{what}: text"),
        text(found.title, f"{what}: title"),
        optional_text(found.published, f"{what}: published"),
        optional_text(found.author, f"{what}: author"),
        optional_text(found.category, f"{what}: category"),
        texts(found.xpaths, f"{what}: xpaths"),
        plain_score(found.confidence, f"{what}: confidence"),
        tuple(_record(one, f"{what}: record") for one in found.records),
        texts(found.tags, f"{what}: tags"),
    )


def extracted_or_told(extractor: Extractor, page: PageAnalysis, method: str) -> Extraction | None:
    """Return the main content as `extracted` does, outside a crawl.

    Raises
    ------
    PluginFaultError
        If the extractor raises, too: nobody else tells of it.
    """
    with faults_told("extractors", method, f"fails over {page.url}"):
        return extracted(extractor, page)


def _record(record: object, what: str) -> Record:
    if not isinstance(record, Record):
        raise PluginFaultError(f"{what}: expected a Record, found {type(record).__name__}.")
    return Record(
        text(record.text, f"{what}: text"),
        optional_text(record.author, f"{what}: author"),
        optional_text(record.published, f"{what}: published"),
    )
