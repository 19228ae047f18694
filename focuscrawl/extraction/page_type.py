"""Page type as declared: schema.org and OpenGraph types, the software behind it, words of its URL."""

from __future__ import annotations

import json
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.extraction.class_names import names_of
from focuscrawl.page.tags import CATEGORY_FOLDER, TAG_FOLDER
from focuscrawl.page.tree import PageTree
from focuscrawl.page.urls import INDEX_FILE

_TYPES: dict[str, str] = {
    "article": "article newsarticle blogposting reportagenewsarticle techarticle report scholarlyarticle "
    "analysisnewsarticle opinionnewsarticle medicalwebpage",
    "thread": "discussionforumposting qapage question answer socialmediaposting",
    "product": "product offer aggregateoffer productgroup softwareapplication",
    "listing": "collectionpage itemlist searchresultspage offercatalog blog",
    "reference": "apireference howto faqpage course",
    "about": "organization localbusiness service profilepage aboutpage contactpage",
}
_URL_WORDS: dict[str, str] = {
    "article": r"/(?:news|article|articles|story|stories|blog|post|posts|entry|opinion|a|content)/|"
    r"/(?:19|20)\d\d[/-]?[01]\d|"
    r"-\d{5,}|/\d{6,}",
    "thread": r"\b(?:forums?|bbs|community|discuss|boards?|answers|ask|tieba|talk)\b|/(?:threads?|topics?|questions?|t|"
    r"viewtopic|showthread|discussions?|comments)\b|viewtopic|showthread",
    "product": r"/(?:products?|p|dp|item|shop|store|buy)/",
    "listing": r"/(?:categor(?:y|ies)|tags?|collections?|archives?|search|c|list|directory|"
    r"catalog)(?:/|$)|[?&](?:page|q|s)=",
    "reference": r"\b(?:docs?|documentation|developers?|wiki|manual|help|support|learn|api|reference|"
    r"guide|tutorials?)\b",
    "about": r"/(?:services?|about|solutions?|contact|company|pricing|features?)(?:/|$)|^https?://[^/]+/?$",
}
_MAKERS: dict[str, str] = {
    "thread": r"phpbb|vbulletin|discuz|xenforo|discourse|smf|mybb|invision|ips4|nodebb|flarum|vanilla|"
    r"question2answer|phpwind",
    "reference": r"sphinx|mkdocs|docusaurus|doxygen|gitbook|javadoc|vitepress|jsdoc|rustdoc|pdoc|mediawiki|docutils",
    "product": r"shopify|woocommerce|magento|prestashop|bigcommerce",
}
PAGE_TYPES: tuple[str, ...] = tuple(_TYPES)
_TYPE_OF: dict[str, int] = {}
for _number, _names in enumerate(_TYPES.values()):
    for _name in _names.split():
        _TYPE_OF[_name] = 1 << _number
_URLS = tuple((1 << PAGE_TYPES.index(kind), re.compile(pattern)) for kind, pattern in _URL_WORDS.items())
_MADE = tuple((1 << PAGE_TYPES.index(kind), re.compile(pattern)) for kind, pattern in _MAKERS.items())
_LD_TYPE = re.compile(r'"@type"\s*+:\s*+\[?+\s*+"(?:https?://schema\.org/)?(\w{4,40})"')
_LD_CHARS = 50_000  # types stand at the start of each object; longer ones are lists of products
_ITEM = re.compile(r"schema\.org/(\w+)", re.I)
_MAX_ITEMS = 60
_MAX_METAS = 200


class PageType(NamedTuple):
    """Types of a page by what it says of itself, a bit each in the order of `PAGE_TYPES`."""

    declared: int = 0  # by schema.org and OpenGraph
    by_url: int = 0
    by_maker: int = 0  # by the software behind it
    archive: bool = False  # a list of posts (`is_archive`), which is no article whatever its posts say

    @property
    def said(self) -> int:
        """The types of all three together."""
        return self.declared | self.by_url | self.by_maker


UNKNOWN = PageType()


def page_type(tree: PageTree, url: str) -> PageType:
    """Return the types of a page."""
    declared = made = by_url = 0
    makers: list[str] = []
    for meta in tree.declarations.metas[:_MAX_METAS]:
        name = meta.get("property") or meta.get("name")
        if name is None:
            continue
        name = name.lower()
        if name == "og:type":
            declared |= _TYPE_OF.get((meta.get("content") or "").rpartition(":")[2].rpartition(".")[2].lower(), 0)
        elif name == "generator":
            makers.append((meta.get("content") or "").lower())
    for script in tree.declarations.scripts:
        if (script.get("type") or "").lower() == "application/ld+json" and script.text:
            for kind in _LD_TYPE.findall(script.text[:_LD_CHARS]):
                declared |= _TYPE_OF.get(kind.lower(), 0)
    for seen, element in enumerate(tree.root.iter("html", "body", "div", "article", "main", "section")):
        if seen > _MAX_ITEMS:
            break
        kind = element.get("itemtype")
        if kind is not None:
            match = _ITEM.search(kind)
            if match is not None:
                declared |= _TYPE_OF.get(match[1].lower(), 0)
        if element.tag == "body" or element.tag == "html":
            makers.append(names_of(element).lower()[:500])
    low = url.lower()[:300]
    for bit, pattern in _URLS:
        if pattern.search(low) is not None:
            by_url |= bit
    maker = " ".join(makers)
    for bit, pattern in _MADE:
        if pattern.search(maker) is not None:
            made |= bit
    return PageType(declared, by_url, made, is_archive(tree, url))


_ARCHIVE_NAME = "archive"  # which WordPress gives the body of a page that lists posts
# Of a tag, category or author; of a year or month; a later page of all posts. A post may stand below "/archives/", too.
_ARCHIVE_PATH = re.compile(
    rf"/(?:{TAG_FOLDER}|{CATEGORY_FOLDER}|authors?)(?:/|$)|/archives?(?:/(?:19|20)\d\d(?:/\d\d?)?)?(?:/page/\d+)?$|"
    r"^(?:/[^/]+)?/(?:(?:19|20)\d\d/(?:0?[1-9]|1[0-2])|page/\d+)$",
    re.I,
)


def is_archive(tree: PageTree, url: str) -> bool:
    """Tell whether a page lists posts, of a tag, a category, an author or a month: by its software or its address.

    By its address it is none where it declares for OpenGraph that it is an article.
    """
    body = tree.root.find("body")
    if body is not None and _ARCHIVE_NAME in (body.get("class") or "").lower().split():
        return True
    try:
        path = urlsplit(url).path
    except ValueError:
        return False
    if _ARCHIVE_PATH.search(INDEX_FILE.sub("", path).rstrip("/")) is None:
        return False
    metas = tree.declarations.metas[:_MAX_METAS]
    return not any(meta.get("property") == "og:type" and meta.get("content") == "article" for meta in metas)


_BODY = re.compile(r'"articleBody"\s*:\s*"((?:[^"\\]|\\.){40,})"')
_BODY_CHARS = 400_000


def declared_body(tree: PageTree) -> str:
    """Return the article body that the page declares in its linked data, '' for none."""
    for script in tree.declarations.scripts:
        if (script.get("type") or "").lower() == "application/ld+json" and script.text:
            match = _BODY.search(script.text[:_BODY_CHARS])
            if match is not None:
                try:
                    return str(json.loads(f'"{match[1]}"', strict=False))
                except ValueError:
                    return ""
    return ""
