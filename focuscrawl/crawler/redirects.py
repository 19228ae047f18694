"""Hops: redirects and refreshes on the way to a page, at most five of both together."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from focuscrawl.page.model import REFRESH, Link, PageAnalysis
from focuscrawl.page.urls import url_key
from focuscrawl.records import Entry
from focuscrawl.topic.listing import sends_on
from focuscrawl.types import HostKey, UrlKey

MOVES = 3
"""Old addresses of a page that are redirects; sites move more than once, and some send every address to one page."""
MAX_HOPS = 5
"""Of redirects and refreshes together; the same as REDIRECT_MAX_TIMES."""
TOO_MANY = "too many redirects"
TO_ITSELF = "redirects to itself"
NO_URL = "redirected to what is no URL to crawl"
FETCHED_BEFORE = "redirects to a page that was fetched before"
TARGET_QUEUED = "redirects to a host that is asked later; its target is queued by itself"

SENDS_ON = "sends its visitors on; the page it sends them to is queued by itself"
SENDS_TO_FETCHED = "sends its visitors on to a page that was fetched before"


def within_hops(links: Sequence[Link], hops: int) -> list[Link]:
    """Return the links that may be followed from a page that took `hops` to reach: after five, no refresh."""
    return [link for link in links if link.tag != REFRESH or hops < MAX_HOPS]


def sent_on_to(
    page: PageAnalysis, followed: Sequence[Link], *, fetched: Container[UrlKey], sent_to: Mapping[UrlKey, int]
) -> Link | None:
    """Return the link that stands for a page without text of its own, the one it sends its visitors on by.

    None for other pages, and for those that have more to follow, or nothing.

    Parameters
    ----------
    followed
        Links of the page that may be followed.
    fetched, sent_to
        Pages that were fetched, and how many others have sent their visitors on to each: one of the first that send
        to a fetched page has nothing more to follow, and says no more than its link did.
    """
    if followed:
        return followed[0] if len(followed) == 1 and followed[0].tag == REFRESH and sends_on(page) else None
    refresh = next((link for link in page.links if link.tag == REFRESH), None)
    known = refresh is not None and refresh.key in fetched and sent_to.get(refresh.key, 0) < MOVES
    return refresh if known and sends_on(page) else None


def as_link(entry: Entry, url: str, host: HostKey, hops: int) -> Entry:
    """Return the target of a redirect or refresh of `entry` as a link of its own, worth as much.

    Parameters
    ----------
    hops
        That led to it, counted from the page where `entry` was found.
    """
    score = entry.score if entry.origin.earlier is None else entry.origin.earlier.score
    origin = replace(entry.origin, hops=hops, earlier=None)
    group = entry.group if host == entry.host else ""
    return replace(entry, url=url, key=url_key(url), host=host, score=score, group=group, not_before=0.0, origin=origin)
