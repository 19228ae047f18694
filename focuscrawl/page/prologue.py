"""Prologue of a document: what stands before its first element.

Each piece is found by one search for its end, so that the time is linear in the text whatever is in it. A regular
expression that may read one comment in several ways takes exponential time for a row of them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SPACE = re.compile(r"\s*+")
_NAME = re.compile(r"<([a-zA-Z_][\w:.-]*+)")
_SUBSET_END = re.compile(r"\]\s*+>")


class Prologue(NamedTuple):
    """The name of the first element, and where the prologue ends."""

    root: str  # '' when text or an unfinished piece comes first
    end: int


def read_prologue(text: str) -> Prologue:
    """Return the prologue of a document, passing over white space, comments, instructions and declarations."""
    at = 0
    while True:
        if (space := _SPACE.match(text, at)) is not None:
            at = space.end()
        if text.startswith("<?", at):
            at = _after(text, "?>", at + 2)
        elif text.startswith("<!--", at):
            at = _after(text, "-->", at + 2)  # "<!-->" is an empty comment
        elif text.startswith("<!", at):
            at = _after_declaration(text, at)
        else:
            name = _NAME.match(text, at)
            return Prologue(name[1] if name else "", at)


def _after_declaration(text: str, at: int) -> int:
    """Return the position behind a declaration such as ``<!DOCTYPE rss [...]>``."""
    end = _after(text, ">", at)
    subset = text.find("[", at, end)
    if subset < 0:
        return end
    closed = _SUBSET_END.search(text, subset)
    return closed.end() if closed else len(text)


def _after(text: str, mark: str, at: int) -> int:
    """Return the position behind the next `mark`, the end of the text when there is none."""
    found = text.find(mark, at)
    return found + len(mark) if found >= 0 else len(text)
