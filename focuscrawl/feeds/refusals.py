"""Refusals of feeds that would take for ever to read, or fill the memory.

The feed parser takes the square of: the attributes of an element, the nesting of elements, and the letters of a name
without spaces, in which it looks for an address.
"""

from __future__ import annotations

import re
from itertools import islice

from focuscrawl.feeds.plain import unescaped
from focuscrawl.page.prologue import read_prologue

PROLOGUE_CHARS = 100_000
_ENTITY = re.compile(r"<!ENTITY\s++(?P<name>%?\s*+[\w.:-]++)\s++(?P<value>\"[^\"]*+\"|'[^']*+'|\w++)", re.IGNORECASE)
_REFERENCE = re.compile(r"&[A-Za-z_%]")
_MAX_ENTITIES = 300  # the character names of HTML, which old feeds declare, are 252
_MAX_ENTITY_CHARS = 200
# Feeds with unescaped HTML and without end tags get some hundred levels deep.
_MAX_DEPTH = 1000
_QUOTED = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<(/?)[A-Za-z_][^<>]*+>")
_MAX_ATTRIBUTES = 64
_FLOODED_TAG = re.compile(
    rf"<[A-Za-z_][^\s<>/]*+(?:\s++[^\s=<>\"'/]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+')){{{_MAX_ATTRIBUTES + 1}}}"
)
_PERSON = re.compile(
    r"<(/?)(?:[\w.-]++:)?+(?:(item|entry)|author|contributor|creator|email|managingeditor|name|owner|publisher|webmaster)"
    r"\b[^<>]*+>",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"<[^<>]*+>")
_MAX_NAME_CHARS = 200
_LONG_NAME = re.compile(rf"[\w.+-]{{{_MAX_NAME_CHARS + 1}}}", re.ASCII)


def feed_refusal(text: str) -> str:
    """Return why a feed is not to be parsed, '' when it may be. Time is linear in the text."""
    reason = _entity_refusal(text[:PROLOGUE_CHARS])
    if reason:
        return reason
    if _is_deep(text):
        return f"elements nested deeper than {_MAX_DEPTH}"
    if _FLOODED_TAG.search(text):
        return f"an element with more than {_MAX_ATTRIBUTES} attributes"
    if _has_long_name(text):
        return f"the name of a person has more than {_MAX_NAME_CHARS} letters in a row"
    return ""


def _entity_refusal(head: str) -> str:
    """Say why the entities a feed declares are not to be expanded, '' when they are harmless or there are none."""
    if "<!ENTITY" not in head and "<!entity" not in head:
        return ""
    found = list(islice(_ENTITY.finditer(head, 0, read_prologue(head).end), _MAX_ENTITIES + 1))
    if len(found) > _MAX_ENTITIES:
        return f"declares more than {_MAX_ENTITIES} entities"
    for entity in found:
        name, value = entity["name"], entity["value"]
        if name.startswith("%"):
            continue  # a list of character names, as a rule; it is not fetched
        if value[0] not in "\"'":
            return "declares an external entity"
        if len(value) > _MAX_ENTITY_CHARS or _REFERENCE.search(value):
            return "declares entities that grow"
    return ""


def _is_deep(text: str) -> bool:
    depth = 0
    for match in _TAG.finditer(_QUOTED.sub("", text)):
        if match[1]:
            depth = max(0, depth - 1)
        elif not match[0].endswith("/>"):
            depth += 1
            if depth > _MAX_DEPTH:
                return True
    return False


def _has_long_name(text: str) -> bool:
    """Tell whether letters in a row, tags between them left out, are more than a name has."""
    start = depth = 0
    for tag in _PERSON.finditer(text):
        if depth == 0:
            start = tag.end()
        ends, outer = tag[1], tag[2]
        opens = not (ends or outer or tag[0].endswith("/>"))
        before, depth = depth, 0 if outer else max(0, depth + opens - bool(ends))
        if before and not depth and tag.start() - start > _MAX_NAME_CHARS and _is_long(text[start : tag.start()]):
            return True
    return depth > 0 and _is_long(text[start:])


def _is_long(markup: str) -> bool:
    text = _ANY_TAG.sub("", markup.replace("<![CDATA[", "").replace("]]>", ""))
    return any(_LONG_NAME.search(form) for form in (text, unescaped(text)))
