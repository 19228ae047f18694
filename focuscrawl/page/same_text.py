"""Fingerprint of all that a page says, the same for one page under many addresses."""

from __future__ import annotations

import re
import zlib
from urllib.parse import unquote

from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.slots import fingerprint

_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")
_LEAST_TOKENS = 4
_SHORT_CHARS = 500
"""In a text of so few characters numbers do not count."""


def same_text_item(page: PageAnalysis) -> int:
    """Return an item for what a page says but for the words and numbers of its address, 0 for next to nothing.

    A soft 404 names the address that was asked for, a calendar the day, and both say the same otherwise. The order of
    the words does not count: their checksums are added up.
    """
    path = unquote(page.url.partition("://")[2].partition("/")[2]).casefold()
    # Each is named once; the text may have it besides. One pass over the text, however many words the address has.
    named = set(_WORD.findall(path)).intersection(page.tokens)
    count = len(page.tokens) - len(named)
    if count < _LEAST_TOKENS:
        return 0
    text, left_out = " ".join(page.tokens), " ".join(named)
    if len(text) - len(left_out) <= _SHORT_CHARS:
        text, left_out = _DIGITS.sub("0", text), _DIGITS.sub("0", left_out)
    return fingerprint("page", f"{count} {_sum(text) - _sum(left_out)}", masked=False)


def _sum(text: str) -> int:
    return sum(map(zlib.crc32, text.encode("utf-8", "surrogatepass").split()))
