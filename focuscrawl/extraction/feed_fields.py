"""Templates of title, category and date (docs/formulas.md G.3, G.4), for one page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from focuscrawl.extraction.class_names import names_of
from focuscrawl.extraction.feed_body import EMPHASIS_TAGS, HEADING_TAGS
from focuscrawl.page.tree import UNSEEN_TAGS, Element
from focuscrawl.text.normalize import nfkc

PART = 0.6  # least share of an entry's title that counts as part of it
_MAX_ELEMENTS = 100_000
_MAX_LENGTH = 2000
_CRUMB = re.compile(r"crumb|nav|path|cat", re.IGNORECASE)
_NUMERIC = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(\d\d?)\s?[-/.月]\s?(\d\d?)(?!\d)")
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES.split(), 1)}
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b")
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+([A-Za-z]{3,9})\.?,?\s+((?:19|20)\d\d)\b")
_DATE_CHARS = 200


def folded(text: str) -> str:
    """Return `text` as titles are compared: compatibility forms alike, no case, no white space."""
    return "".join(nfkc(text).casefold().split())


def own_text(element: Element) -> str:
    """Return the text of an element outside its children."""
    pieces = [element.text or ""]
    pieces += [child.tail for child in element if child.tail]
    return "".join(pieces)


def learn_title(body: Element, title: str) -> Element | None:
    """Return the element that shows the title of an entry, None when no text of the page does."""
    wanted = folded(title)
    if not wanted:
        return None
    candidates: list[tuple[Element, str]] = []
    for element in _visible(body):
        text = own_text(element)
        if not text or len(text) > _MAX_LENGTH + 4 * len(title):
            continue
        shown = folded(text)
        if len(shown) >= PART * len(wanted) and (wanted in shown or shown in wanted):
            candidates.append((element, shown))
    # Each rule holds only when it leaves something.
    for rule in (
        lambda pair: _is_or_in(pair[0], HEADING_TAGS, levels=2),
        lambda pair: _is_or_in(pair[0], EMPHASIS_TAGS, levels=1),
        lambda pair: pair[1] == wanted,
        lambda pair: not _is_or_in(pair[0], frozenset({"li"}), levels=10_000),
        lambda pair: pair[0].tag != "p",
    ):
        if len(candidates) > 1:
            candidates = _narrowed(candidates, rule)
    return candidates[0][0] if candidates else None


def learn_category(body: Element, categories: tuple[str, ...], title: Element | None) -> Element | None:
    """Return the element whose text is a category of the entry, None when there is none."""
    wanted = {folded(category) for category in categories if category}
    if not wanted:
        return None
    before: Element | None = None
    first: Element | None = None
    for element in _visible(body):
        if element is title:
            before = first
        text = own_text(element)
        if not text or len(text) > _MAX_LENGTH or folded(text).lstrip("#") not in wanted:
            continue
        if _in_crumbs(element):
            return element
        first = first if first is not None else element
    return before if before is not None else first


def learn_date(body: Element, published: str) -> Element | None:
    """Return the element that shows the date of an entry, or one within a day of it; None when there is none."""
    try:
        wanted = datetime.fromisoformat(published).astimezone(UTC).date()
    except ValueError:
        return None
    near = None
    for element in _visible(body):
        shown = shown_date(element)
        if shown is None:
            continue
        if shown == wanted:
            return element
        if near is None and abs(shown - wanted) <= timedelta(days=1):
            near = element
    return near


def shown_date(element: Element) -> date | None:
    """Return the date an element shows: its ``datetime``, else the first in its own text."""
    if element.tag == "time" and (stamp := element.get("datetime")):
        found = read_date(stamp)
        if found is not None:
            return found
    text = own_text(element)
    return read_date(text) if text and len(text) <= _DATE_CHARS else None


def read_date(text: str) -> date | None:
    """Return the first calendar date in a short text, None for none."""
    text = text[:_DATE_CHARS]
    match = _NUMERIC.search(text)
    if match is not None:
        return _date(int(match[1]), int(match[2]), int(match[3]))
    match = _MONTH_FIRST.search(text)
    if match is not None and match[1][:3].lower() in _MONTHS:
        return _date(int(match[3]), _MONTHS[match[1][:3].lower()], int(match[2]))
    match = _DAY_FIRST.search(text)
    if match is not None and match[2][:3].lower() in _MONTHS:
        return _date(int(match[3]), _MONTHS[match[2][:3].lower()], int(match[1]))
    return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _visible(body: Element) -> Iterator[Element]:
    for element in islice(body.iter(), _MAX_ELEMENTS):
        if element.tag not in UNSEEN_TAGS:
            yield element


def _narrowed(
    candidates: list[tuple[Element, str]], rule: Callable[[tuple[Element, str]], bool]
) -> list[tuple[Element, str]]:
    return [pair for pair in candidates if rule(pair)] or candidates


def _is_or_in(element: Element, tags: frozenset[str], *, levels: int) -> bool:
    for _ in range(levels + 1):
        if element is None:
            return False
        if element.tag in tags:
            return True
        element = element.getparent()
    return False


def _in_crumbs(element: Element) -> bool:
    for _ in range(3):
        if element is None or element.tag == "body":
            return False
        if _CRUMB.search(names_of(element)):
            return True
        element = element.getparent()
    return False
