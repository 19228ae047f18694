"""The plainest extraction: the text of the page's blocks without boilerplate.

It stands for a page when no better method applies, and is the floor that other methods are measured against.
"""

from __future__ import annotations

import unicodedata

from focuscrawl.extraction.base import Extraction
from focuscrawl.page.model import PageAnalysis
from focuscrawl.types import Explained, clip01

# Text of this many characters is surely more than a caption or a teaser; confidence grows up to here.
_FULL_CHARS = 400


class BlocksExtractor:
    """Joins the own text of all blocks that are not navigation, in document order."""

    name = "blocks"

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the blocks' text, None for a page without a tree."""
        if page.tree is None:
            return None
        paragraphs = page.tree.content_paragraphs()
        text = unicodedata.normalize("NFC", "\n\n".join(p for p in paragraphs if p))
        chars = len(text)
        share = clip01(chars / _FULL_CHARS)
        return Extraction(
            method=self.name,
            text=text,
            title=page.title,
            confidence=Explained(0.5 * share, {"length": share}, f"{chars} characters outside navigation"),
        )
