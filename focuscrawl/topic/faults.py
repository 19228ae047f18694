"""One sentence for each fault of a topic file: file, table, key, value, what was expected, the nearest known key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MAX_VALUE_CHARS = 60
# What pydantic calls the fault -> what was expected. Names of types are those of TOML.
_EXPECTED = {
    "string_type": "must be a string",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "finite_number": "must be a finite number",
}

_ABOVE = " It belongs to the whole file: put it before the first [table]."


def quoted(value: object) -> str:
    """Return `value` as a topic file would show it, shortened to 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if len(text) <= _MAX_VALUE_CHARS:
        return text
    return text[: _MAX_VALUE_CHARS - 1] + "…" + ('"' if text.startswith('"') else "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``' Did you mean "…"?'`` with the nearest of `known`, or nothing when none is near."""
    names = list(known)
    by_plain = {name.lower().replace("-", "_"): name for name in names}
    # Half of a two-character Chinese word is as near as it gets.
    cutoff = 0.5 if len(word) < 4 else 0.6
    near = get_close_matches(word.lower().replace("-", "_"), by_plain, n=1, cutoff=cutoff)
    return f" Did you mean {quoted(by_plain[near[0]])}?" if near else ""


def key_text(key: object) -> str:
    """Return a key as it stands in a TOML file."""
    text = str(key)
    return text if _BARE_KEY.fullmatch(text) else toml_string(text)


def toml_string(text: str) -> str:
    """Return `text` as a TOML string: JSON's escapes are TOML's too, but for DEL, which TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shown_key(key: object) -> str:
    """Return a key for a message, shortened to 60 characters."""
    text = key_text(key)
    return text if len(text) <= _MAX_VALUE_CHARS else quoted(key)


def place(location: Sequence[object], data: object) -> tuple[str, object]:
    """Return where in a file `location` is (``[table] key[1]``) and the value there (None if there is none)."""
    tables: list[str] = []
    key = ""
    value = data
    for step, part in enumerate(location):
        if isinstance(part, int) and isinstance(value, list):
            key += f"[{part}]"
            value = value[part]
            continue
        if step and not key and isinstance(value, Mapping):
            tables.append(_shown_key(location[step - 1]))
        elif key and isinstance(value, Mapping):
            tables.append(key)
        key = _shown_key(part)
        value = value.get(part) if isinstance(value, Mapping) else None
    return (f"[{'.'.join(tables)}] {key}" if tables else key), value


def fault_at(file: str, location: Sequence[object], data: object, expectation: str) -> str:
    """Return ``file: [table] key = value: expectation``."""
    where, value = place(location, data)
    if isinstance(value, Mapping):
        if expectation == _EXPECTED["float_type"] and value:
            dotted = toml_string(f"{location[-1]}.{next(iter(value))}")
            expectation += f"; a key with a dot needs quotes: {dotted}"
        return f"{file}: [{where}]: {expectation}" if not where.startswith("[") else f"{file}: {where}: {expectation}"
    return f"{file}: {where} = {quoted(value)}: {expectation}"


def faults_of(error: ValidationError, *, file: str, data: Mapping[str, Any], model: type[BaseModel]) -> list[str]:
    """Return one sentence for each fault pydantic found in `data`, in the order of the file's keys."""
    faults = []
    for detail in error.errors(include_url=False):
        location = tuple(part for part in detail["loc"] if part != "[key]")
        if detail["type"] == "missing":
            inside = f"{place(location[:-1], data)[0]}: " if len(location) > 1 else ""
            faults.append(f"{file}: {inside}{key_text(location[-1])} is missing: {_describe(model, location)}")
        elif detail["type"] == "extra_forbidden":
            faults.append(_unknown_key(file, location, data, model))
        elif _belongs_above(location, data, model):
            faults.append(fault_at(file, location, data, f"is no word of [{location[0]}].{_ABOVE}"))
        else:
            faults.append(fault_at(file, location, data, _expectation(detail["type"], detail)))
    return faults


def _belongs_above(location: Sequence[object], data: Mapping[str, Any], model: type[BaseModel]) -> bool:
    """Tell whether a key of the whole file stands below a table of words, where its value is no weight."""
    if len(location) != 2 or location[1] not in model.model_fields:
        return False
    return not isinstance(place(location, data)[1], int | float | str)


def _expectation(kind: str, detail: Mapping[str, Any]) -> str:
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    return _EXPECTED.get(kind) or str(detail["msg"]).replace("Input should", "must")


def _unknown_key(file: str, location: Sequence[object], data: Mapping[str, Any], model: type[BaseModel]) -> str:
    key = str(location[-1])
    known = sorted(_model_at(model, location[:-1]).model_fields)
    hint = did_you_mean(key, known)
    if len(location) > 1 and not hint and key in model.model_fields:
        hint = _ABOVE
    return fault_at(file, location, data, f"unknown key; known here: {', '.join(known)}.{hint}")


def _model_at(model: type[BaseModel], location: Sequence[object]) -> type[BaseModel]:
    for part in location:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(str(part))
        items = get_args(field.annotation) if field is not None else ()
        inner = items[0] if items else field.annotation if field is not None else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            break
        model = inner
    return model


def _describe(model: type[BaseModel], location: Sequence[object]) -> str:
    field = _model_at(model, location[:-1]).model_fields.get(str(location[-1]))
    return field.description or "it is required" if field else "it is required"
