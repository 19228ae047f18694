"""Limits of an answer: what is decompressed, and what is downloaded at all."""

from __future__ import annotations

import logging
import struct
import zlib
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import StopDownload
from scrapy.utils._compression import brotli, zstd  # type: ignore[attr-defined]

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.glue.documents import may_be_pdf
from focuscrawl.glue.failures import BrokenCodingError
from focuscrawl.glue.requests import lease_of
from focuscrawl.page.media_types import is_no_page, media_type
from focuscrawl.records import Outcome

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Request, Response

# What the decoders of gzip, deflate, brotli and zstd raise.
_BROKEN = (EOFError, OSError, ValueError, struct.error, zlib.error, brotli.error, zstd.ZstdError)


class CompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's, with a limit of its own for what comes out: DOWNLOAD_MAXSIZE limits what comes over the wire."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._max_size = FocusConfig.from_settings(crawler.settings).max_body_bytes
        # A warning for each long page helps nobody; pages above the limit are counted with their reason.
        self._warn_size = 0
        logging.getLogger("scrapy.downloadermiddlewares.httpcompression").setLevel(logging.ERROR)

    def process_response(  # type: ignore[override]  # Scrapy warns of a spider among the arguments
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the response with its body decompressed.

        Raises
        ------
        BrokenCodingError
            If it is not what its header says it is.
        """
        try:
            return super().process_response(request, response)
        except _BROKEN as error:
            raise BrokenCodingError("compressed text that is broken") from error


class ContentTypeGate:
    """Extension: an answer that is no page by its content type is not downloaded (of the focused spider's links).

    The callbacks of other spiders get it, as JSON of an interface or a compressed sitemap; see `failure_of_type`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._pdf = FocusConfig.from_settings(crawler.settings).pdf
        crawler.signals.connect(self._headers, signal=signals.headers_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ContentTypeGate:
        """Build the extension."""
        return cls(crawler)

    def _headers(self, headers: Headers, request: Request) -> None:
        raw = headers.get("Content-Type")
        if not raw or "Location" in headers:  # the body of a redirect is nobody's concern
            return
        if lease_of(request) is not None and _is_no_page(raw.decode("latin-1"), request.url, pdf=self._pdf):
            raise StopDownload(fail=True)


def failure_of_type(response: Response, *, pdf: bool) -> FetchFailure | None:
    """Return what an answer means that is no page by its content type, None for one that may be a page.

    Parameters
    ----------
    pdf
        PDFs are read, too.
    """
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    if not _is_no_page(kind, response.url, pdf=pdf):
        return None
    return FetchFailure(Outcome.REFUSED, f"content type {media_type(kind)}"[:120], response.status)


def _is_no_page(kind: str, url: str, *, pdf: bool) -> bool:
    return is_no_page(kind) and not (pdf and may_be_pdf(kind, url))
