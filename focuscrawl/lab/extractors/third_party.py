"""Extractors of other projects behind our interface, to compare with; each needs its package installed.

They take a page as text and parse it again themselves, which their times in a benchmark include.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from lxml import etree

from focuscrawl.errors import MissingPackageError
from focuscrawl.extraction.base import Extraction
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.normalize import nfc
from focuscrawl.types import Explained

EXTRA = "compare"
"""The extra of this project that installs the packages."""
_UNSTATED = 0.5  # neither says how sure it is: above a guess of ours, below what ours is sure of


class TrafilaturaExtractor:
    """Main text by trafilatura, with its title, date, author and first category.

    Parameters
    ----------
    comments
        Take comments for main content: what suits threads.

    Raises
    ------
    MissingPackageError
        If the package is not installed.
    """

    name = "trafilatura"

    def __init__(self, *, comments: bool = False) -> None:
        self._extract: Callable[..., Any] = _function(self.name, "trafilatura", "bare_extraction")
        self._comments = comments

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content, None for a page without a tree."""
        source = _source(page)
        if source is None:
            return None
        try:
            found = self._extract(source, url=page.url, include_comments=self._comments, with_metadata=True)
        except Exception as error:  # whatever another project raises for a page is one page less, not the end of a run
            return _failed(self.name, page, error)
        if found is None:
            return Extraction(self.name, "", title=page.title, confidence=Explained(0.0, {}, "it found nothing"))
        text = found.text or ""
        if self._comments and found.comments:
            text = f"{text}\n{found.comments}"
        return Extraction(
            method=self.name,
            text=_paragraphs(text),
            title=found.title or page.title,
            published=found.date or None,
            author=found.author or None,
            category=next(iter(found.categories or ()), None),
            confidence=_stated(text),
        )


class ResiliparseExtractor:
    """Main text by resiliparse.

    Parameters
    ----------
    comments
        Take comments for main content: what suits threads.

    Raises
    ------
    MissingPackageError
        If the package is not installed.
    """

    name = "resiliparse"

    def __init__(self, *, comments: bool = False) -> None:
        self._extract: Callable[..., str] = _function(self.name, "resiliparse.extract.html2text", "extract_plain_text")
        self._comments = comments

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content, None for a page without a tree."""
        source = _source(page)
        if source is None:
            return None
        try:
            text = self._extract(
                source, main_content=True, comments=self._comments, alt_texts=False, list_bullets=False
            )
        except Exception as error:  # as above
            return _failed(self.name, page, error)
        return Extraction(self.name, _paragraphs(text), title=page.title, confidence=_stated(text))


def _function(name: str, module: str, function: str) -> Callable[..., Any]:
    try:
        found: Callable[..., Any] = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise MissingPackageError(
            f'extractor "{name}" needs the package {module.partition(".")[0]}, which cannot be used here ({error});'
            f" install it with: pip install 'focuscrawl[{EXTRA}]'."
        ) from error
    return found


def _source(page: PageAnalysis) -> str | None:
    if page.tree is None:
        return None
    return str(etree.tostring(page.tree.root, encoding="unicode", method="html"))


def _paragraphs(text: str) -> str:
    """Return `text` in our form, for both put one line end between paragraphs or several."""
    lines = (line.strip() for line in text.splitlines())
    return nfc("\n\n".join(line for line in lines if line))


def _stated(text: str) -> Explained:
    if not text.strip():
        return Explained(0.0, {}, "it found nothing")
    return Explained(_UNSTATED, {}, "it does not say how sure it is")


def _failed(name: str, page: PageAnalysis, error: Exception) -> Extraction:
    reason = f"it failed on this page: {type(error).__name__}: {error}"
    return Extraction(name, "", title=page.title, confidence=Explained(0.0, {}, reason[:300]))
