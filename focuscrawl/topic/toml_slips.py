"""Slips that keep a topic file from being read as TOML: what is wrong in a line, and the line that would be right."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_BARE_KEY = re.compile(r"[A-Za-z0-9_.-]+")
_QUOTES = "“”„‟‘’「」『』《》＂＇"
_AT_LINE = re.compile(r"\(at line (\d+)")
_SIGN = re.compile(r"[=:＝：]")
_WORD = re.compile(r"[^\W\d_]")
_PLAIN_VALUES = frozenset({"true", "false", "inf", "nan"})


class _Pair(NamedTuple):
    """A key, the sign behind it, and its value, as somebody wrote them."""

    key: str
    sign: str
    value: str


def toml_slip(text: str, message: str) -> str:
    """Return what is wrong with a text that is no TOML, and what to write instead.

    Parameters
    ----------
    text
        The file.
    message
        What the parser said; its line number is used.

    Returns
    -------
    str
        ``line 4: the key 茶 needs quotes: "茶" = 1.0``; "" for a slip that is none of the common ones.
    """
    other = _other_language(text)
    if other:
        return other
    found = _AT_LINE.search(message)
    lines = text.split("\n")
    if found is None or not 0 < int(found[1]) <= len(lines):
        return ""
    number = int(found[1])
    advice = _advice(lines, number - 1)
    return f"line {number}: {advice}" if advice else ""


def _other_language(text: str) -> str:
    """Return the cure for a whole file in another language than TOML."""
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "").strip()
    if first.startswith("{"):
        return 'it looks like JSON; a topic file is TOML: title = "Tea" in the place of {"title": "Tea"}'
    if first == "---" or re.match(r"[A-Za-z_][\w-]*:(?:\s|$)", first):
        return 'it looks like YAML; a topic file is TOML: title = "Tea" in the place of title: Tea'
    return ""


def _advice(lines: list[str], at: int) -> str:
    line = lines[at]
    if line.lstrip().startswith("["):
        return _table_advice(lines, at)
    pair = _pair(line)
    if pair is None or (line.strip()[0] in _QUOTES and pair.sign != "="):
        sign = next((char for char in line if char in _QUOTES), "")
        return f'{sign} is no quotation mark of TOML: write "…"' if sign else ""
    key, sign, value = pair
    right = _value_text(value)
    if sign != "=":
        return f"{sign} stands where = belongs: {_key_text(key)} = {right}"
    if not _is_key(key):
        return f"the key {key} needs quotes: {_key_text(key)} = {right}" if key else "a key is missing before ="
    earlier = _earlier(lines, at, key)
    if earlier is not None:
        return f"{key} stands twice: in line {earlier + 1}, too; keep one of them"
    if value.count('"') == 1 and value.startswith('"'):
        return f'the quotation mark of {value} is not closed: {key} = {value}"'
    if right != value:
        return f"{value} is no value of TOML: {key} = {right}"
    return ""


def _table_advice(lines: list[str], at: int) -> str:
    name = _table(lines[at])
    if not name:
        return f"] is missing after {lines[at].strip()}" if "]" not in lines[at] else ""
    for number in range(at):
        if _table(lines[number]) == name and not lines[at].lstrip().startswith("[["):
            return f"[{name}] stands twice: in line {number + 1}, too; put both parts below one of them"
    return ""


def _table(line: str) -> str:
    """Return the name a line opens a table with, '' for a line that opens none."""
    name, closed, _ = line.strip().lstrip("[").partition("]")
    return name.strip() if closed and line.lstrip().startswith("[") else ""


def _pair(line: str) -> _Pair | None:
    """Return what a line says of a key; None for a line without a sign between key and value."""
    text = line.strip()
    end = text.find(text[0], 1) + 1 if text[:1] in ('"', "'") else 0
    sign = _SIGN.search(text, end)
    if sign is None:
        return None
    return _Pair(text[: sign.start()].strip(), sign[0], text[sign.end() :].strip())


def _is_key(key: str) -> bool:
    return bool(key) and (key[0] in "\"'" or _BARE_KEY.fullmatch(key) is not None)


def _key_text(key: str) -> str:
    key = key.strip(_QUOTES)
    return key if _is_key(key) else f'"{key}"'


def _value_text(value: str) -> str:
    """Return the value as TOML writes it: with straight quotes, a dot in numbers, quotes around a text."""
    bare = value.partition("#")[0].strip()
    if bare and bare[0] in _QUOTES:
        return f'"{bare.strip(_QUOTES)}"'
    number = unicodedata.normalize("NFKC", bare)
    if re.fullmatch(r"\d*[.,]\d+", number):
        whole, part = re.split(r"[.,]", number)
        return f"{whole or '0'}.{part}"
    if bare and bare not in _PLAIN_VALUES and _WORD.match(bare):
        return f'"{bare}"'
    if bare.startswith('"') and "\\" in bare:
        return f"'{bare.strip(chr(34))}'"
    return value


def _earlier(lines: list[str], at: int, key: str) -> int | None:
    """Return the earlier line of the same table that has the same key, None if there is none."""
    for number in range(at - 1, -1, -1):
        if _table(lines[number]):
            return None
        pair = _pair(lines[number])
        if pair is not None and pair.sign == "=" and pair.key.strip("\"'") == key.strip("\"'"):
            return number
    return None
