"""Contract of extractors, and their result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.language import guess_language
from focuscrawl.types import Explained

_NOT_STATED = Explained(0.0)


@dataclass(frozen=True, slots=True)
class Record:
    """One of several bodies of a page: a post of a thread, an answer to a question."""

    text: str
    author: str | None = None
    published: str | None = None  # ISO 8601 date or datetime


@dataclass(frozen=True, slots=True)
class Extraction:
    """Main content of a page."""

    method: str
    text: str  # paragraphs separated by a blank line, NFC, no markup
    title: str = ""
    published: str | None = None  # ISO 8601 date or datetime
    author: str | None = None
    category: str | None = None
    xpaths: tuple[str, ...] = ()  # where the text came from
    confidence: Explained = _NOT_STATED
    records: tuple[Record, ...] = ()  # of a multi-body page, in document order; `text` joins them
    tags: tuple[str, ...] = ()  # that the page shows as its own


def text_language(page: PageAnalysis, found: Extraction | None) -> str:
    """Return the language of a page, that of its main text where the page itself does not tell, '' for unknown.

    What a page says beside a short text may be code or names.
    """
    return page.language or (guess_language(found.text) if found else "")


class Extractor(Protocol):
    """Finds the main content of a page; reads the tree, never changes it."""

    name: str

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content, or None when the page is not of the kind this extractor handles."""
        ...
