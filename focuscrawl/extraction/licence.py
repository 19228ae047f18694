"""The licence a page names, as HTML and Dublin Core have it."""

from __future__ import annotations

from focuscrawl.page.metadata import collapse
from focuscrawl.page.tree import PageTree
from focuscrawl.page.urls import normalize_url

_META = frozenset({"dc.rights", "dcterms.rights", "dcterms.license", "dc.rights.license", "license"})


def licence_of(tree: PageTree | None, url: str) -> str:
    """Return the licence of a page: the address of the first link with ``rel=license``, else what a meta tag says.

    '' where the page names none. A link inside the page may be meant for a part of it, such as a picture.

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
    return ""
