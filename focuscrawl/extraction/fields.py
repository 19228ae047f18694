"""Title, date, author and category of a page: what it declares first, then what it shows (docs/formulas.md H.6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from focuscrawl.extraction.bylines import given_name_first, person
from focuscrawl.extraction.dates import as_shown, is_in_utc, iso_date, posted_on, url_date
from focuscrawl.extraction.others_declared import OthersDeclared, others_declared
from focuscrawl.extraction.page_title import page_title
from focuscrawl.extraction.page_type import is_archive
from focuscrawl.extraction.shown_categories import crumb_categories, is_category, shown_categories
from focuscrawl.extraction.shown_fields import HAS_PROPS, shown_fields
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tree import PageTree

_LD_CHARS = 200_000
_LD_DEPTH = 6
_MAX_METAS = 300
_MAX_NAME_CHARS = 120
_MAX_CREATORS = 5
_ARTICLE_TYPES = ("article", "posting", "report", "page", "video", "recipe", "product", "question", "review")
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
    "citation_date",
    "citation_online_date",
    "dcterms.issued",
)
_META_AUTHORS = ("article:author", "og:article:author", "author", "byl", "parsely-author")
# An element for each author, mostly as "Lee, Ann": of a work in a journal, of anything that has Dublin Core.
_META_WRITER = "citation_author"
_META_CREATORS = ("dc.creator", "dcterms.creator")
_PROFILES = frozenset({"article:author", "og:article:author"})  # by OpenGraph the address of a profile
_META_CATEGORIES = (
    "article:section",
    "og:article:section",
    "category",
    "parsely-section",
    "channel",
    "section",
    "columnname",
)


@dataclass(frozen=True, slots=True)
class PageFields:
    """Fields of a page; None where nothing says."""

    title: str = ""
    published: str | None = None  # ISO 8601 date, or date and time as stated
    author: str | None = None
    category: str | None = None  # several as "Travel, Photos"
    tags: tuple[str, ...] = ()  # shown ones


def page_fields(page: PageAnalysis) -> PageFields:
    """Return title, date, author, category and tags. Never raises for what is in a page.

    Of a page that lists posts these are what it declares, for what it shows is of one of the posts.
    """
    if page.tree is None:
        return PageFields(page.title)
    of_posts = is_archive(page.tree, page.url)
    stated = page.tree.once(_declared if of_posts else _stated)
    shown = page.tree.once(crumb_categories if of_posts else shown_categories)
    return PageFields(
        page_title(page, stated.og_title, stated.headline, site=stated.site),
        (stated.published if of_posts else _date_of_post(page.url, page.tree, stated.published)) or None,
        stated.author or None,
        stated.category or ", ".join(shown.categories) or None,
        shown.tags,
    )


def _date_of_post(url: str, tree: PageTree, stated: str) -> str:
    """Return the date that a page declares, on the day that it shows or its URL states, else the one of these.

    The day of an event in its URL is no such date.
    """
    if stated and not tree.once(_declared).published:
        return posted_on(url, stated)
    day = url_date(url)
    if stated:
        return as_shown(stated, day)
    return day if day not in tree.once(_others).days else ""


class _Stated(NamedTuple):
    """Fields that a page declares or shows, wherever they stand."""

    published: str
    author: str
    category: str
    headline: str
    og_title: str
    site: str


def _stated(tree: PageTree) -> _Stated:
    """Return what a page declares, and what it shows of the rest."""
    declared = _declared(tree)
    published, author, category, *_ = declared
    dated = bool(published) and not is_in_utc(published)
    # Nothing is looked for on the page that its head has declared.
    if dated and author and (category or not HAS_PROPS(tree.root)):
        return declared
    micro, first_date, date, name = shown_fields(tree.root, dated=dated, signed=bool(author), others=tree.once(_others))
    stated = published or iso_date(micro.get("datepublished", ""))
    return declared._replace(
        published=as_shown(stated, first_date) if stated else date,
        author=author or person(micro.get("author", "")) or name,
        category=category or _category(micro.get("articlesection", "")),
    )


def _declared(tree: PageTree) -> _Stated:
    metas = _metas(tree)
    entries = list(_linked_data(tree))
    ld = [entry for entry in entries if _is_article(entry)]
    published = (
        _first(iso_date(str(entry.get("datePublished") or "")) for entry in ld)
        or _first(iso_date(metas.get(name, "")) for name in _META_DATES)
        # Questions and posts of forums have no other.
        or _first(iso_date(str(entry.get("dateCreated") or "")) for entry in ld)
        # Pages for Baidu declare it without a type.
        or _first(iso_date(str(entry.get("pubDate") or "")) for entry in entries)
    )
    author = (
        _first(_name(entry.get("author"), person) for entry in ld)
        or _creators(tree, _META_WRITER)
        or _first(
            person(value)
            for name in _META_AUTHORS
            if (value := metas.get(name, ""))
            and not _is_software(value, metas)
            and not (name in _PROFILES and "/" in value)
        )
        or _first(_creators(tree, name) for name in _META_CREATORS)
    )
    category = _first(_category(_name(entry.get("articleSection"))) for entry in ld) or _first(
        _category(metas.get(name, "")) for name in _META_CATEGORIES
    )
    headline = _first(_name(entry.get("headline")) for entry in ld)
    return _Stated(published, author, category, headline, metas.get("og:title", ""), metas.get("og:site_name", ""))


def _others(tree: PageTree) -> OthersDeclared:
    return others_declared(_linked_data(tree))


def _metas(tree: PageTree) -> dict[str, str]:
    found: dict[str, str] = {}
    for meta in tree.declarations.metas[:_MAX_METAS]:
        name = meta.get("property") or meta.get("name") or meta.get("itemprop")
        content = meta.get("content")
        if name and content:
            found.setdefault(name.strip().lower(), content[:1000])
    return found


def _creators(tree: PageTree, kind: str) -> str:
    """Return the first five authors that a page declares in elements of that `kind`, '' for none."""
    names: dict[str, None] = {}
    for meta in tree.declarations.metas[:_MAX_METAS]:
        if (meta.get("name") or meta.get("property") or "").strip().lower() == kind:
            name = person(given_name_first(meta.get("content") or ""))
            if name:
                names[name] = None
    return ", ".join(islice(names, _MAX_CREATORS))


def _is_software(author: str, metas: dict[str, str]) -> bool:
    """Tell whether a declared author is the software that made the page, or its team."""
    maker = metas.get("generator", "").lower().split()[:1]
    return bool(maker) and author.lower().split()[:2] in (maker, [*maker, "team"])


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


def _label(text: str) -> str:
    text = " ".join(text.split())
    return "" if not text or len(text) > _MAX_NAME_CHARS or "://" in text else text


def _name(value: object, read: Callable[[str], str] = _label) -> str:
    if isinstance(value, str):
        return read(value)
    if isinstance(value, list):
        names = [_name(item, read) for item in value[:5]]
        return ", ".join(dict.fromkeys(name for name in names if name))
    if isinstance(value, dict):
        return _name(value.get("name") or "", read)
    return ""


def _category(text: str) -> str:
    text = text.strip()
    return text if is_category(text) else ""


def _first(values: Any) -> str:
    return next((value for value in values if value), "")
