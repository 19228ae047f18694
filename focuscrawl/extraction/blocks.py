"""The plainest extraction: the text of the page's blocks without boilerplate.

It stands for a page when no better method applies, and is the floor that other methods are measured against.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.extraction.base import Extraction
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.normalize import nfc
from focuscrawl.types import Explained, clip01

if TYPE_CHECKING:
    from focuscrawl.extraction.main_content import Judged

# Text of this many characters is surely more than a caption or a teaser; confidence grows up to here.
_FULL_CHARS = 400


class BlocksExtractor:
    """Joins the own text of all blocks that are not navigation, in document order.

    By itself it knows no more of a page than how much text that is. Where its lines are judged, its confidence is how
    probably what it took is main content, as with ``main-content``.
    """

    name = "blocks"

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the blocks' text, None for a page without a tree."""
        if page.tree is None:
            return None
        paragraphs = page.tree.content_paragraphs()
        text = nfc("\n\n".join(p for p in paragraphs if p))
        chars = len(text)
        share = clip01(chars / _FULL_CHARS)
        return Extraction(
            method=self.name,
            text=text,
            title=page.title,
            confidence=Explained(0.5 * share, {"length": share}, f"{chars} characters outside navigation"),
        )

    def extract_judged(self, page: PageAnalysis, judged: Judged | None) -> Extraction | None:
        """Return the blocks' text with a confidence by what its lines are judged as."""
        found = self.extract(page)
        if found is None or judged is None:
            return found
        share = clip01(len(found.text) / _FULL_CHARS)
        mean = _mean_probability(set(found.text.split("\n\n")), judged)
        return replace(
            found,
            confidence=Explained(
                clip01(mean * (0.5 + 0.5 * share)),
                {"probability": mean, "length": share},
                f"{len(found.text)} characters outside navigation",
            ),
        )


def _mean_probability(paragraphs: set[str], judged: Judged) -> float:
    """Return the probability of the lines of blocks whose text is in `paragraphs`, weighted by words, 0 for none."""
    texts: dict[int, list[str]] = {}
    for line in judged.found.lines:
        texts.setdefault(line.node, []).extend(line.text.split())
    taken = {node for node, words in texts.items() if " ".join(words) in paragraphs}
    return judged.mean_probability(at for at, line in enumerate(judged.found.lines) if line.node in taken)
