"""The licence a page names: as HTML and Dublin Core have it, or in its notice of rights."""

from __future__ import annotations

import re
from itertools import chain, islice

from focuscrawl.extraction.class_names import GROUPS, class_name_bits, names_of
from focuscrawl.page.metadata import collapse
from focuscrawl.page.tree import Element, PageTree
from focuscrawl.page.urls import normalize_url

_COMMONS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses/[a-z-]{2,20}|publicdomain/(?:zero|mark))/\d", re.I
)
_NOTICE = 1 << GROUPS.index("legal") | 1 << GROUPS.index("foot")
_NOTICE_LEVELS = 8  # of blocks around a link
_META = frozenset({"dc.rights", "dcterms.rights", "dcterms.license", "dc.rights.license", "license"})


def licence_of(tree: PageTree | None, url: str) -> str:
    """Return the licence of a page, '' where it names none.

    It is the address of the first link with ``rel=license``, else what a meta tag says, else the first link to a
    licence of Creative Commons in a footer or a block named after rights: many templates do not mark it. Elsewhere such
    a link is mostly that of a picture. A link inside the page may be meant for a part of it all the same.

    Parameters
    ----------
    url
        Address of the page, for relative links.
    """
    if tree is None:
        return ""
    here = normalize_url(url, url)
    for element in tree.declarations.links:
        rel = element.get("rel")
        if rel is not None and "license" in rel.lower().split():
            target = normalize_url(element.get("href") or "", url)
            if target is not None and target != here:  # a link to a place on the page names none
                return target
    for meta in tree.declarations.metas:
        name = (meta.get("name") or meta.get("property") or "").strip().lower()
        if name in _META and (said := collapse(meta.get("content"))):
            return said
    for element in tree.declarations.links:
        href = (element.get("href") or "").strip()
        if _COMMONS.match(href) is not None and _is_in_notice(element):
            return normalize_url(href, url) or ""
    return ""


def _is_in_notice(link: Element) -> bool:
    """Tell whether a link stands in a footer or in a block named after copyright or a licence."""
    for block in islice(chain((link,), link.iterancestors()), _NOTICE_LEVELS):
        if block.tag == "body":
            break
        if block.tag == "footer" or class_name_bits(names_of(block)) & _NOTICE:
            return True
    return False
