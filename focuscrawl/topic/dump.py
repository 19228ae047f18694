"""TOML out: the few kinds of value a topic file has (the standard library only reads TOML)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from focuscrawl.topic.faults import key_text, toml_string


def to_toml(data: Mapping[str, Any]) -> str:
    """Return nested mappings of strings, numbers, booleans and lists as TOML; None values are left out."""
    lines: list[str] = []
    _write(data, (), lines)
    return "\n".join(lines).strip() + "\n"


def _write(table: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping) and value is not None}
    if path and (plain or not table):
        lines += ["", f"[{'.'.join(key_text(part) for part in path)}]"]
    lines += [f"{key_text(key)} = {_value(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            _write(value, (*path, key), lines)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, float):
        return repr(value)  # inf and nan are spelled the same in TOML
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key_text(key)} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return str(value)
