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
    said, here = "", normalize_url(url, url)
    for element in tree.root.iter("link", "a", "area", "meta"):
        if element.tag == "meta":
            name = (element.get("name") or element.get("property") or "").strip().lower()
            said = said or (collapse(element.get("content")) if name in _META else "")
        elif "license" in (element.get("rel") or "").lower().split():
            target = normalize_url(element.get("href") or "", url)
            if target is not None and target != here:  # a link to a place on the page names none
                return target
    return said
