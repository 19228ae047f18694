"""Exact duplicates: digest of the normalised text."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b


def content_digest(text: str) -> str:
    """Return 16 hex digits that are equal for texts equal but for case, width and white space; '' for no text."""
    folded = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    if not folded:
        return ""
    return blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
