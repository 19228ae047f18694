"""Fingerprint of all that a page says, the same for one page under many addresses."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import unquote

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.slots import fingerprint

_WORD = re.compile(r"\w+")
_LEAST_TOKENS = 4


def same_text_item(page: PageAnalysis) -> int:
    """Return an item for what a page says but for the words and numbers of its address, 0 for next to nothing.

    A soft 404 names the address that was asked for, a calendar the day, and both say the same otherwise.
    """
    path = unquote(page.url.partition("://")[2].partition("/")[2]).casefold()
    words = Counter(page.tokens)
    words -= Counter(dict.fromkeys(_WORD.findall(path), 1))  # named once; the text may have it besides
    tokens = sorted(words.elements())
    return fingerprint("page", " ".join(tokens)) if len(tokens) >= _LEAST_TOKENS else 0
