"""Controls and templates whose text a reader sees, unlike that of others."""

from __future__ import annotations

from itertools import islice

from focuscrawl.page.tree import Element

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt"})
_QUESTION_SIGNS = ("?", "？")
_PIECES = 20  # of the text of a question, at most
_SHADOW = ("shadowrootmode", "shadowroot")


def is_shown(element: Element) -> bool:
    """Tell whether a reader sees the text of an element of a kind that is left out otherwise.

    These are buttons that are a heading or fold an answer, and the templates that a browser shows as the inside of the
    element around them (declarative shadow DOM).
    """
    if element.tag == "template":
        return any(element.get(name) is not None for name in _SHADOW)
    return element.tag == "button" and _heads_part(element)


def _heads_part(button: Element) -> bool:
    """Tell whether a button begins a heading or the term of a list and is all of its text, or folds an answer.

    The first is the pattern of W3C's ARIA Authoring Practices, which Bootstrap and site builders follow. A button
    outside a heading folds menus as well, so that it has to ask a question.
    """
    above = button.getparent()
    if above is None:
        return False
    if above.tag in _HEADINGS and above[0] is button and _is_blank(above.text) and _is_blank(button.tail):
        return True
    if button.get("aria-expanded") is None:
        return False
    return "".join(islice(button.itertext(), _PIECES)).rstrip().endswith(_QUESTION_SIGNS)


def _is_blank(text: str | None) -> bool:
    return text is None or text.isspace() or not text
