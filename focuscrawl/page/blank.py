"""The analysis of a page of which nothing but its address is known."""

from __future__ import annotations

from focuscrawl.page.model import PageAnalysis, PageKind
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.types import HostKey, UrlKey

EMPTY_BODY = "empty body"
NOTHING_IN_IT = "no text and no links"


def blank_page(
    url: str, *, host: HostKey = "", key: UrlKey | None = None, encoding: str = "utf-8", reason: str = ""
) -> PageAnalysis:
    """Return the analysis of a page without text and links.

    Parameters
    ----------
    url
        Its normalised address.
    host, key
        Those of `url` when not given.
    encoding
        What its bytes were taken for.
    reason
        Why nothing was found in it; "" where nobody looked.
    """
    return PageAnalysis(
        url=url,
        key=url_key(url) if key is None else key,
        host=host or host_of(url),
        encoding=encoding,
        title="",
        title_tokens=(),
        headings=(),
        heading_tokens=(),
        description="",
        keywords=(),
        canonical=None,
        noindex=False,
        nofollow=False,
        language="",
        kind=PageKind.OTHER,
        feeds=(),
        blocks=(),
        tokens=(),
        content_tokens=(),
        links=(),
        empty_reason=reason,
    )
