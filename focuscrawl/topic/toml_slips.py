"""Slips that keep a topic file from being read as TOML: what is wrong in a line, and the line that would be right."""

from __future__ import annotations

import re
import unicodedata

_BARE_KEY = re.compile(r"[A-Za-z0-9_.-]+")
_QUOTES = "“”„‟‘’「」『』《》＂＇"
_TABLE = re.compile(r"\s*\[+\s*([^\]]*?)\s*\]+")
_AT_LINE = re.compile(r"\(at line (\d+)")
# A key in quotes or bare, and what stands between it and its value.
_PAIR = re.compile(r"""\s*(?P<key>"[^"]*"|'[^']*'|[^=:＝：]*?)\s*(?P<sign>[=:＝：])\s*(?P<value>.*?)\s*$""")
_WORD = re.compile(r"[^\W\d_]")
_PLAIN_VALUES = frozenset({"true", "false", "inf", "nan"})


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
    pair = _PAIR.match(line)
    if pair is None or (line.strip()[0] in _QUOTES and pair["sign"] != "="):
        sign = next((char for char in line if char in _QUOTES), "")
        return f'{sign} is no quotation mark of TOML: write "…"' if sign else ""
    key, sign, value = pair["key"], pair["sign"], pair["value"]
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
    name = _TABLE.match(lines[at])
    if name is None:
        if _PAIR.match(lines[at]) is None and "]" not in lines[at]:
            return f"] is missing after {lines[at].strip()}"
        return ""
    for number in range(at):
        earlier = _TABLE.match(lines[number])
        if earlier is not None and earlier[1] == name[1] and not lines[at].lstrip().startswith("[["):
            return f"[{name[1]}] stands twice: in line {number + 1}, too; put both parts below one of them"
    return ""


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
        if _TABLE.fullmatch(lines[number].partition("#")[0].rstrip()):
            return None
        pair = _PAIR.match(lines[number])
        if pair is not None and pair["sign"] == "=" and pair["key"].strip("\"'") == key.strip("\"'"):
            return number
    return None
