"""Positions of pieces of text in the token lists of their blocks."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.page.metadata import FIELD_CHARS, collapse
from focuscrawl.page.walk import RawLink

SURROUNDING_TOKENS = 20  # W of docs/formulas.md A.2, on each side
# Chunks of one block stand close together; the bound is for the odd page.
_SEARCH_CHUNKS = 50

Words = tuple[str, ...]


class Places:
    """Token lists of a page by block and by chunk."""

    __slots__ = ("_chunk_blocks", "_chunks", "_index", "_own_starts", "_starts", "_tokens", "all", "blocks", "plain")

    def __init__(
        self,
        chunks: Sequence[str],
        tokens: Sequence[list[str]],
        chunk_blocks: Sequence[int],
        chunk_linked: Sequence[bool],
        index: Sequence[int],
        n_blocks: int,
    ) -> None:
        kept = [index[raw] if raw >= 0 else -1 for raw in chunk_blocks]
        everything: list[str] = []
        starts: list[int] = []
        own_starts: list[int] = []
        own_lists: list[list[str]] = [[] for _ in range(n_blocks + 1)]  # the last is for what is outside all blocks
        plain_lists: list[list[str]] = [[] for _ in range(n_blocks + 1)]
        for words, block, linked in zip(tokens, kept, chunk_linked, strict=False):
            starts.append(len(everything))
            everything += words
            own = own_lists[block]
            own_starts.append(len(own))
            own += words
            if not linked:
                plain_lists[block] += words
        own_lists.pop()
        self.all: Words = tuple(everything)
        self.blocks: list[Words] = [tuple(own) for own in own_lists]
        # Most blocks are all text or all links: one tuple serves both.
        self.plain: list[Words] = [
            own if len(plain) == len(own) else tuple(plain)
            for own, plain in zip(self.blocks, plain_lists, strict=False)
        ]
        self._chunks = chunks
        self._tokens = tokens
        self._chunk_blocks = kept
        self._index = index
        self._starts = starts
        self._own_starts = own_starts

    def block(self, raw: RawLink) -> int:
        """Return the innermost block of a link, -1 for none."""
        return self._index[raw.block] if raw.block >= 0 else -1

    def anchor(self, raw: RawLink) -> tuple[str, Words]:
        """Return the text of a link and its tokens, as many as a text of that length may have."""
        start, end = raw.start, raw.end
        count = end - start
        if count == 1:
            return collapse(self._chunks[start]), tuple(self._tokens[start][:FIELD_CHARS])
        if count <= 0:
            return "", ()
        text = ""
        words: list[str] = []
        # Tighter than `collapse_span`, which reads on where there is white space: a page has hundreds of links, all of
        # them open at once where nobody closes them.
        for at in range(start, end):
            if len(text) > FIELD_CHARS:
                break
            text += self._chunks[at] + " "
            words += self._tokens[at]
        return collapse(text), tuple(words[:FIELD_CHARS])

    def surrounding(self, raw: RawLink) -> Words:
        """Return up to 20 tokens before and after the link in its block, in the body for a link outside all."""
        start, end = raw.start, raw.end
        if start < 0:
            return ()
        block = self._index[raw.block] if raw.block >= 0 else -1
        chunk_blocks, tokens = self._chunk_blocks, self._tokens
        inside = start < len(chunk_blocks) and chunk_blocks[start] == block
        if block < 0:
            text = self.all
            first = self._starts[start] if start < len(self._starts) else len(text)
            after = first + sum([len(tokens[at]) for at in range(start, end)])
        else:
            text = self.blocks[block]
            if not text:
                return ()
            first = self._own_starts[start] if inside else self._place(start, block)
            if end == start + 1:
                after = first + len(tokens[start]) if inside else first
            else:
                after = first + sum([len(tokens[at]) for at in range(start, end) if chunk_blocks[at] == block])
        if first == 0 and after >= len(text):
            return ()
        before = first - SURROUNDING_TOKENS
        return text[before if before > 0 else 0 : first] + text[after : after + SURROUNDING_TOKENS]

    def _place(self, chunk: int, block: int) -> int:
        # The place of a link without text of its own in this block is that of the block's next chunk.
        for at in range(chunk, min(len(self._starts), chunk + _SEARCH_CHUNKS)):
            if self._chunk_blocks[at] == block:
                return self._own_starts[at]
        return len(self.blocks[block])
