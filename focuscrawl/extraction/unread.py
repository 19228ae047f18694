"""Elements that are no text to a reader: scripts, controls, marks that lead to a heading, second forms of formulas."""

from __future__ import annotations

import re
from urllib.parse import unquote

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
_HEADING_SIGNS = "#¶§\u200b"  # of the former, as documentation tools put them
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_DIGITS = 3  # of the number of a footnote
_CONTROLS = frozenset({"mw-editsection", "copy-code-btn", "copy-btn", "btn-copy"})
"""Classes of MediaWiki's links that edit a section, and of what copies a block of code."""
_CDATA = re.compile(r"%\s?(?:<!\[CDATA\[|\]\]>)")
_DRAWN, _SPOKEN = "katex-html", "MJX_Assistive_MathML"
"""Classes of a formula as KaTeX draws it, behind its MathML, and of MathJax's MathML behind what is drawn."""
SPOKEN_TAG = "mjx-assistive-mml"
"""The element of that from MathJax 3 on, which may draw without any text."""


def is_unread(element: Element) -> bool:
    """Tell whether a link or a ``span`` is only a mark or a control, or an element a formula that stands before it."""
    if element.tag == "a":
        # Few links lead to a place of their own page.
        target = element.get("href") or ""
        if not target.startswith("#"):
            return False
        text = element.text
        return (
            (text is not None and _is_sign(text.strip()))
            or _is_footnote(element)
            or _leads_to_heading_before(element, target[1:])
        )
    if element.tag == SPOKEN_TAG:
        before = element.getprevious()
        return before is not None and any(not piece.isspace() for piece in before.itertext())
    if element.tag != "span":
        return False
    said = element.get("class")
    names = said.split() if said is not None else ()
    if not _CONTROLS.isdisjoint(names):
        return True
    spoken = _SPOKEN in names
    if not spoken and _DRAWN not in names and element.get("aria-hidden") != "true":
        return False
    if (before := element.getprevious()) is None:
        return False
    return spoken or before.tag == "math" or (len(before) > 0 and before[0].tag == "math")


def without_marks(text: str) -> str:
    """Return a heading without the marks and icons at its end that lead to it."""
    end = len(text)
    while end and (text[end - 1] in _HEADING_SIGNS or _is_icon(text[end - 1])):
        end -= 1
    return text[:end].rstrip()


def _is_sign(text: str) -> bool:
    return text in _LINK_SIGNS or (len(text) == 1 and _is_icon(text))


def _is_icon(char: str) -> bool:
    """Tell whether a character has no meaning but that which a font of icons gives it."""
    return "\ue000" <= char <= "\uf8ff"


def formula_source(script: Element) -> str:
    """Return the TeX between dollar signs from which MathJax draws a formula in a page's place; '' of other scripts.

    '' as well where the formula stands before the script, drawn or as text.
    """
    kind = (script.get("type") or "").lower()
    source = " ".join(_CDATA.sub(" ", script.text or "").split()) if kind.startswith("math/tex") else ""
    if not source:
        return ""
    before = script.getprevious()
    if before is not None and "MathJax" in (before.get("class") or "") and next(before.itertext(), "").strip():
        return ""
    sign = "$$" if "mode=display" in kind else "$"
    return f"{sign}{source}{sign}"


def _leads_to_heading_before(link: Element, target: str) -> bool:
    """Tell whether a link stands behind the words of the heading it leads to, in it or directly after it.

    What it says is for screen readers: "Permalink to", "Section titled" or "Direct link to" and the heading again.
    """
    before, above = link.getprevious(), link.getparent()
    if above is not None and above.tag in _HEADINGS:
        heading, is_behind = above, before is not None or bool((above.text or "").strip())
    elif before is not None and before.tag in _HEADINGS:
        heading, is_behind = before, not (before.tail or "").strip()
    else:
        return False
    return is_behind and heading.get("id") in (target, unquote(target))


def _is_footnote(link: Element) -> bool:
    """Tell whether a link in its page is the raised number of a footnote alone, which would join the word before."""
    above = link.getparent()
    if above is not None and above.tag == "sup":
        around, number = above, link
    elif len(link) == 1 and link[0].tag == "sup":
        around, number = link, link[0]
    else:
        return False
    text = (number.text or "").strip()
    if len(text) > _DIGITS or not text.isdecimal():
        return False
    return len(around) == 1 and not (around.text or "").strip() and not (number.tail or "").strip()
