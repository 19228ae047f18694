"""JSON that a database can hold."""

from __future__ import annotations

import json

from focuscrawl.types import json_value, storable

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=json_value)
_ordered = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=json_value, sort_keys=True)


def to_json(value: object) -> str:
    """Return `value` as compact JSON text that SQLite can hold."""
    return storable(_encoder.encode(value))


def to_ordered_json(value: object) -> str:
    """Return `value` as `to_json` does, with the members of objects in order."""
    return storable(_ordered.encode(value))
