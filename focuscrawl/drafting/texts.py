"""Texts a draft is made of: main content of web pages, PDFs and plain texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import re2

from focuscrawl import plugins
from focuscrawl.errors import FocusCrawlError
from focuscrawl.extraction.base import Extractor
from focuscrawl.page.analysis import analyse
from focuscrawl.page.decode import decode
from focuscrawl.page.media_types import media_type
from focuscrawl.page.pdf import is_pdf, pdf_text
from focuscrawl.text.base import Tokenizer
from focuscrawl.topic.files import display, read_bytes

LEAST_CHARS = 40
"""A shorter text shows nothing of how pages on a subject read."""
_BINARY = ("image/", "audio/", "video/", "font/", "application/zip", "application/octet-stream")
_MARKUP = re2.compile(rb"(?i)^\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|html|head|meta|title|body|\?xml|div|p\b|h1)")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_EXTRACTOR = "router"


class ExampleError(FocusCrawlError):
    """An example that gives no text; the sentence says why."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text with where it is from.

    Parameters
    ----------
    name
        File or URL, for people.
    url
        Where the page is; "" for a file.
    by
        The language model that wrote it; "" for a page or a file.
    """

    name: str
    title: str
    text: str
    url: str = ""
    by: str = ""


def is_url(source: str) -> bool:
    """Tell whether a source is to be fetched."""
    return urlsplit(source).scheme.lower() in ("http", "https")


def read_example(path: Path, tokenizer: Tokenizer) -> SourceText:
    """Return the text of a file: a web page (its main content), a PDF, or plain text in any usual encoding.

    Raises
    ------
    TopicError
        If the file cannot be read.
    ExampleError, PdfError
        If there is no text in it.
    """
    return text_of(read_bytes(path), name=display(path), tokenizer=tokenizer)


def text_of(
    body: bytes, *, name: str, tokenizer: Tokenizer, url: str = "", content_type: str | None = None
) -> SourceText:
    """Return the text of a page or a file, by what is in it.

    Parameters
    ----------
    name
        For people.
    url
        Where it was fetched, after redirects; "" for a file.
    content_type
        As the server said.

    Raises
    ------
    ExampleError, PdfError
        If there is no text in it.
    """
    kind = media_type(content_type)
    if is_pdf(body):
        title, text = pdf_text(body, name)
    elif kind.startswith(_BINARY) or (b"\0" in body[:4096] and not body.startswith(_UTF_16)):
        raise ExampleError(f"{name}: {kind or 'binary data'}; a web page, a text or a PDF was expected.")
    elif "html" in kind or "xml" in kind or _MARKUP.search(body[:1024]):
        title, text = _main_content(body, url, content_type, tokenizer)
    else:
        title, text = "", decode(body, content_type).text
    text = "\n".join(line for raw in text.splitlines() if (line := " ".join(raw.split())))
    if len(text) < LEAST_CHARS:
        raise ExampleError(f"{name}: hardly any text in it ({len(text)} characters); a paragraph or more was expected.")
    return SourceText(name, title, text, url)


def _main_content(body: bytes, url: str, content_type: str | None, tokenizer: Tokenizer) -> tuple[str, str]:
    page = analyse(body, url or "http://example.invalid/", content_type=content_type, tokenizer=tokenizer)
    extractor: Extractor = plugins.build("extractors", _EXTRACTOR)
    found = extractor.extract(page)
    return (found.title if found else "") or page.title, found.text if found else ""
