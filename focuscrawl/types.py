"""The few types every package shares: keys, explained scores, storable text, seeded draws."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType

UrlKey = int
"""Unsigned 64-bit identity of a canonical URL (first 8 bytes of its blake2b)."""
HostKey = str
"""Host name with the port when it is not the default one: the unit of politeness."""
GroupKey = str
"""A set of links of one host that share a history; the host itself when there is nothing finer."""

OF_WORD = "term:"
"""Start of the names of a judge's parts that are words; what follows is the word, the value its share of the whole."""

# Of control characters, JSON itself escapes those below the space only. Two more end a line for many tools.
_ACTING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_NO_PARTS: Mapping[str, float] = MappingProxyType({})


def _no_parts() -> Mapping[str, float]:
    return _NO_PARTS


@dataclass(frozen=True, slots=True)
class Explained:
    """A score with its sum written out.

    Parameters
    ----------
    value
        Finite, in [0, 1]; higher is better.
    parts
        Named sub-scores in [0, 1], JSON-safe.
    reason
        One short sentence for people.
    """

    value: float
    parts: Mapping[str, float] = field(default_factory=_no_parts)
    reason: str = ""


def clip01(value: float) -> float:
    """Return `value` limited to [0, 1]; NaN counts as 0, so that a bad number never ranks first."""
    if value >= 1.0:
        return 1.0
    return value if value > 0.0 else 0.0


def json_value(value: object) -> dict[object, object]:
    """Return any mapping as the dict that encoders of JSON know; for their argument ``default``.

    Raises
    ------
    TypeError
        If it is something else that JSON has no form for.
    """
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON-safe: {value!r:.80}")


def storable(text: str) -> str:
    """Return text that UTF-8 can hold: half a surrogate pair, which some pages contain, becomes U+FFFD.

    >>> storable("tea \\ud83c")
    'tea \ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def plain_json(text: str) -> str:
    """Return JSON with escapes for the characters that act on a terminal, turn the text around them or end its line.

    >>> plain_json('"tea \\x9b31m \\u202e"')
    '"tea \\\\u009b31m \\\\u202e"'
    """
    return _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def digest64(text: str) -> int:
    """Return the first 8 bytes of the blake2b of `text` as an unsigned integer."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def draw(seed: int, key: UrlKey, tag: str) -> float:
    """Return the uniform number in [0, 1) that belongs to (`seed`, `key`, `tag`).

    Every worker and every replay draws the same number for the same URL (randomness is never
    global), so a crawl can be repeated and its decisions explained afterwards.
    """
    return digest64(f"{seed}|{tag}|{key}") / 18446744073709551616.0
