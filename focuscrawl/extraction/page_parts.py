"""Which part of a page an element stands in: beside the text, in a side bar or a list of other pages, or below it."""

from __future__ import annotations

from itertools import chain, islice

from focuscrawl.extraction.class_names import named_part
from focuscrawl.page.tree import Element

_BODIES = frozenset({"article", "main"})
_MAX_LEVELS = 50  # of blocks around


def stands_beside(element: Element, known: dict[Element, bool]) -> bool:
    """Tell whether an element stands in a side bar outside the text, or in a block of other pages.

    Blocks are told by their names and their element; one that holds the page's ``h1`` is its text whatever its name.

    Parameters
    ----------
    known
        Which blocks met before hold no ``h1``; filled here.
    """
    side = False
    for above in islice(chain((element,), element.iterancestors()), _MAX_LEVELS):
        if above.tag == "body":
            break
        part = _part(above)
        if part == "related" and is_apart(above, known):
            return True
        if above.tag in _BODIES:
            return False
        side = side or ((above.tag == "aside" or part == "side") and is_apart(above, known))
    return side


def is_of_footer(element: Element) -> bool:
    """Tell whether an element stands in the footer of the site, and not in that of a post."""
    footer = False
    for above in islice(chain((element,), element.iterancestors()), _MAX_LEVELS):
        if above.tag in _BODIES:
            return False
        if above.tag == "body":
            break
        part = _part(above)
        footer = footer or part == "foot" or (above.tag == "footer" and part != "text")
    return footer


def _part(element: Element) -> str:
    names, identity = element.get("class"), element.get("id")
    return named_part(f"{names or ''} {identity or ''}") if names is not None or identity is not None else ""


def is_apart(block: Element, known: dict[Element, bool]) -> bool:
    """Tell whether a block is not the page's text whatever its name: it does not hold the ``h1``."""
    if block not in known:
        known[block] = block.find(".//h1") is None
    return known[block]
