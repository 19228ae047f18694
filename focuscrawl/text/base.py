"""Contract of tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Tokenizer(Protocol):
    """Turns text into tokens: NFKC, lower case, Chinese by a segmenter, other scripts by runs of letters or digits.

    Stop words stay in: who does not want them removes them. The same text always gives the same tokens.
    """

    name: str  # says how it cuts: two tokenizers of one name give the same tokens

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of `text`, in order."""
        ...

    def chunks(self, chunks: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each chunk, segmenting all of them in one pass (a page is segmented once).

        No token crosses a chunk's border. The result has exactly ``len(chunks)`` lists.
        """
        ...
