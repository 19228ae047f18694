"""Leased pages whose text needs JavaScript are rendered; the browser asks this crawl's downloader for all it wants."""

from __future__ import annotations

import logging
import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.browser import Browser, NotRenderedError, Part, find_browser
from focuscrawl.crawler.fetched import Made
from focuscrawl.crawler.watchdog import TooSlowError
from focuscrawl.glue.requests import MADE, SLOT, fetched, lease_of
from focuscrawl.glue.session import session_of
from focuscrawl.page.decode import decode
from focuscrawl.page.media_types import HTML_TYPES, media_type
from focuscrawl.page.scripted import NEEDS_JAVASCRIPT, may_need_javascript, not_rendered
from focuscrawl.page.urls import host_of, registered_domain

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# Domains whose rendered pages are counted; a web of made-up names could bring any number.
_MAX_DOMAINS = 100_000


class RenderMiddleware:
    """Replaces the body of a page by what a browser made of it; what came is in the meta, for archives."""

    def __init__(self, crawler: Crawler) -> None:
        config = FocusConfig.from_settings(crawler.settings)
        if config.render == "never":
            raise NotConfigured
        self.crawler = crawler
        self._always = config.render == "always"
        self._per_host = config.render_per_host
        self._rendered: Counter[str] = Counter()
        self._browser = Browser(
            find_browser(config.browser),
            self._fetch,
            pages=config.render_pages,
            seconds=config.render_s,
            most_chars=config.max_body_bytes,
            user_agent=str(crawler.settings["USER_AGENT"]),
        )
        self._said = False
        if os.geteuid() == 0:
            logger.warning(
                "As root Chromium has no sandbox around the pages it renders: run the crawl as another user."
            )
        crawler.signals.connect(self._browser.close, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RenderMiddleware:
        """Build the middleware."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Forget what was made of another answer and copied with the meta."""
        request.meta.pop(MADE, None)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the response, rendered where that is called for; one that cannot be has the reason in its meta."""
        if lease_of(request) is None or MADE in request.meta or not self._is_wanted(request, response):
            return response
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
        domain = registered_domain(host_of(response.url))
        if self._per_host and self._rendered[domain] >= self._per_host:
            why = not_rendered(f"{self._per_host} pages of its domain were rendered")
            request.meta[MADE] = Made(b"", response.body, kind, reason="" if self._always else why)
            return response
        if domain in self._rendered or len(self._rendered) < _MAX_DOMAINS:
            self._rendered[domain] += 1
        try:
            html = await self._browser.render(response.url, decode(response.body, kind or None).text.encode())
        except NotRenderedError as error:
            if not self._said:
                self._said = True
                logger.warning("%(url)s was not rendered: %(error)s", {"url": response.url, "error": error})
            reason = "" if self._always else not_rendered(str(error))
            request.meta[MADE] = Made(b"", response.body, kind, reason=reason)
            return response
        request.meta[MADE] = Made(html, response.body, kind, rendered=True)
        changed: Any = response.replace(body=html, encoding="utf-8", flags=[*response.flags, "rendered"])
        return changed  # type: ignore[no-any-return]

    def _is_wanted(self, request: Request, response: Response) -> bool:
        if response.status != 200 or b"<" not in response.body[:2000]:
            return False
        if media_type((response.headers.get("Content-Type") or b"text/html").decode("latin-1")) not in HTML_TYPES:
            return False
        if self._always:
            return True
        if not may_need_javascript(response.body):
            return False
        crawl = session_of(self.crawler).crawl
        try:
            answer = fetched(response.replace(request=request), at=crawl.clock())  # Scrapy ties them later
            page = crawl.watchdog.run(crawl.step.analysed, answer)
        except TooSlowError:
            return False
        return page.empty_reason == NEEDS_JAVASCRIPT

    async def _fetch(self, url: str) -> Part | None:
        """Return what a page asks for, as the crawl's own requests are fetched: guards, robots.txt, delays."""
        if not url.startswith(("http://", "https://")) or self.crawler.engine is None:
            return None
        try:
            request = Request(url, dont_filter=True, meta={SLOT: host_of(url)})
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # as many kinds as there are middlewares; the page does without
            logger.debug("%(url)s is not fetched for a page: %(error)s", {"url": url, "error": error})
            return None
        kind = (response.headers.get("Content-Type") or b"application/octet-stream").decode("latin-1")
        return Part(response.status, kind, response.body)
