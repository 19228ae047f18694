"""PDFs of leased links become pages: read beside the event loop, before any callback sees them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import NotConfigured

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetched import Made
from focuscrawl.glue.requests import MADE, lease_of
from focuscrawl.page.documents import pdf_html
from focuscrawl.page.media_types import media_type
from focuscrawl.page.pdf import PdfError, PdfReader, is_pdf

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

PDF = "application/pdf"
"""Media type of PDFs."""
_PDFS = frozenset({PDF, "application/x-pdf"})
# Servers give PDFs these when they know no better; the name must say the rest.
_UNNAMED = frozenset({"application/octet-stream", "binary/octet-stream", "application/download"})
# Of a page of HTML, what is looked at is some ten times as much.
_MOST_CHARS = 500_000


class PdfMiddleware:
    """Reads PDFs one at a time; the response stays as it is, and what was read of it is in its meta."""

    def __init__(self, crawler: Crawler) -> None:
        config = FocusConfig.from_settings(crawler.settings)
        if not config.pdf:
            raise NotConfigured
        self._reader = PdfReader(pages=config.pdf_pages, chars=_MOST_CHARS, cpu_s=config.max_page_cpu_s)
        self._thread = ThreadPoolExecutor(1, "focuscrawl-pdf")
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PdfMiddleware:
        """Build the middleware."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Forget what was made of another answer and copied with the meta."""
        request.meta.pop(MADE, None)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; a PDF has what it says in its meta, or why it says nothing."""
        if lease_of(request) is None or not is_pdf(response.body):
            return response
        loop = asyncio.get_running_loop()
        request.meta[MADE] = await loop.run_in_executor(self._thread, self._made, response.body)
        return response

    def _made(self, body: bytes) -> Made:
        try:
            return Made(pdf_html(self._reader.read(body)), body, PDF)
        except PdfError as error:
            return Made(b"", body, PDF, reason=str(error))

    def _closed(self) -> None:
        self._reader.close()
        self._thread.shutdown(wait=False, cancel_futures=True)


def may_be_pdf(content_type: str, url: str) -> bool:
    """Tell whether an answer of a content type may be a PDF.

    >>> may_be_pdf("application/octet-stream", "http://a.org/paper.PDF?v=2")
    True
    """
    kind = media_type(content_type)
    return kind in _PDFS or (kind in _UNNAMED and urlsplit(url).path.lower().endswith(".pdf"))
