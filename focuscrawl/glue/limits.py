"""Limits of an answer: what is decompressed, and what is downloaded at all."""

from __future__ import annotations

import logging
import struct
import zlib
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.downloadermiddlewares.httpcompression import ACCEPTED_ENCODINGS, HttpCompressionMiddleware
from scrapy.exceptions import StopDownload
from scrapy.utils._compression import brotli, zstd  # type: ignore[attr-defined]

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.fetch_failure import FetchFailure
from focuscrawl.glue.documents import may_be_pdf
from focuscrawl.glue.failures import BrokenCodingError
from focuscrawl.glue.requests import UNPACKED_BYTES, lease_of
from focuscrawl.page.media_types import is_no_page, media_type
from focuscrawl.records import Outcome
from focuscrawl.storage.body_codings import READS_BROTLI

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Request, Response

logger = logging.getLogger(__name__)

_CODINGS = frozenset({*ACCEPTED_ENCODINGS, b"x-gzip"})
_CHUNK = 1 << 16  # bytes of text that is read for its end only
# What the decoders of gzip, deflate, brotli and zstd raise.
_BROKEN = (EOFError, OSError, ValueError, struct.error, zlib.error, brotli.error, zstd.ZstdError)


class CompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's, with a limit of its own for what comes out: DOWNLOAD_MAXSIZE limits what comes over the wire."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._max_size = FocusConfig.from_settings(crawler.settings).max_body_bytes
        # A warning for each long page helps nobody; pages above the limit are counted with their reason.
        self._warn_size = 0
        self._asked_for = b", ".join(name for name in ACCEPTED_ENCODINGS if READS_BROTLI or name != b"br")
        if not READS_BROTLI:
            logger.warning(
                "the module brotli is not that of the package brotli (brotlipy has one by the same name), and pages are"
                " not asked for in brotli; to mend it: pip uninstall brotlipy, pip install --force-reinstall brotli"
            )
        logging.getLogger("scrapy.downloadermiddlewares.httpcompression").setLevel(logging.ERROR)

    def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Ask for the codings that can be undone."""
        request.headers.setdefault("Accept-Encoding", self._asked_for)

    def process_response(  # type: ignore[override]  # Scrapy warns of a spider among the arguments
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the response with its body decompressed, as far as its header names codings that can be undone.

        Raises
        ------
        BrokenCodingError
            If it is not what its header says it is, or, of a leased link, ends before its text does.
        """
        _drop_unknown_codings(response.headers)
        body, codings = response.body, b",".join(response.headers.getlist("Content-Encoding"))
        if b"br" in codings.lower() and not READS_BROTLI:
            raise BrokenCodingError("compressed text in brotli, which was not asked for and cannot be read")
        most = request.meta.get(UNPACKED_BYTES)
        limited = request if most is None else request.replace(meta={**request.meta, "download_maxsize": most})
        try:
            answer = super().process_response(limited, response)
            cut = lease_of(request) is not None and answer is not response and is_cut(body, codings, len(answer.body))
        except _BROKEN as error:
            raise BrokenCodingError("compressed text that is broken") from error
        if cut:  # by a cache, or before a connection without a length was closed: nothing else shows it
            raise BrokenCodingError("compressed text that is cut")
        return answer


def _drop_unknown_codings(headers: Headers) -> None:
    """Leave out codings that are none, as browsers do: ``utf-8``, ``identity``, nothing behind a comma, other bytes."""
    given = [name.strip().lower() for line in headers.getlist("Content-Encoding") for name in line.split(b",")]
    known = [name for name in given if name in _CODINGS]
    if known:
        headers["Content-Encoding"] = known
    else:
        headers.pop("Content-Encoding", None)


def is_cut(body: bytes, codings: bytes, size: int) -> bool:
    """Tell whether a compressed body that could be read so far ends before its text does.

    One that lacks a checksum behind the text is whole: some servers leave it out. False for several codings.

    Parameters
    ----------
    body
        As it came.
    codings
        ``Content-Encoding``.
    size
        Bytes of text in it.
    """
    if not body:
        return False
    match codings.strip().lower():
        case b"gzip" | b"x-gzip":
            is_whole = int.from_bytes(body[-4:], "little") == size % 2**32  # RFC 1952, 2.3.1: ISIZE
            return not is_whole and _is_cut_deflate(body[_gzip_text_at(body) :])
        case b"deflate":
            has_header = body[0] & 15 == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0  # RFC 1950, 2.2
            return _is_cut_deflate(body[2:] if has_header else body)
        case b"br":
            brotli_text = brotli.Decompressor()
            text = brotli_text.process(body, output_buffer_limit=_CHUNK)
            while text and not brotli_text.is_finished():
                text = brotli_text.process(b"", output_buffer_limit=_CHUNK)
            return not brotli_text.is_finished()
        case b"zstd":
            zstd_text = zstd.ZstdDecompressor()
            text = zstd_text.decompress(body, _CHUNK)
            while not zstd_text.eof and not zstd_text.needs_input:
                zstd_text.decompress(b"", _CHUNK)
            return not zstd_text.eof
    return False


def _is_cut_deflate(data: bytes) -> bool:
    inflated, text = zlib.decompressobj(-zlib.MAX_WBITS), b"."
    while (data or text) and not inflated.eof:
        text = inflated.decompress(data, _CHUNK)
        data = inflated.unconsumed_tail
    return not inflated.eof


def _gzip_text_at(body: bytes) -> int:
    """Return where the deflated text of a gzip member begins (RFC 1952, 2.3)."""
    flags, at = body[3], 10
    if flags & 4:  # FEXTRA
        at += 2 + int.from_bytes(body[at : at + 2], "little")
    for name in (8, 16):  # FNAME, FCOMMENT
        if flags & name:
            at = body.index(0, at) + 1
    return at + (flags & 2)  # FHCRC


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
