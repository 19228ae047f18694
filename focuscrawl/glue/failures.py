"""What became of a fetch that gave no page: given up for good, tried again, or not now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

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

from focuscrawl.records import Outcome

if TYPE_CHECKING:
    from scrapy.http import Response

# Statuses with which a host says "later": it is left alone for a while and the URL keeps its attempts.
NOT_NOW = frozenset({429, 503})
# Errors that may be gone the next time, with statuses of proxies in front of dead servers.
_TRY_AGAIN = frozenset({408, 500, 502, 504, 520, 521, 522, 523, 524, 525, 530})
NO_SUCH_HOST = "no such host"


class Refused(IgnoreRequest):
    """A request that must not be made; its text is the reason, kept with the URL."""


class HostNotNow(IgnoreRequest):
    """A request that must wait: the host's robots.txt cannot be read at present."""

    def __init__(self, reason: str, *, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Fate:
    """What to do with a URL whose fetch gave no page."""

    outcome: Outcome
    reason: str
    status: int = 0
    host_failed: bool = False  # no fault of the URL: the host is to be left alone for a while
    no_such_host: bool = False  # its name does not resolve, at present
    wait_s: float | None = None  # the URL goes back without counting an attempt, the host is left alone so long


def fate_of_status(response: Response, *, now: float) -> Fate | None:
    """Return what an answer other than 2xx means, None for a page."""
    status = response.status
    if 200 <= status < 300:
        return None
    if status in NOT_NOW:
        return Fate(
            Outcome.FAILED, f"HTTP {status}", status, host_failed=True, wait_s=retry_after(response, now=now) or 0.0
        )
    if status in _TRY_AGAIN:
        return Fate(Outcome.FAILED, f"HTTP {status}", status, host_failed=True)
    return Fate(Outcome.REFUSED, f"HTTP {status}", status)


def fate_of_error(error: BaseException, *, now: float) -> Fate:
    """Return what an exception of the downloader or a middleware means."""
    match error:
        case HttpError():
            fate = fate_of_status(error.response, now=now)
            return fate or Fate(Outcome.REFUSED, "refused by a spider middleware", error.response.status)
        case HostNotNow():
            return Fate(Outcome.FAILED, str(error), wait_s=error.wait_s)
        case Refused():
            return Fate(Outcome.REFUSED, str(error))
        case IgnoreRequest():
            return Fate(Outcome.REFUSED, _ignored(str(error)))
        case UnsupportedURLSchemeError():
            return Fate(Outcome.REFUSED, "only http and https are fetched")
        case StopDownload():
            return _no_page(error)
        case DownloadCancelledError():
            return Fate(Outcome.REFUSED, "too long")  # Scrapy cancels a download for its size only
        case CannotResolveHostError():
            return Fate(Outcome.FAILED, NO_SUCH_HOST, no_such_host=True)
        case DownloadConnectionRefusedError():
            return Fate(Outcome.FAILED, "connection refused", host_failed=True)
        case DownloadTimeoutError():
            return Fate(Outcome.FAILED, "timed out", host_failed=True)
        case ResponseDataLossError():
            return Fate(Outcome.FAILED, "connection broken")
        case DownloadFailedError():
            return Fate(Outcome.FAILED, "connection failed", host_failed=True)
        case OSError():
            return Fate(Outcome.FAILED, f"failed: {type(error).__name__}", host_failed=True)
        case _:
            # A fault of some component: another try would meet it again.
            return Fate(Outcome.REFUSED, f"failed: {type(error).__name__}")


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
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, at.timestamp() - now)


def _ignored(text: str) -> str:
    # Scrapy's sentences name the request and its numbers; kept with many URLs, a short reason can be counted.
    if "max redirections" in text:
        return "too many redirects"
    if "during decompression" in text:
        return "too long when decompressed"
    return text.strip().partition("\n")[0][:120] or "ignored by a middleware"


def _no_page(error: StopDownload) -> Fate:
    response = error.response
    if response is None:
        return Fate(Outcome.REFUSED, "stopped by a component")
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
    return Fate(Outcome.REFUSED, f"content type {kind}"[:120], response.status)
