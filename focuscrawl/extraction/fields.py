"""Title, date, author and category of a page: what it declares first, then what it shows (docs/formulas.md H.6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from focuscrawl.extraction.page_title import page_title
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tree import Element, PageTree
from focuscrawl.text.scripts import HAN

_LD_CHARS = 200_000
_LD_DEPTH = 6
_MAX_METAS = 300
_HAS_PROPS = etree.XPath("boolean(//@itemprop)")
_MAX_ELEMENTS = 4000  # looked at for microdata and dates; they stand near the title
_ARTICLE_TYPES = ("article", "posting", "report", "page", "video", "recipe", "product", "question")
_META_DATES = (
    "article:published_time",
    "og:published_time",
    "datepublished",
    "pubdate",
    "publishdate",
    "publish_date",
    "dc.date.issued",
    "dc.date",
    "date",
    "og:article:published_time",
    "weibo:article:create_at",
    "sailthru.date",
    "parsely-pub-date",
    "citation_publication_date",
)
_META_AUTHORS = ("author", "article:author", "og:article:author", "dc.creator", "byl", "parsely-author")
_META_CATEGORIES = ("article:section", "og:article:section", "category", "parsely-section", "channel")
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(1[0-2]|0?[1-9])\s?[-/.月]\s?(3[01]|[12]\d|0?[1-9])(?!\d)\s?日?"
    r"(?:[T\s]{0,3}([01]?\d|2[0-3])\s?[:：时]\s?([0-5]\d)(?:\s?[:：分]\s?([0-5]\d))?)?(\s?(?:Z|[+-]\d\d:?\d\d))?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_DATE = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_CHINESE_AUTHOR = re.compile(rf"(?:作者|记者|撰文|文)\s*[:：/]\s*([{HAN}A-Za-z·.]{{2,20}}(?:\s[A-Z][a-z]+)?)")
_BYLINE = re.compile(r"^(?:by|written by|von|par|por)\s+((?:[A-Z][\w.'’-]++\s?+){1,4}+)", re.UNICODE)
_BYLINE_STARTS = frozenset("bBwWvVpP")
_BYLINE_CHARS = 200
_DATE_MARK = re.compile("[-/.年 ]")


@dataclass(frozen=True, slots=True)
class PageFields:
    """Fields of a page; None where nothing says."""

    title: str = ""
    published: str | None = None  # ISO 8601 date, or date and time as stated
    author: str | None = None
    category: str | None = None


def page_fields(page: PageAnalysis) -> PageFields:
    """Return title, date, author and category. Never raises for what is in a page."""
    if page.tree is None:
        return PageFields(page.title)
    stated = page.tree.once(_stated)
    return PageFields(
        page_title(page, stated.og_title, stated.headline, site=stated.site),
        stated.published or None,
        stated.author or None,
        stated.category or None,
    )


class _Stated(NamedTuple):
    """Fields that a page declares or shows, wherever they stand."""

    published: str
    author: str
    category: str
    headline: str
    og_title: str
    site: str


def _stated(tree: PageTree) -> _Stated:
    metas = _metas(tree)
    ld = [entry for entry in _linked_data(tree) if _is_article(entry)]
    published = _first(iso_date(str(entry.get("datePublished") or "")) for entry in ld) or _first(
        iso_date(metas.get(name, "")) for name in _META_DATES
    )
    author = _first(_name(entry.get("author")) for entry in ld) or _first(
        _person(metas.get(name, "")) for name in _META_AUTHORS
    )
    category = _first(_name(entry.get("articleSection")) for entry in ld) or _first(
        metas.get(name, "").strip() for name in _META_CATEGORIES
    )
    # Nothing is looked for on the page that its head has declared.
    if not (published and author and category) and (not (published and author) or _HAS_PROPS(tree.root)):
        micro, date, byline = _shown(tree.root, dated=bool(published), signed=bool(author))
        published = published or iso_date(micro.get("datepublished", "")) or date
        author = author or _person(micro.get("author", "")) or byline
        category = category or micro.get("articlesection", "")
    headline = _first(_name(entry.get("headline")) for entry in ld)
    return _Stated(published, author, category, headline, metas.get("og:title", ""), metas.get("og:site_name", ""))


def iso_date(text: str) -> str:
    """Return the first date in `text` as ISO 8601, with its time and zone when stated, '' when there is none."""
    match = _DATE.search(text[:400])
    if match is not None:
        year, month, day, hour, minute, second, zone = match.groups()
        if not _is_day(int(year), int(month), int(day)):
            return ""
        found = f"{year}-{int(month):02d}-{int(day):02d}"
        if hour is not None and minute is not None:
            found += f"T{int(hour):02d}:{minute}" + (f":{second}" if second else "")
            if zone:
                zone = zone.strip()
                found += zone if zone == "Z" or ":" in zone else f"{zone[:3]}:{zone[3:]}"
        return found
    named = _NAMED_DATE.search(text[:400])
    if named is not None:
        before, name, after, year = named.groups()
        day = before or after
        month_number = _MONTHS.index(name.lower()) + 1
        if day and _is_day(int(year), month_number, int(day)):
            return f"{year}-{month_number:02d}-{int(day):02d}"
    return ""


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _metas(tree: PageTree) -> dict[str, str]:
    found: dict[str, str] = {}
    for meta in tree.declarations.metas[:_MAX_METAS]:
        name = meta.get("property") or meta.get("name") or meta.get("itemprop")
        content = meta.get("content")
        if name and content:
            found.setdefault(name.strip().lower(), content[:1000])
    return found


def _linked_data(tree: PageTree) -> Iterator[dict[str, Any]]:
    for script in tree.declarations.scripts:
        if (script.get("type") or "").strip().lower() != "application/ld+json":
            continue
        text = script.text or ""
        if not text or len(text) > _LD_CHARS:
            continue
        try:
            data = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        yield from _objects(data, _LD_DEPTH)


def _objects(data: object, depth: int) -> Iterator[dict[str, Any]]:
    if depth <= 0:
        return
    if isinstance(data, list):
        for item in data[:50]:
            yield from _objects(item, depth - 1)
    elif isinstance(data, dict):
        yield data
        for key in ("@graph", "mainEntity", "mainEntityOfPage", "hasPart"):
            if key in data:
                yield from _objects(data[key], depth - 1)


def _is_article(entry: dict[str, Any]) -> bool:
    kind = entry.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return any(isinstance(k, str) and k.lower().endswith(_ARTICLE_TYPES) for k in kinds)


def _name(value: object) -> str:
    if isinstance(value, str):
        return _person(value)
    if isinstance(value, list):
        names = [_name(item) for item in value[:5]]
        return ", ".join(dict.fromkeys(name for name in names if name))
    if isinstance(value, dict):
        return _name(value.get("name") or "")
    return ""


def _person(text: str) -> str:
    text = " ".join(text.split())
    if not text or len(text) > 120 or "://" in text:
        return ""
    return text[3:] if text.lower().startswith("by ") else text


def _shown(root: Element, *, dated: bool, signed: bool) -> tuple[dict[str, str], str, str]:
    """Return microdata, the first date and the first byline that stand on the page, '' for none.

    Parameters
    ----------
    dated, signed
        A date, an author is known, and none is looked for.
    """
    micro: dict[str, str] = {}
    date = byline = ""
    has_props: bool | None = None  # not looked for: that takes a pass over the tree, and most pages are read in one
    places = root.iter("time", "span", "p", "div", "td", "a", "em", "i", "small", "font", "li", "address")
    for element in islice(places, _MAX_ELEMENTS):
        prop = element.get("itemprop")
        text = element.text or ""
        if prop is not None:
            value = element.get("datetime") or element.get("content") or " ".join("".join(element.itertext()).split())
            micro.setdefault(prop.strip().lower(), value[:300])
        if element.tag == "time":
            if not dated and (found := iso_date(element.get("datetime") or "") or iso_date(text)):
                date, dated = found, True
            continue
        if 4 < len(text) < _BYLINE_CHARS:
            if not dated and ("19" in text or "20" in text) and _DATE_MARK.search(text) and (found := iso_date(text)):
                date, dated = found, True
            if not signed and (found := _byline(text)):
                byline, signed = found, True
            if dated and signed:
                if has_props is None:
                    has_props = bool(_HAS_PROPS(root))
                if not has_props:
                    break
        elif not signed and element.get("rel") == "author" and text.strip() and (found := _person(text)):
            byline, signed = found, True
    return micro, date, byline


def _byline(text: str) -> str:
    """Return the author that a line names, '' for none."""
    match = _CHINESE_AUTHOR.search(text) if "者" in text or "文" in text else None
    if match is None:
        start = text.strip()
        match = _BYLINE.match(start) if start[:1] in _BYLINE_STARTS else None
    return match[1].strip() if match is not None else ""


def _first(values: Any) -> str:
    return next((value for value in values if value), "")
