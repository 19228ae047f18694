"""Text of PDF files, within bounds, through the package pypdf."""

from __future__ import annotations

import logging
from io import BytesIO

from focuscrawl.errors import FocusCrawlError

EXTRA = "pdf"
"""The extra of this project that installs pypdf."""
MOST_PAGES = 30
"""Pages that are read: a sample needs the first few; a book has hundreds."""
MOST_CHARS = 50_000
_MARK = b"%PDF-"
_MARK_WITHIN = 1024  # bytes; readers take a file that has it there (ISO 32000-1, annex H.3.4.1)


class PdfError(FocusCrawlError):
    """A PDF that gives no text; the sentence says why and what to do."""


def is_pdf(content: bytes) -> bool:
    """Tell whether a file is a PDF by how it begins."""
    return _MARK in content[:_MARK_WITHIN]


def pdf_text(content: bytes, name: str) -> tuple[str, str]:
    """Return title and text of a PDF: of at most 30 pages and about 50,000 characters.

    Parameters
    ----------
    name
        For messages.

    Raises
    ------
    PdfError
        If pypdf is not installed, or the file is damaged, encrypted, or has no text (a scan).
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError
    except ImportError as error:
        raise PdfError(f"{name}: reading PDFs needs the package pypdf: pip install 'focuscrawl[{EXTRA}]'.") from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it names every slip of a file that it reads all the same
    parts: list[str] = []
    length = 0
    try:
        reader = PdfReader(BytesIO(content))
        title = str((reader.metadata.title if reader.metadata is not None else "") or "")
        for number, page in enumerate(reader.pages):
            if number >= MOST_PAGES or length >= MOST_CHARS:
                break
            parts.append(page.extract_text()[: MOST_CHARS - length])
            length += len(parts[-1])
    except (FileNotDecryptedError, DependencyError) as error:
        raise PdfError(f"{name}: the PDF is encrypted; save a copy without a password.") from error
    # Of a stranger's file pypdf raises whatever its parts happen to be of the wrong type for.
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OSError) as error:
        raise PdfError(
            f"{name}: damaged PDF ({' '.join(str(error).split())[:120] or type(error).__name__})."
        ) from error
    text = "\n".join(parts)
    if not text.strip():
        raise PdfError(f"{name}: a PDF without text, perhaps scanned pages; give a file with text.")
    return " ".join(title.split()), text
