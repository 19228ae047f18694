"""An answer of the network, in the terms of a crawl."""

from __future__ import annotations

from dataclasses import dataclass

_MEDIA_TYPE_CHARS = 100


@dataclass(frozen=True, slots=True)
class Made:
    """What became of an answer before it is read as a page: HTML made of it, or the reason why there is none."""

    html: bytes  # UTF-8
    received: bytes  # as it came, which archives keep
    content_type: str  # media type of `received`
    rendered: bool = False  # a browser has run its scripts
    reason: str = ""  # why nothing could be made of it


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer as it came from the network."""

    url: str  # after redirects
    status: int
    body: bytes
    fetched_at: float  # Unix time, UTC seconds
    content_type: str | None = None
    headers: tuple[tuple[str, str], ...] = ()  # as received; for the archive only
    redirects: tuple[str, ...] = ()  # URLs that led here, first to last, the final one left out
    tls: str = ""  # why its certificate, or that of a redirect, could not be verified
    made: Made | None = None  # where `body` is HTML that was made of the answer

    @property
    def received(self) -> bytes:
        """The body as it came."""
        return self.body if self.made is None else self.made.received

    @property
    def media_type(self) -> str:
        """Media type of what came, as ``text/html``; '' when nobody said."""
        given = self.content_type if self.made is None else self.made.content_type
        return (given or "").partition(";")[0].strip().lower()[:_MEDIA_TYPE_CHARS]
