"""Content of a page: the pieces of text that a judge reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focuscrawl.page.blocks import Kept
from focuscrawl.page.walk import Walked

# Less content than this share of the page's text outside links, and less than this many tokens: the boilerplate
# rules took the page apart, so they are not trusted.
LEAST_SHARE = 0.1
LEAST_TOKENS = 30


@dataclass(frozen=True, slots=True)
class Content:
    """Chunks of the content, in document order."""

    chunks: list[int]  # outside links
    in_paragraphs: list[bool]  # of all chunks: those that make up the content's paragraphs, links included


def choose_content(walked: Walked, kept: Kept, tokens: Sequence[list[str]]) -> Content:
    """Return the chunks outside links and boilerplate; more when that leaves almost nothing.

    Steps: without boilerplate; then all text outside links; then all text. A step is taken when the one before has
    fewer than 30 tokens and less than a tenth of what the step would give.
    """
    boilerplate, blocks, linked = kept.boilerplate, walked.chunk_blocks, walked.chunk_linked
    clean = [block < 0 or not boilerplate[block] for block in blocks]
    chosen = [at for at, is_clean in enumerate(clean) if is_clean and not linked[at]]
    size = sum([len(tokens[at]) for at in chosen])
    if size >= LEAST_TOKENS:
        return Content(chosen, clean)
    everything = range(len(blocks))
    for wider in ([at for at in everything if not linked[at]], list(everything)):
        wider_size = sum([len(tokens[at]) for at in wider])
        if size < LEAST_SHARE * wider_size:
            chosen, size = wider, wider_size
            members = {blocks[at] for at in wider}
            clean = [block in members for block in blocks]
    return Content(chosen, clean)
