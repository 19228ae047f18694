"""Contract of extractors, and their result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.language import NOT_LATIN, guess_language
from focuscrawl.types import Explained

_NOT_STATED = Explained(0.0)
_TELLING_CHARS = 40  # of a main text whose script overrules the language of its page


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

    What a page says beside a short text may be code or names. Where the main text has another script than that of the
    page's language, the page is a frame in one language around a text in another: a Chinese thread in an English forum.
    """
    if found is None or not page.language:
        return page.language or (guess_language(found.text) if found else "")
    if len(found.text) < _TELLING_CHARS or page.language in NOT_LATIN:
        return page.language
    said = guess_language(found.text)
    return said if said in NOT_LATIN else page.language


class Extractor(Protocol):
    """Finds the main content of a page; reads the tree, never changes it."""

    name: str

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content, or None when the page is not of the kind this extractor handles."""
        ...
