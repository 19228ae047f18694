"""Lines of a page that name the site, say whose it is and how it is registered: no main text, on however short a page.

Of a page with hardly any text of its own the footer, or the motto of the site, is the longest text, and lines judged
one by one take it for the page's.
"""

from __future__ import annotations

import re
from collections import Counter

from focuscrawl.extraction.class_names import GROUPS
from focuscrawl.extraction.segments import Node, Segments

FOOTER_CHARS = 500
"""A block of more characters is more than a notice, whatever its name."""
_FOOT, _LEGAL = (1 << GROUPS.index(name) for name in ("foot", "legal"))
_BODIES = frozenset({"article", "main"})
_LINE_CHARS = 200
# Every site in mainland China shows its number: "京ICP备12345678号-1", "浙公网安备 33010602000001号".
_REGISTERED = re.compile(r"ICP\s*[备備证證]\s*(?:字第?\s*)?[A-Z]?\d|公网安备\s*\d", re.IGNORECASE)
_SENTENCE_ENDS = ("。", "！", "？")
_RIGHTS = re.compile(r"©|版[权權]所有|\bcopyright\b|\(c\)\s*(?:19|20)\d\d|\ball rights reserved\b", re.IGNORECASE)
# What themes of WordPress and Hexo call the blocks with the name of the site, and the sentence and the person below it.
_HEAD = re.compile(r"(?:^|\s)site-(?:title|name|subtitle|description|tagline|slogan|motto|author-name)(?:$|\s)")
_MOST_HEADS = 2  # of one name, on a large screen and a small one; a page with more lists sites


def site_notices(found: Segments) -> frozenset[int]:
    """Return the numbers of the lines with the site's name, motto or registration, and of footers with a notice.

    Name and motto stand in a block named ``site-title``, ``site-description`` or the like, of which a page has two at
    most. A footer is named so by its element, role, class or id, stands in no ``article`` or ``main``, and holds a
    notice of rights or a registration number.
    """
    numbered = _head_lines(found)
    spoken: set[int] = set()
    for at, line in enumerate(found.lines):
        text = line.text
        if len(text) > _LINE_CHARS or not _may_be_notice(text):
            continue
        if _REGISTERED.search(text) is not None and not text.endswith(_SENTENCE_ENDS):
            numbered.add(at)
        elif _RIGHTS.search(text) is None:
            continue
        spoken.add(line.node)
    if not spoken:
        return frozenset(numbered)
    footers = _footers(found.nodes)
    holders = {footers[node] for node in spoken if footers[node] >= 0}
    chars = dict.fromkeys(holders, 0)
    for line in found.lines:
        if footers[line.node] in chars:
            chars[footers[line.node]] += line.chars
    short = {holder for holder, count in chars.items() if count <= FOOTER_CHARS}
    return frozenset(numbered) | {at for at, line in enumerate(found.lines) if footers[line.node] in short}


def _head_lines(found: Segments) -> set[int]:
    """Return the numbers of the short lines in blocks that are named after the site's name or motto."""
    nodes = found.nodes
    named = {at: node.names for at, node in enumerate(nodes) if "site-" in node.names and _HEAD.search(node.names)}
    if not named:
        return set()
    times = Counter(named.values())
    heads = {at for at, names in named.items() if times[names] <= _MOST_HEADS}
    return {
        at
        for at, line in enumerate(found.lines)
        if (line.node in heads or nodes[line.node].parent in heads) and len(line.text) <= _LINE_CHARS
    }


def _may_be_notice(text: str) -> bool:
    """Tell whether it is worth looking for a notice in `text`: most lines have no word of one."""
    low = text.lower()
    return (
        "icp" in low
        or "copyright" in low
        or "reserved" in low
        or "(c)" in low
        or (not text.isascii() and ("©" in text or "有" in text or "安备" in text))
    )


def _footers(nodes: list[Node]) -> list[int]:
    """Return for each block the outermost footer that it is or stands in, -1 for none."""
    footers: list[int] = []
    in_body: list[bool] = []
    for at, node in enumerate(nodes):
        above = footers[node.parent] if node.parent >= 0 else -1
        inside = node.tag in _BODIES or (node.parent >= 0 and in_body[node.parent])
        in_body.append(inside)
        footers.append(at if above < 0 and not inside and _is_footer(node) else above)
    return footers


def _is_footer(node: Node) -> bool:
    return node.tag == "footer" or bool(node.bits & (_FOOT | _LEGAL)) or node.element.get("role") == "contentinfo"
