"""Scrapy's downloader with a limit on headers, and with words for what was cut off."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, ResponseDataLossError
from twisted.python.failure import Failure
from twisted.web._newclient import HEADER, STATUS, HTTPClientParser, ParseError, ResponseFailed
from twisted.web.http import _ChunkedTransferDecoder

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.logins import Logins
from focuscrawl.glue.failures import Refused
from focuscrawl.glue.requests import TLS
from focuscrawl.glue.tls import CertificatePolicy

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

MAX_HEADER_BYTES = 256 * 1024
"""Of all headers of an answer together; browsers take as much, and nobody means to send more."""
MAX_CHUNKS = 100_000
"""Of a body. Each costs 12 µs of the loop, however short; with the longest body they have 40 bytes each."""

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # of a header: RFC 9110, 5.6.2
# RFC 9110, 15: three digits. Twisted reads any number, also one that no database takes.
_MAX_STATUS = 999


class HeaderSizeError(Exception):
    """The headers of an answer are longer than `MAX_HEADER_BYTES`."""


class ChunksError(Exception):
    """A body comes in more than `MAX_CHUNKS` chunks."""


class _BoundedChunks(_ChunkedTransferDecoder):
    """Decoder of a body in chunks that are not too many, and whose lengths may be padded with blanks."""

    _begun = 0

    def _dataReceived_CHUNK_LENGTH(self) -> bool:  # noqa: N802 - the name is Twisted's
        self._begun += 1
        if self._begun > MAX_CHUNKS:
            raise ChunksError
        end = self._buffer.find(b"\r\n", self._start)
        length = self._buffer[: max(end, 0)].partition(b";")[0]
        if bare := length.rstrip(b" \t"):
            del self._buffer[len(bare) : len(length)]
            self._start = min(self._start, len(bare))
        return super()._dataReceived_CHUNK_LENGTH()


class _BoundedParser(_LenientHTTPClientParser):
    """Parser of an answer that takes what browsers take: nothing here depends on which of two readings is right."""

    # Of a line, which Twisted bounds to 16 kB by closing the connection: policies and lists of preloads are longer.
    MAX_LENGTH = MAX_HEADER_BYTES
    _transferDecoders = {b"chunked": _BoundedChunks}  # noqa: N815, RUF012 - the name is Twisted's

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's
        if self.state != STATUS or line.strip():  # empty ones before an answer are skipped
            super().lineReceived(line)

    def parseVersion(self, strversion: bytes) -> tuple[bytes, int, int]:  # noqa: N802 - Twisted's
        # Servers that name what they speak elsewhere: it is HTTP/1.1 that comes.
        version = b"HTTP/1.1" if strversion in (b"HTTP/2", b"HTTP/3") else strversion
        parsed: tuple[bytes, int, int] = super().parseVersion(version)  # type: ignore[no-untyped-call]
        return parsed

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802 - Twisted's
        name = name.rstrip(b" \t")
        # What stands for no coding in RFC 2616.
        is_identity = name.lower() == b"transfer-encoding" and value.lower() == b"identity"
        if _NAME.fullmatch(name) and not is_identity:
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    """A connection that is cut when the headers of an answer do not end.

    Twisted bounds a line, not their number nor the lines of a folded header: 200 MB of headers were read, at twice the
    memory, by one connection. Interim answers (1xx) are headers as well, so they count too.
    """

    _counted: HTTPClientParser | None = None  # each answer has a parser of its own
    _header_bytes = 0

    def request(self, request: Any) -> Any:
        answer = super().request(request)
        assert self._parser is not None
        self._parser.__class__ = _BoundedParser  # as Scrapy does: Twisted names the class where it makes the parser
        return answer

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - the name is Twisted's
        parser = self._parser
        if parser is not None and parser.state in (STATUS, HEADER):
            if parser is not self._counted:
                self._counted, self._header_bytes = parser, 0
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES:
                self._giveUp(Failure(HeaderSizeError()))  # type: ignore[no-untyped-call]
                if self.transport is not None:
                    self.transport.abortConnection()
                return
        super().dataReceived(data)  # type: ignore[no-untyped-call]


class _BoundedFactory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: Any) -> _BoundedProtocol:  # noqa: ARG002, N802 - Twisted's
        return _BoundedProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Download handler of http and https."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _BoundedFactory
        logins = FocusConfig.from_settings(crawler.settings).logins
        self._certificates = CertificatePolicy(
            crawler,
            refuse=crawler.settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"),
            strict=Logins.load(Path(logins)).with_password if logins else frozenset(),
        )
        self._contextFactory = self._certificates  # type: ignore[assignment]  # an interface of zope
        # The pool keeps its retry (Twisted's default): a request on a kept connection that the server has just closed
        # is sent once more on a new one. Without it a chain of redirects began again whenever a server closed.

    async def download_request(self, request: Request) -> Response:
        """Return the answer to a request.

        Raises
        ------
        Refused
            If its headers or its body are longer than the limits, or come in too many chunks, or its certificate is
            refused; asking again would change nothing.
        """
        try:
            response = await super().download_request(request)
            if not 0 <= response.status <= _MAX_STATUS:
                cause = ResponseFailed([Failure(ParseError("status of no three digits", b""))])  # type: ignore[no-untyped-call]
                raise DownloadFailedError(str(cause)) from cause
            if fault := self._fault(request):
                # Goes with a redirect to the page it leads to: who could read along could choose where it leads.
                request.meta[TLS] = f"unverified: {fault}"
            return response
        except DownloadFailedError as error:
            url = urlsplit(request.url)
            refused = url.scheme == "https" and self._certificates.refuses(url.hostname or "", url.port or 443)
            if refused and (fault := self._fault(request)):
                raise Refused(f"certificate refused: {fault}") from error
            if _has_cause(error, HeaderSizeError):
                raise Refused(f"headers are longer than {MAX_HEADER_BYTES >> 10} kB") from error
            raise
        except ResponseDataLossError as error:
            if _has_cause(error, ChunksError):
                raise Refused(f"more than {MAX_CHUNKS:,} chunks") from error
            raise
        except DownloadCancelledError as error:
            # Scrapy cancels a download for its size only; of an answer without a length it does not say so.
            raise Refused("too long") from error

    def _fault(self, request: Request) -> str:
        url = urlsplit(request.url)
        if url.scheme != "https":
            return ""
        return self._certificates.fault(url.hostname or "", url.port or 443)


def _has_cause(error: Exception, kind: type[Exception]) -> bool:
    """Tell whether an answer broke off for an error of `kind`."""
    return isinstance(error.__cause__, ResponseFailed) and any(reason.check(kind) for reason in error.__cause__.reasons)
