"""The `Refresh` header, which sends the visitors of any answer on as a ``<meta http-equiv=refresh>`` does."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from focuscrawl.page.blank import EMPTY_BODY, NOTHING_IN_IT
from focuscrawl.page.metadata import refresh_target
from focuscrawl.page.model import REFRESH, Link, PageAnalysis
from focuscrawl.page.urls import host_of, normalize_url, url_key, url_tokens
from focuscrawl.text.base import Tokenizer

_HEADER = "refresh"


def with_refresh_header(
    page: PageAnalysis, headers: Iterable[tuple[str, str]], tokenizer: Tokenizer, *, ftp: bool = False
) -> PageAnalysis:
    """Return `page` with the link that the first `Refresh` header of its answer makes, if there is one.

    Parameters
    ----------
    tokenizer
        Cuts the words of the link's URL.
    ftp
        Keep a link to ftp, too.
    """
    value = next((value for name, value in headers if name.lower() == _HEADER), "")
    with suppress(UnicodeError):  # headers come as latin-1, and are UTF-8 where they have more than ASCII
        value = value.encode("latin-1").decode("utf-8")
    target = refresh_target(value)
    url = normalize_url(target, page.url, ftp=ftp) if target and not target.startswith("#") else None
    if url is None or url == page.url:
        return page
    key, count = url_key(url), len(page.links)
    if any(link.key == key for link in page.links):
        links = tuple(replace(link, tag=REFRESH) if link.key == key else link for link in page.links)
    else:
        words = url_tokens(url, tokenizer)
        made = Link(
            url,
            key,
            host_of(url),
            REFRESH,
            "",
            url_tokens=words,
            position=count,
            n_links=count + 1,
            nofollow=page.nofollow,
        )
        links = (*page.links, made)
    # What is empty but for this leads somewhere; what is no page does not become one.
    return replace(
        page, links=links, empty_reason="" if page.empty_reason in (EMPTY_BODY, NOTHING_IN_IT) else page.empty_reason
    )
