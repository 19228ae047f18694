"""The bodies of a multi-body page: repeated siblings that hold most of its main content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from focuscrawl.extraction.base import Record
from focuscrawl.extraction.class_names import GROUPS
from focuscrawl.extraction.dates import iso_date
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.segments import Segments, words

# Bodies of a page: so many siblings of one signature, together so much of the text, none of them most of it.
_MEMBERS = 3
_SHARE = 0.6
_LARGEST_SHARE = 0.7
_SIGNED_SHARE = 0.25
_TAGS = frozenset({"div", "li", "article", "section", "table", "tbody", "tr", "dl", "dd", "blockquote"})
_PERSON = 1 << GROUPS.index("user") | 1 << GROUPS.index("author")
_NAME_CHARS = 40


def find_records(found: Segments, chosen: Sequence[int]) -> tuple[Record, ...]:
    """Return the records that the lines numbered `chosen` make up, none when the page has one body.

    A record's author is a short line whose block is named after users or authors, its date the first one it shows.
    Sections of an article, its quotations and tables of code are siblings of that kind, too: where fewer than a quarter
    have an author or a date, they are no posts. Time is linear in the blocks.
    """
    roots = _bodies(found, _words_below(found, chosen))
    if not roots:
        return ()
    owner = _owners(found, roots)
    texts: dict[int, list[int]] = {at: [] for at in roots}
    for at in chosen:
        if (mine := owner[found.lines[at].node]) >= 0:
            texts[mine].append(at)
    bodies = [at for at in roots if texts[at]]
    authors, dates = _signatures(found, owner)
    if sum(at in authors or at in dates for at in bodies) < _SIGNED_SHARE * len(bodies):
        return ()
    return tuple(Record(render(found, texts[at]), authors.get(at), dates.get(at)) for at in bodies)


def _words_below(found: Segments, chosen: Sequence[int]) -> list[int]:
    """Return how many words of the chosen lines each block holds, those of the blocks in it included."""
    nodes = found.nodes
    held = [0] * len(nodes)
    for at in chosen:
        held[found.lines[at].node] += words(found.lines[at].text)
    for at in range(len(nodes) - 1, 0, -1):
        if nodes[at].parent >= 0:
            held[nodes[at].parent] += held[at]
    return held


def _bodies(found: Segments, held: Sequence[int]) -> list[int]:
    """Return the siblings of one tag and name that hold most of the words, [] where none do."""
    total = sum(count for count, node in zip(held, found.nodes, strict=True) if node.parent < 0)
    groups: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for at, node in enumerate(found.nodes):
        if held[at] and node.tag in _TAGS:
            groups[node.parent, node.tag, node.names.split(" ", 1)[0]].append(at)
    best: list[int] = []
    best_size = 0
    for members in groups.values():
        size = sum(held[at] for at in members)
        if len(members) < _MEMBERS or size < _SHARE * total or max(held[at] for at in members) > _LARGEST_SHARE * size:
            continue
        if size > best_size:
            best, best_size = members, size
    return best


def _owners(found: Segments, bodies: Sequence[int]) -> list[int]:
    """Return the body that each block is or stands in, -1 for none."""
    owner = [-1] * len(found.nodes)
    for at in bodies:
        owner[at] = at
    for at, node in enumerate(found.nodes):
        if owner[at] < 0 and node.parent >= 0:
            owner[at] = owner[node.parent]
    return owner


def _signatures(found: Segments, owner: Sequence[int]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the author and the date of each body that shows one."""
    authors: dict[int, str] = {}
    dates: dict[int, str] = {}
    for line in found.lines:
        mine = owner[line.node]
        if mine < 0 or len(line.text) > 4 * _NAME_CHARS:
            continue
        if mine not in authors and len(line.text) <= _NAME_CHARS and found.nodes[line.node].bits & _PERSON:
            authors[mine] = line.text
        if mine not in dates and (date := iso_date(line.text)):
            dates[mine] = date
    return authors, dates
