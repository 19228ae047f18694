"""Text and JSON that a database can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON-safe: {value!r:.80}")


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)
_ordered = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain, sort_keys=True)


def clean(text: str) -> str:
    """Return text SQLite can hold: half a surrogate pair, which some pages contain, becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def to_json(value: object) -> str:
    """Return `value` as compact JSON text that SQLite can hold."""
    return clean(_encoder.encode(value))


def to_ordered_json(value: object) -> str:
    """Return `value` as `to_json` does, with the members of objects in order."""
    return clean(_ordered.encode(value))
