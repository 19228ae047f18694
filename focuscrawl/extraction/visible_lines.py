"""Lines of a page without what nobody sees or should read: notices of consent, hidden messages, hidden repetitions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from focuscrawl.extraction.class_names import SHOWN_FOR, conceals, names_message
from focuscrawl.extraction.segments import Node, Segments

_NOTICE = re.compile(r"cookie|consent|privacy|隐私|同意", re.I)
_NOTICE_CHARS = 250  # a notice speaks of consent at least once in so many
_SHORT_NOTICE = 60  # or is a line or two
_MESSAGE_CHARS = 400  # a hidden block of more may be the text itself, whatever its name
_HIDDEN_CHARS = 20  # shorter hidden lines are labels of controls
_COPY_SHARE = 0.5  # of the characters for browsers without script: the page says the same to the others
# So much visible text is a page of its own, whatever is hidden beside it.
_VISIBLE_SHARE = 0.4
_VISIBLE_CHARS = 600


def visible(found: Segments) -> Segments:
    """Return `found` without notices about cookies, hidden messages, and hidden lines that stand elsewhere too.

    What stands in ``noscript`` is left out when most of it stands outside as well. Other text hidden by style stays:
    tabs and folded parts of a page are shown by script.
    """
    nodes = found.nodes
    copies = _copies(found)
    notice = _notices(found)
    hidden = [node.hidden for node in nodes]
    if True in hidden:
        for at, node in enumerate(nodes):
            if node.parent >= 0 and hidden[node.parent]:
                hidden[at] = True
    messages = _messages(found, hidden)
    notice |= messages
    if True not in hidden and not notice and not copies:
        return found
    times = Counter(line.text for line in found.lines)
    lines = [
        line
        for line in found.lines
        if not (
            line.node in notice
            or line.node in copies
            or (hidden[line.node] and (times[line.text] > 1 or line.chars < _HIDDEN_CHARS))
        )
    ]
    whole = sum(line.chars - line.link_chars for line in found.lines if line.node not in messages)
    kept = sum(line.chars - line.link_chars for line in lines)
    if not kept or (kept < _VISIBLE_SHARE * whole and kept < _VISIBLE_CHARS):
        return found
    return Segments(nodes, lines, found.truncated, found.labelled)


def _notices(found: Segments) -> set[int]:
    """Return the blocks of notices that ask for consent: those named after it that speak of it, and all below."""
    nodes = found.nodes
    named = {at for at, node in enumerate(nodes) if node.consent}
    if not named:
        return named
    for at, node in enumerate(nodes):
        if node.parent in named:
            named.add(at)
    plain, mentions = dict.fromkeys(named, 0), dict.fromkeys(named, 0)
    for line in found.lines:
        if line.node in named:
            plain[line.node] += line.chars - line.link_chars
            mentions[line.node] += len(_NOTICE.findall(line.text))
    inner_first = sorted(named, reverse=True)
    for at in inner_first:
        up = nodes[at].parent
        if up in named:
            plain[up] += plain[at]
            mentions[up] += mentions[at]
    notices: set[int] = set()
    for at in reversed(inner_first):
        node = nodes[at]
        # Players, embedded posts, whole articles wait for consent too, and their wrappers are named after it.
        speaks = plain[at] < max(mentions[at] * _NOTICE_CHARS, _SHORT_NOTICE)
        if node.parent in notices or (node.consent and speaks):
            notices.add(at)
    return notices


def _messages(found: Segments, hidden: Sequence[bool]) -> set[int]:
    """Return the hidden blocks that are named after messages and short, and all below them."""
    nodes = found.nodes
    if True not in hidden and not any(conceals(names) for names in {node.names for node in nodes}):
        return set()
    owner = [-1] * len(nodes)  # the outermost message that a block is or stands in
    concealed = list(hidden)
    for at, node in enumerate(nodes):
        up = node.parent
        concealed[at] = concealed[at] or (up >= 0 and concealed[up]) or (node.names != "" and conceals(node.names))
        if up >= 0 and owner[up] >= 0:
            owner[at] = owner[up]
        elif concealed[at] and names_message(_names(node)):
            owner[at] = at
    chars: Counter[int] = Counter()
    for line in found.lines:
        if owner[line.node] >= 0:
            chars[owner[line.node]] += line.chars
    return {at for at, message in enumerate(owner) if message >= 0 and chars[message] <= _MESSAGE_CHARS}


def _names(node: Node) -> str:
    """Return class and id of a block, and what scripts show it for (``v-show="loadFailed"``)."""
    element = node.element
    shown_for = [value for name, value in element.items() if name in SHOWN_FOR] if node.hidden else []
    return " ".join([node.names, element.get("id") or "", *shown_for])


def _copies(found: Segments) -> set[int]:
    """Return the blocks in ``noscript`` when these repeat what the page shows to browsers with script."""
    nodes = found.nodes
    plain = {at for at, node in enumerate(nodes) if node.tag == "noscript"}
    if not plain:
        return plain
    for at, node in enumerate(nodes):
        if node.parent in plain:
            plain.add(at)
    shown = {line.text for line in found.lines if line.node not in plain}
    whole = sum(line.chars for line in found.lines if line.node in plain)
    repeated = sum(line.chars for line in found.lines if line.node in plain and line.text in shown)
    return plain if repeated > _COPY_SHARE * whole else set()
