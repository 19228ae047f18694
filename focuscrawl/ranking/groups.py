"""Groups of links that share a history: sections of sites (docs/formulas.md J.8)."""

from __future__ import annotations

from functools import lru_cache

from focuscrawl.types import GroupKey, HostKey

# A step longer than this is the name of a page (a headline, an encoded title), not of a section.
_MAX_STEP_CHARS = 48


@lru_cache(maxsize=4_096)
def section_of(url: str, host: HostKey) -> GroupKey:
    """Return the section of `url` (normal form): its host and first directory, the host alone for pages at the top.

    >>> section_of("http://e.com/chess/openings/1.html", "e.com")
    'e.com/chess/'
    >>> section_of("http://e.com/about.html?x=/a/b", "e.com")
    'e.com'
    """
    start = url.find("/", url.find("://") + 3) + 1
    if start <= 0:
        return host
    end = url.find("/", start)
    if end < 0 or end - start > _MAX_STEP_CHARS or end == start:
        return host
    step = url[start:end]
    return host if "?" in step else f"{host}/{step}/"
