"""Fetching single pages for a command, under the rules of a crawl: ``extract URL``, ``seeds check``."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Sequence
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


_STOPPED = ""  # no URL


class FetchError(FocusCrawlError):
    """A page could not be fetched."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A fetched page."""

    url: str  # after redirects
    body: bytes  # decompressed
    content_type: str | None


class _Pages(Spider):
    """Fetches URLs and hands over what came of each; `out` has `_STOPPED` where Ctrl-C ended it."""

    name = "pages"

    def __init__(self, urls: Sequence[str], out: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.urls = urls
        self.out = out

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for each URL."""
        for url in self.urls:
            try:
                request = Request(url, self.parse, errback=self.failed, dont_filter=True, cb_kwargs={"asked": url})
            except ValueError as error:  # Scrapy's word for a URL without host or scheme
                self.out[url] = error
                continue
            yield request

    def closed(self, reason: str) -> None:
        """Note that a signal has ended it."""
        if reason == "shutdown":
            self.out[_STOPPED] = reason

    def parse(self, response: Response, asked: str) -> None:
        """Take the answer."""
        self.out[asked] = response

    def failed(self, failure: Any) -> None:
        """Take the error; a status other than 2xx is one too."""
        self.out[failure.request.cb_kwargs["asked"]] = failure.value


def fetch_pages(urls: Sequence[str], *, allow_private: bool = False) -> dict[str, Answer | FetchError]:
    """Return what came of each URL; can be called once in a process, since a reactor cannot be started twice.

    Parameters
    ----------
    urls
        http or https, each once.
    allow_private
        Whether addresses that are not public may be contacted.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C or SIGTERM.
    """
    out: dict[str, Any] = {}
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    process = AsyncCrawlerProcess({**_SETTINGS, "FOCUSCRAWL_ALLOW_PRIVATE": allow_private})
    process.crawl(_Pages, urls=urls, out=out)
    try:
        process.start()
    finally:
        # Scrapy leaves its own, which would swallow every later Ctrl-C.
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if _STOPPED in out:
        raise KeyboardInterrupt
    return {url: _answer(url, out.get(url)) for url in urls}


def fetch_page(url: str, *, allow_private: bool = False) -> Answer:
    """Return the page at `url`, as `fetch_pages` does.

    Raises
    ------
    FetchError
        If there is no page: refused address, robots.txt, no answer, a status other than 2xx.
    """
    answer = fetch_pages([url], allow_private=allow_private)[url]
    if isinstance(answer, FetchError):
        raise answer
    return answer


def _answer(url: str, came: Any) -> Answer | FetchError:
    if came is None:
        return FetchError(f"{url}: no answer.")
    if isinstance(came, ValueError):
        return FetchError(f"{url}: {came}.")
    if isinstance(came, BaseException):
        return FetchError(f"{url}: {failure_of_error(came, now=0.0).reason.rstrip('.')}.")
    content_type = came.headers.get("Content-Type")
    return Answer(came.url, came.body, content_type.decode("latin-1") if content_type else None)
