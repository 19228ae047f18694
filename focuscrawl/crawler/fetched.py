"""An answer of the network, in the terms of a crawl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focuscrawl.page.media_types import media_type
from focuscrawl.page.scripted import NEEDS_JAVASCRIPT, not_rendered

if TYPE_CHECKING:
    from focuscrawl.crawler.feed_step import ReadFeed
    from focuscrawl.crawler.read_page import ReadPage

HTML = "text/html; charset=utf-8"
"""Content type of HTML that was made here."""
_MEDIA_TYPE_CHARS = 100


@dataclass(frozen=True, slots=True)
class Made:
    """What became of an answer before it is read as a page: HTML made of it, or the reason why there is none."""

    html: bytes  # UTF-8; empty where nothing could be made
    received: bytes  # as it came, which archives keep
    content_type: str  # of `received`
    rendered: bool = False  # a browser has run its scripts
    reason: str = ""  # why nothing could be made of it

    def reason_of(self, empty: str) -> str:
        """Return why a page has nothing, by what its analysis says."""
        if self.rendered and empty == NEEDS_JAVASCRIPT:
            return not_rendered("run by a browser, it gave none")
        return self.reason or empty


@dataclass(frozen=True, slots=True)
class Redirect:
    """An answer that sent to another address on the way to a page; for the archive only, which keeps no body of it."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]  # as received
    request: tuple[tuple[str, str], ...]  # headers that were sent


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer as it came from the network."""

    url: str  # after redirects
    status: int
    body: bytes  # as it is read
    fetched_at: float  # Unix time, UTC seconds
    content_type: str | None = None
    headers: tuple[tuple[str, str], ...] = ()  # as received
    redirects: tuple[str, ...] = ()  # URLs that led here, first to last, the final one left out
    request: tuple[tuple[str, str], ...] = ()  # headers that were sent; for the archive only
    redirected_by: tuple[Redirect, ...] = ()  # answers of those of `redirects` that came in this fetch
    tls: str = ""  # why its certificate, or that of a redirect, could not be verified
    made: Made | None = None  # where `body` was made of the answer, or was to be
    read: ReadPage | None = None  # where the page was read in another process
    feed: ReadFeed | None = None  # where it is one that was read beside the event loop

    @property
    def received(self) -> bytes:
        """The body as it came."""
        return self.body if self.made is None else self.made.received

    @property
    def rendered(self) -> bool:
        """Whether a browser has run the scripts of the page."""
        return self.made is not None and self.made.rendered

    @property
    def media_type(self) -> str:
        """Media type of what came, as ``text/html``; '' when nobody said."""
        given = self.content_type if self.made is None else self.made.content_type
        return media_type(given)[:_MEDIA_TYPE_CHARS]
