"""Exact duplicates: digest of the normalised text."""

from __future__ import annotations

from hashlib import blake2b

from focuscrawl.text.normalize import nfkc


def content_digest(text: str) -> str:
    """Return 16 hex digits that are equal for texts equal but for case, width and white space; '' for no text."""
    folded = "".join(nfkc(text).casefold().split())
    if not folded:
        return ""
    return blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
