"""Keys of URLs as SQLite and people see them.

A `UrlKey` is an unsigned 64-bit number; SQLite's integers are signed. The two's complement maps one onto the other,
so that ``printf('%016x', key)`` in SQL shows the same 16 hex digits as `hex_key`.
"""

from __future__ import annotations

from focuscrawl.types import UrlKey

_TOP = 1 << 63
_ALL = 1 << 64


def to_signed(key: UrlKey) -> int:
    """Return the key as SQLite stores it, in [-2^63, 2^63)."""
    return key - _ALL if key >= _TOP else key


def to_unsigned(stored: int) -> UrlKey:
    """Return the key that `to_signed` made `stored` of."""
    return stored + _ALL if stored < 0 else stored


def hex_key(key: UrlKey) -> str:
    """Return the key as 16 hex digits."""
    return f"{key:016x}"


def parse_hex_key(text: str) -> UrlKey:
    """Return the key written as hex digits.

    Raises
    ------
    ValueError
        If `text` is not a hexadecimal number of at most 64 bits.
    """
    key = int(text, 16)
    if not 0 <= key < _ALL:
        raise ValueError(f'"{text}": expected at most 16 hex digits')
    return key
