"""A fetch that gave no page, and what is to be done about it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from focuscrawl.page.media_types import media_type
from focuscrawl.records import Outcome

NO_SUCH_HOST = "no such host"
NO_TUNNEL = "the proxy made no connection"
NO_HTTP_PROXY = "the proxy is none for HTTP: http_proxy and https_proxy take http://host:port"
_REASON_CHARS = 120
_PARTIAL = 206
_WHOLE = re.compile(r"bytes\s++0-(\d{1,15})/(\d{1,15})")


@dataclass(frozen=True, slots=True)
class FetchFailure:
    """Why a fetch gave no page: given up for good, tried again, or not now."""

    outcome: Outcome
    reason: str
    status: int = 0
    host_failed: bool = False  # no fault of the URL: the host is to be left alone for a while
    no_such_host: bool = False  # its name does not resolve, at present
    no_tunnel: bool = False  # the proxy connects to no such host, for its robots.txt or the page itself
    wait_s: float | None = None  # the URL goes back without counting an attempt, the host is left alone so long
    put_off: bool = False  # `wait_s` is the host's delay: the URL comes back as often as it takes
    is_fault: bool = False  # a component raised what stands for no answer: a mistake in its code, most likely

    @classmethod
    def of_status(cls, status: int) -> FetchFailure:
        """Return the failure of an answer whose HTTP status says for good that there is no page."""
        return cls(Outcome.REFUSED, f"HTTP {status}", status)

    @classmethod
    def of_part(cls, status: int, content_range: str) -> FetchFailure | None:
        """Return the failure of an answer that is a part of a page, as nobody asks for one; None for any other.

        Caches that ask for ranges themselves hand on whole pages with the status of a part.
        """
        if status != _PARTIAL:
            return None
        found = _WHOLE.fullmatch(content_range.strip().lower())
        return None if found is not None and int(found[1]) + 1 == int(found[2]) else cls.of_status(status)

    @classmethod
    def of_type(cls, content_type: str, status: int) -> FetchFailure:
        """Return the failure of an answer whose Content-Type is none of a page."""
        return cls(Outcome.REFUSED, f"content type {media_type(content_type)}"[:_REASON_CHARS], status)


LOST = FetchFailure(Outcome.FAILED, "lost: a component dropped the request")
"""Of a lease whose request has vanished."""
GIVEN_UP = FetchFailure(Outcome.REFUSED, "a middleware dropped its request, or made another one in its place")
"""Of a lease whose request the downloader has let go without an answer or an error: another try would meet the same."""
