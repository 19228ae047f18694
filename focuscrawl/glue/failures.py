"""Scrapy's errors and statuses as fetch failures."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from OpenSSL import SSL
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
    UnsupportedURLSchemeError,
)
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost
from twisted.web.client import ResponseFailed

from focuscrawl.crawler.fetch_failure import NO_SUCH_HOST, NO_TUNNEL, FetchFailure
from focuscrawl.crawler.redirects import TOO_MANY
from focuscrawl.records import Outcome

if TYPE_CHECKING:
    from scrapy.http import Response

# Statuses with which a host says "later": it is left alone for a while and the URL keeps its attempts.
NOT_NOW = frozenset({429, 503})
# Errors that may be gone the next time, with statuses of proxies in front of dead servers.
_TRY_AGAIN = frozenset({408, 500, 502, 504, 520, 521, 522, 523, 524, 525, 530})


class Refused(IgnoreRequest):
    """A request that must not be made; its text is the reason, kept with the URL."""

    def __init__(self, reason: str, *, no_tunnel: bool = False) -> None:
        self.no_tunnel = no_tunnel  # as of `FetchFailure`
        super().__init__(reason)


class BrokenCodingError(Exception):
    """A body whose compression is broken."""


class LookupNeededError(Exception):
    """A request that has to wait for the look-up of a host name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"{name} has not been looked up yet")


class HostIsSlow(IgnoreRequest):
    """A request whose host is to be asked so much later that it must not hold a place meanwhile."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(f"the host wants to be asked {wait_s:.0f} s later")


class HostNotNow(IgnoreRequest):
    """A request that must wait: the host's robots.txt cannot be read at present."""

    def __init__(self, reason: str, *, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(reason)


def failure_of_status(response: Response, *, now: float) -> FetchFailure | None:
    """Return what an answer means that is not 2xx, or a part of a page; None for a page."""
    status = response.status
    if 200 <= status < 300:
        return FetchFailure.of_part(status, (response.headers.get("Content-Range") or b"").decode("latin-1"))
    if status in NOT_NOW:
        return FetchFailure(
            Outcome.FAILED, f"HTTP {status}", status, host_failed=True, wait_s=retry_after(response, now=now) or 0.0
        )
    if status in _TRY_AGAIN:
        return FetchFailure(Outcome.FAILED, f"HTTP {status}", status, host_failed=True)
    return FetchFailure.of_status(status)


def failure_of_error(error: BaseException, *, now: float) -> FetchFailure:
    """Return what an exception of the downloader or a middleware means."""
    match error:
        case HttpError():
            failure = failure_of_status(error.response, now=now)
            return failure or FetchFailure(Outcome.REFUSED, "refused by a spider middleware", error.response.status)
        case HostIsSlow():
            return FetchFailure(Outcome.FAILED, str(error), wait_s=error.wait_s, put_off=True)
        case HostNotNow():
            return FetchFailure(Outcome.FAILED, str(error), wait_s=error.wait_s)
        case Refused():
            return FetchFailure(Outcome.REFUSED, str(error), no_tunnel=error.no_tunnel)
        case IgnoreRequest():
            return FetchFailure(Outcome.REFUSED, _ignored(error))
        case UnsupportedURLSchemeError():
            return FetchFailure(Outcome.REFUSED, "only http and https are fetched")
        case StopDownload():
            return _no_page(error)
        case DownloadCancelledError():
            return FetchFailure(Outcome.REFUSED, "too long")  # Scrapy cancels a download for its size only
        case CannotResolveHostError():
            return FetchFailure(Outcome.FAILED, NO_SUCH_HOST, no_such_host=True)
        case DownloadConnectionRefusedError():
            return FetchFailure(Outcome.FAILED, "connection refused", host_failed=True)
        case DownloadTimeoutError():
            return FetchFailure(Outcome.FAILED, "timed out", host_failed=True)
        case ResponseDataLossError():
            return FetchFailure(Outcome.FAILED, "connection broken")
        case TunnelError():
            return FetchFailure(Outcome.REFUSED, NO_TUNNEL, no_tunnel=True)
        case DownloadFailedError():
            return FetchFailure(Outcome.FAILED, _broken_off(error), host_failed=True)
        case BrokenCodingError():
            return FetchFailure(Outcome.FAILED, str(error))
        case ConnectError():
            return FetchFailure(Outcome.FAILED, "no connection", host_failed=True)
        case OSError():
            return FetchFailure(Outcome.FAILED, f"failed: {type(error).__name__}", host_failed=True)
        case _:
            # A fault of some component: another try would meet it again.
            return FetchFailure(Outcome.REFUSED, f"failed: {type(error).__name__}", is_fault=True)


def retry_after(response: Response, *, now: float) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110, 10.2.3), a number or a date; None without a usable one."""
    raw = response.headers.get("Retry-After")
    if not raw:
        return None
    text = raw.decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):  # a year or a zone of many digits
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, at.timestamp() - now)


def _broken_off(error: DownloadFailedError) -> str:
    """Return in words why an answer broke off."""
    cause = error.__cause__
    reasons = [failure.value for failure in cause.reasons] if isinstance(cause, ResponseFailed) else []
    for reason in reasons:
        if isinstance(reason, SSL.Error):
            return f"TLS failed: {tls_words(reason)}"
    if reasons and all(isinstance(reason, ConnectionDone | ConnectionLost) for reason in reasons):
        return "connection closed before the answer was complete"
    # What is left are lines, lengths and chunks that cannot be read.
    return "no answer in HTTP" if reasons else "connection failed"


def tls_words(error: SSL.Error) -> str:
    """Return what OpenSSL says of an error: (library, function, reason) each."""
    details = error.args[0] if error.args else ()
    words = [str(detail[-1]) for detail in details if isinstance(detail, tuple)] if isinstance(details, list) else []
    return next((word for word in reversed(words) if word), "the connection was cut")[:100]


def is_redirect_limit(error: BaseException) -> bool:
    """Tell whether Scrapy gave up following redirects, for which it has no class but a sentence."""
    return isinstance(error, IgnoreRequest) and "max redirections" in str(error)


def _ignored(error: IgnoreRequest) -> str:
    # Scrapy's sentences name the request and its numbers; kept with many URLs, a short reason can be counted.
    if is_redirect_limit(error):
        return TOO_MANY
    text = str(error)
    if "during decompression" in text:
        return "too long when decompressed"
    return text.strip().partition("\n")[0][:120] or "ignored by a middleware"


def _no_page(error: StopDownload) -> FetchFailure:
    response = error.response
    if response is None:
        return FetchFailure(Outcome.REFUSED, "stopped by a component")
    return FetchFailure.of_type((response.headers.get("Content-Type") or b"").decode("latin-1"), response.status)
