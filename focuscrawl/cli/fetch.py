"""Fetching the one page of ``focuscrawl extract URL``, under the rules of a crawl."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from focuscrawl import settings as crawl_settings
from focuscrawl.errors import FocusCrawlError
from focuscrawl.glue.address_guard import AddressGuardMiddleware
from focuscrawl.glue.failures import failure_of_error

# What a crawl sets for itself holds for this one page, too.
_SAME = (
    "USER_AGENT",
    "ROBOTSTXT_USER_AGENT",
    "DEFAULT_REQUEST_HEADERS",
    "ROBOTSTXT_OBEY",
    "DOWNLOAD_TIMEOUT",
    "DOWNLOAD_MAXSIZE",
    "DOWNLOAD_WARNSIZE",
    "DOWNLOAD_VERIFY_CERTIFICATES",
    "REDIRECT_MAX_TIMES",
    "RETRY_ENABLED",
    "COOKIES_ENABLED",
    "TELNETCONSOLE_ENABLED",
    "REMOTE_CONTROL_ENABLED",
)
_SETTINGS: dict[str, Any] = {name: getattr(crawl_settings, name) for name in _SAME} | {
    "LOG_ENABLED": False,
    "LOG_INSTALL_ROOT_HANDLER": False,
    # Behind the proxy middleware (750), so that it knows what goes through a proxy.
    "DOWNLOADER_MIDDLEWARES": {AddressGuardMiddleware: 760},
}


class FetchError(FocusCrawlError):
    """A page could not be fetched."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A fetched page."""

    url: str  # after redirects
    body: bytes  # decompressed
    content_type: str | None


class _OnePage(Spider):
    """Fetches `url` and hands over what came."""

    name = "one-page"

    def __init__(self, url: str, out: list[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.url = url
        self.out = out

    async def start(self) -> AsyncIterator[Request]:
        """Yield the one request."""
        yield Request(self.url, self.parse, errback=self.failed, dont_filter=True)

    def parse(self, response: Response, **_: Any) -> None:
        """Take the answer."""
        self.out.append(response)

    def failed(self, failure: Any) -> None:
        """Take the error; a status other than 2xx is one too."""
        self.out.append(failure.value)


def fetch_page(url: str, *, allow_private: bool = False) -> Answer:
    """Return the page at `url`; can be called once in a process, since a reactor cannot be started twice.

    Parameters
    ----------
    url
        http or https.
    allow_private
        Whether addresses that are not public may be contacted.

    Raises
    ------
    FetchError
        If there is no page: refused address, robots.txt, no answer, a status other than 2xx.
    """
    out: list[Any] = []
    process = AsyncCrawlerProcess({**_SETTINGS, "FOCUSCRAWL_ALLOW_PRIVATE": allow_private})
    try:
        process.crawl(_OnePage, url=url, out=out)
        process.start()
    except ValueError as error:  # Scrapy's word for a URL without host or scheme
        raise FetchError(f"{url}: {error}.") from error
    if not out:
        raise FetchError(f"{url}: no answer.")
    answer = out[0]
    if isinstance(answer, BaseException):
        why = failure_of_error(answer, now=0.0).reason
        raise FetchError(f"{url}: {why.rstrip('.')}.") from answer
    content_type = answer.headers.get("Content-Type")
    return Answer(answer.url, answer.body, content_type.decode("latin-1") if content_type else None)
