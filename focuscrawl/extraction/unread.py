"""Elements that are no text to a reader: scripts, controls, marks that lead to a heading, second forms of formulas."""

from __future__ import annotations

from focuscrawl.page.tree import Element

_SKIPPED_NAMES = (
    "script style template svg head iframe object canvas button select textarea option datalist input audio video "
    "embed applet map area rp rt colgroup title meta link annotation annotation-xml"
)
SKIPPED = frozenset(_SKIPPED_NAMES.split())
"""Never text to a reader, or only text of controls; annotations hold the source of a formula."""
UNSPACED = frozenset({"script", "rp", "rt", "annotation", "annotation-xml"})
"""Of these, those that part no words: how a word is read stands above it."""
_LINK_SIGNS = frozenset("#¶§🔗↩↑^\u200b") | {"↩︎", "🔗︎"}
"""Text of links from a heading to itself, and from a footnote back to its number."""
_EDIT = "mw-editsection"
"""MediaWiki's class of the links that edit a section."""
_DRAWN, _SPOKEN = "katex-html", "MJX_Assistive_MathML"
"""Classes of a formula as KaTeX draws it, behind its MathML, and of MathJax's MathML behind what is drawn."""


def is_unread(element: Element) -> bool:
    """Tell whether a link or a ``span`` is only a mark or a control, or shows a formula that stands before it again."""
    if element.tag == "a":
        text = element.text
        return text is not None and text.strip() in _LINK_SIGNS and (element.get("href") or "").startswith("#")
    if element.tag != "span":
        return False
    names = (element.get("class") or "").split()
    if _EDIT in names:
        return True
    if (before := element.getprevious()) is None:
        return False
    if _SPOKEN in names:
        return True
    if _DRAWN not in names and element.get("aria-hidden") != "true":
        return False
    return before.tag == "math" or (len(before) > 0 and before[0].tag == "math")
