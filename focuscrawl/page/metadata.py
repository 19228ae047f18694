"""Metadata of a page: description, keywords, robots, canonical URL, feeds, related pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from focuscrawl.page.media_types import HTML_TYPES, media_type
from focuscrawl.page.model import Feed
from focuscrawl.page.tree import Element
from focuscrawl.page.urls import UrlJoiner

FIELD_CHARS = 512  # longest text field of a link or page (docs/formulas.md A.2)
_SPAN_CHARS = 16 * FIELD_CHARS  # white space is collapsed only then
_PIECE_CHARS = 15  # that each piece counts for beside its own: so no more than 550 pieces are joined
_KEYWORD_BORDER = re.compile(r"[,，、;；|\n]+")
_MAX_KEYWORDS = 50
_REFRESH_DELAY = re.compile(r"\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=)?+", re.IGNORECASE)
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})
_PAGE_TYPES = HTML_TYPES | {""}
_FOLLOWED_RELS = frozenset({"next", "prev", "previous", "alternate"})
_MAX_FEEDS = 50


@dataclass(slots=True)
class Metadata:
    """Declarations of the page, texts collapsed and cut."""

    og_title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    canonical: str | None = None
    noindex: bool = False
    nofollow: bool = False
    language: str = ""
    feeds: list[Feed] = field(default_factory=list)
    links: list[tuple[Element, str, frozenset[str]]] = field(default_factory=list)  # followed <link> elements
    refreshes: list[tuple[Element, str]] = field(default_factory=list)


def collapse(text: str | None) -> str:
    """Return `text` with white space collapsed, cut at 512 characters."""
    if not text:
        return ""
    text = " ".join(text.split())
    return text if len(text) <= FIELD_CHARS else text[:FIELD_CHARS].rstrip()


def collapse_span(texts: Sequence[str], first: int, end: int, chars: Sequence[int]) -> str:
    """Return ``texts[first:end]`` as `collapse` does, of some 8,000 characters at most.

    Elements that nobody closed may each hold the rest of a page: in full, hundreds of them take minutes. `chars` has
    the characters of each text that are no white space: what is behind the first 512 of them is cut in any case.
    """
    pieces, left, visible = [], _SPAN_CHARS, 0
    for at in range(first, end):
        if left <= 0 or visible > FIELD_CHARS:
            break
        visible += chars[at]
        pieces.append(texts[at][:left])
        left -= len(texts[at]) + _PIECE_CHARS
    return collapse(" ".join(pieces))


def read_metadata(metas: Sequence[Element], head_links: Sequence[Element], join: UrlJoiner) -> Metadata:
    """Return what the ``meta`` and ``link`` elements declare; the first of each kind counts."""
    found = Metadata()
    for element in metas:
        meta = dict(element.items())
        name = (meta.get("name") or meta.get("property") or "").strip().lower()
        content = meta.get("content")
        if not content:
            continue
        if not name:
            equiv = (meta.get("http-equiv") or "").strip().lower()
            if equiv == "refresh":
                target = refresh_target(content)
                if target:
                    found.refreshes.append((element, target))
            elif equiv == "content-language" and not found.language:
                found.language = _subtag(content)
        elif name == "description" or name == "og:description":
            found.description = found.description or collapse(content)
        elif name == "keywords":
            if not found.keywords:
                words = (collapse(word) for word in _KEYWORD_BORDER.split(content[:4000]))
                found.keywords = tuple(dict.fromkeys(word for word in words if word))[:_MAX_KEYWORDS]
        elif name == "og:title":
            found.og_title = found.og_title or collapse(content)
        elif name == "og:locale":
            found.language = found.language or _subtag(content)
        elif name == "robots":
            rules = set(content.lower().replace(",", " ").split())
            found.noindex |= forbids(rules, "noindex")
            found.nofollow |= forbids(rules, "nofollow")
    for element in head_links:
        link = dict(element.items())
        href = link.get("href")
        rel_text = link.get("rel")
        if not href or not rel_text:
            continue
        rel = frozenset(rel_text.lower().split())
        if "canonical" in rel:
            if found.canonical is None:
                found.canonical = join(href)
            continue
        if rel.isdisjoint(_FOLLOWED_RELS) or "stylesheet" in rel:
            continue
        kind = media_type(link.get("type"))
        if "alternate" in rel and kind in _FEED_TYPES:
            url = join(href) if len(found.feeds) < _MAX_FEEDS else None
            if url is not None and all(feed.url != url for feed in found.feeds):
                found.feeds.append(Feed(url, collapse(link.get("title")), kind))
        elif kind in _PAGE_TYPES:  # an alternate of another type (oEmbed, PDF, JSON) is no page
            found.links.append((element, href, rel))
    return found


def html_language(root: Element) -> str:
    """Return the primary language subtag of the root element's ``lang``, '' without one."""
    return _subtag(root.get("lang") or root.get("xml:lang") or "")


def forbids(rules: Collection[str], what: str) -> bool:
    """Tell whether rules for robots, lower-case words of a meta tag or header, hold `what` or ``none``."""
    return what in rules or "none" in rules


def _subtag(tag: str) -> str:
    primary = re.split(r"[-_,;\s]", tag.strip().lower(), maxsplit=1)[0]
    return primary if 2 <= len(primary) <= 3 and primary.isalpha() and primary.isascii() else ""


def refresh_target(content: str) -> str:
    """Return where a refresh leads, '' for one that loads its page again."""
    if ";" not in content and "," not in content and "url" not in content.lower():
        return ""  # "30": the page reloads itself
    target = _REFRESH_DELAY.sub("", content, count=1).strip()
    quoted = len(target) > 1 and target[0] in "'\"" and target[-1] == target[0]
    return target[1:-1] if quoted else target
