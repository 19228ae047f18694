"""Messages of mailing lists on the web: the lines of their headers and of their threads, and who sent them.

Archives put the headers of a message above its text and links to the thread around both. MHonArc and hypermail name
each header (``From: Ann Lee <ann@example.org>``); Mailman puts the sender, a link to write to them and the day below
the subject. public-inbox shows the message as it came, in one block.
"""

from __future__ import annotations

import re
from itertools import islice

from focuscrawl.extraction.bylines import whole_name
from focuscrawl.extraction.dates import date_alone
from focuscrawl.extraction.segments import Segment, Segments
from focuscrawl.extraction.text_start import text_start
from focuscrawl.page.tree import Element

_HEADER = re.compile(
    r"(from|to|cc|subject|date|reply-to|sender|message-id|in-reply-to|references|organi[sz]ation|newsgroups|"
    r"user-agent|content-type|delivered-to|list-[a-z-]{1,20})\s?:",
    re.I,
)
_THREAD = re.compile(
    r"\W*+(?:messages sorted by|(?:previous|next|prev|maybe in reply|in reply) (?:by|in|to) ?(?:date|thread|reply)?|"
    r"(?:next|previous) (?:message|in thread)|follow-?ups|date (?:prev|index)|thread (?:prev|index)|this message|"
    r"contemporary messages sorted|index\(es\)|mail actions|message body)\b",
    re.I,
)
_FIRST_LINES = 60
_LINE_CHARS = 300
_LINKS = 4  # that are looked at of a line
_WRITE_TO = "mailto:"
_LABELS = frozenset({"from", "from:"})
_LABEL_TAGS = frozenset({"em", "strong", "b", "dfn", "i", "span"})
_BOLD = frozenset({"b", "strong"})
_PLAIN_BLOCKS, _PLAIN_LINES = 3, 12
"""Preformatted blocks that are looked at, and lines of each: the bar of an archive stands in one of its own."""
_BEFORE_ADDRESS = re.compile(r'[\s:"]*+([^<("]{2,80})[<("]?')


def header_lines(found: Segments) -> frozenset[int]:
    """Return the numbers of the lines that are headers of a message or lead to others of its list, none elsewhere.

    Headers are lines one below the other with ``From``, a link to write to the sender, and the subject or the day; or
    a heading with a name, such a link and a day below it. Time is linear in the lines.
    """
    lines = found.lines
    headers: set[int] = set()
    at = 0
    while at < min(len(lines), _FIRST_LINES) and not headers:
        end = at
        while end < len(lines) and _is_header(lines[end]):
            end += 1
        if end - at > 1 and _are_of_message(found, range(at, end)):
            headers.update(range(at, end))
        elif _is_below_subject(found, at):
            headers.update((at, at + 1))
        at = max(end, at + 1)
    if not headers:
        return frozenset()
    return frozenset(headers.union(at for at, line in enumerate(lines) if _leads_through(line)))


def sender(element: Element, text: str, tail: str) -> str:
    """Return who sent the message whose header an element begins, with its own `text` and the `tail` behind it."""
    if element.tag not in _LABEL_TAGS:
        return ""
    if text.strip().lower() in _LABELS:
        link = element.getnext()
        if not _writes_to(link):
            return ""
        name = _BEFORE_ADDRESS.match(tail)
        return whole_name(name[1]) if name is not None else ""
    if element.tag not in _BOLD or tail.strip() or not _writes_to(element.getnext()):
        return ""
    above = element.getprevious()
    return whole_name(text) if above is not None and above.tag == "h1" else ""


def plain_sender(root: Element) -> str:
    """Return who sent the message that a page shows as it came, with its headers as plain text, '' for none.

    Its subject is in the title of the page: an article may show a message, too.
    """
    title = " ".join((root.findtext("head/title") or "").split()).casefold()
    for block in islice(root.iter("pre"), _PLAIN_BLOCKS) if title else ():
        headers = _headers(text_start(block))
        subject = " ".join(headers.get("subject", "").split()).casefold()
        name = _BEFORE_ADDRESS.match(headers.get("from", ""))
        if subject and subject in title and name is not None:
            return whole_name(name[1])
    return ""


def _headers(text: str) -> dict[str, str]:
    """Return the headers of a message that a text begins with, by their names in lower case."""
    found: dict[str, str] = {}
    for line in text.lstrip().split("\n", _PLAIN_LINES)[:_PLAIN_LINES]:
        header = _HEADER.match(line)
        if header is not None:
            found.setdefault(header[1].lower(), line[header.end() :])
        elif not line[:1].isspace():
            break  # what follows is the message
    return found


def _is_header(line: Segment) -> bool:
    return len(line.text) <= _LINE_CHARS and _HEADER.match(line.text) is not None


def _are_of_message(found: Segments, at: range) -> bool:
    """Tell whether lines of headers are those of a message, and not of one that a text quotes."""
    names = {match[1].lower() for line in at if (match := _HEADER.match(found.lines[line].text)) is not None}
    if "from" not in names or names.isdisjoint(("subject", "date", "to")):
        return False
    return any(found.lines[line].links > 0 and _has_link_to_write(found, line) for line in at)


def _has_link_to_write(found: Segments, at: int) -> bool:
    block = found.nodes[found.lines[at].node].element
    return any(map(_writes_to, islice(block.iter("a"), _LINKS)))


def _is_below_subject(found: Segments, at: int) -> bool:
    """Tell whether the lines `at` and the next are a sender and a day, below a heading, as Mailman sets them."""
    lines, nodes = found.lines, found.nodes
    if not at or at + 1 >= len(lines) or not lines[at].links or nodes[lines[at - 1].node].tag != "h1":
        return False
    name = nodes[lines[at - 1].node].element.getnext()
    if name is None or name.tag not in _BOLD or not _writes_to(name.getnext()):
        return False
    return lines[at].text.startswith(" ".join(text_start(name).split())) and bool(date_alone(lines[at + 1].text))


def _leads_through(line: Segment) -> bool:
    """Tell whether a line leads to other messages of the list: links, or a label above some."""
    if len(line.text) > _LINE_CHARS or _THREAD.match(line.text) is None:
        return False
    return line.links > 0 or line.text.endswith(":")


def _writes_to(element: Element | None) -> bool:
    return element is not None and element.tag == "a" and (element.get("href") or "")[:7].lower() == _WRITE_TO
