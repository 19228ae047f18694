"""What the page tests share."""

from __future__ import annotations

import re
from collections.abc import Sequence


class CharTokenizer:
    """Chinese by characters, Latin by words: goldens must not change with a dictionary."""

    name = "test"

    def tokens(self, text: str) -> list[str]:
        return re.findall(r"[a-z0-9]+|[\u3400-\u9fff]", text.lower())

    def chunks(self, chunks: Sequence[str]) -> list[list[str]]:
        return [self.tokens(chunk) for chunk in chunks]
