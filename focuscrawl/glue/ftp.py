"""Download handler of ftp: directories as pages of links, and texts; loaded where `FOCUSCRAWL_FTP` says so.

The protocol is the standard library's, in threads of its own, a few at once. The same bounds hold as for http:
addresses are judged when they are connected to, `DOWNLOAD_TIMEOUT` is for the whole answer, `DOWNLOAD_MAXSIZE` for a
text. Data comes from the address of the control connection only, whatever the server says (the bounce attack of RFC
2577), and in passive mode only. What is no text by its name is not asked for.
"""

from __future__ import annotations

import asyncio
import ftplib
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import escape
from mimetypes import guess_type
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes, urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError
from scrapy.http import HtmlResponse, Response, TextResponse

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.addresses import AddressPolicy, address_of
from focuscrawl.glue.failures import Refused

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

_AT_ONCE = 4
_MOST_NAMES = 5_000  # of a directory
_BLOCK_BYTES = 1 << 16
# Replies (RFC 959, 4.2) as statuses of http; any other one is a fault of the server, for now.
_STATUSES = {"530": 401, "550": 404, "553": 404, "500": 501, "502": 501}


class FtpDownloadHandler(BaseDownloadHandler):
    """Download handler of ftp."""

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._policy = AddressPolicy(FocusConfig.from_settings(settings).allow_private, ftp=True)
        self._timeout_s = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_bytes = settings.getint("DOWNLOAD_MAXSIZE")
        self._threads = ThreadPoolExecutor(_AT_ONCE, "ftp")

    async def download_request(self, request: Request) -> Response:
        """Return a directory as a page of links, or a text.

        Raises
        ------
        Refused
            If it is no text, too long, at an address that must not be contacted, or to go through a proxy.
        CannotResolveHostError, DownloadTimeoutError, DownloadFailedError
            As for http.
        """
        if request.meta.get("proxy"):
            raise Refused("ftp is not fetched through a proxy")
        visit = FtpVisit(request.url, self._policy, timeout_s=self._timeout_s, max_bytes=self._max_bytes)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._timeout_s):
                status, kind, body = await loop.run_in_executor(self._threads, visit.answer)
        except TimeoutError as error:
            raise DownloadTimeoutError(f"{request.url} took longer than {self._timeout_s:g} s") from error
        except socket.gaierror as error:
            raise CannotResolveHostError(str(error)) from error
        except (OSError, EOFError, ftplib.Error) as error:
            raise DownloadFailedError(f"{type(error).__name__}: {error}") from error
        finally:
            visit.cut()  # a thread that waits for the server ends with its connections
        made = HtmlResponse if kind == "text/html" else TextResponse if status == 200 else Response
        return made(request.url, status=status, headers={"Content-Type": kind}, body=body, request=request)

    async def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class FtpVisit:
    """One request to a server, in a thread of its own.

    Parameters
    ----------
    timeout_s
        Of each wait for the server.
    max_bytes
        Of a text; a longer one is refused.
    """

    def __init__(self, url: str, policy: AddressPolicy, *, timeout_s: float, max_bytes: int) -> None:
        parts = urlsplit(url)
        self._name, self._port = parts.hostname or "", parts.port or ftplib.FTP_PORT
        # Bytes as they are: the names of a server are in any encoding.
        self._path = unquote_to_bytes(parts.path).decode("latin-1")
        self._policy = policy
        self._max_bytes = max_bytes
        self._ftp = ftplib.FTP(timeout=timeout_s, encoding="latin-1")  # noqa: S321 - it is asked for
        self._data: socket.socket | None = None
        self._cut = False

    def answer(self) -> tuple[int, str, bytes]:
        """Return status, content type and body, as http would have them."""
        if any(char in self._path for char in "\r\n\0"):
            raise Refused("line breaks in the path: commands to the server")
        is_folder = not self._path or self._path.endswith("/")
        kind = "text/html" if is_folder else guess_type(self._path)[0] or "text/plain"
        if not kind.startswith("text/"):
            raise Refused(f"content type {kind}")
        try:
            self._ftp.connect(self._address(), self._port)
            if self._cut:
                raise EOFError  # too late
            self._ftp.login()
            if is_folder:
                return 200, "text/html; charset=utf-8", self._listing()
            self._ftp.voidcmd("TYPE I")
            return 200, kind, self._received(f"RETR {self._path}")
        except (ftplib.error_perm, ftplib.error_temp) as error:
            reply = str(error)[:3]
            return _STATUSES.get(reply, 503), "text/plain", str(error)[:200].encode("latin-1", "replace")
        finally:
            self._ftp.close()
            if self._data is not None:
                self._data.close()

    def cut(self) -> None:
        """Cut the connections, whatever they wait for; the thread that has made them closes them."""
        self._cut = True
        for connection in (self._data, self._ftp.sock):
            if connection is not None:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _address(self) -> str:
        """Return an address of the server that may be contacted."""
        refusal = ""
        for *_, where in socket.getaddrinfo(self._name, self._port, type=socket.SOCK_STREAM):
            address = address_of(str(where[0]))
            if address is None:
                continue
            refusal = self._policy.address_refusal(address, name="" if address_of(self._name) else self._name)
            if not refusal:
                return str(address)
        raise Refused(refusal or "no address that can be contacted")

    def _listing(self) -> bytes:
        """Return a directory as a page of links."""
        self._ftp.cwd(self._path or "/")
        names = self._received("NLST").decode("latin-1").splitlines()[:_MOST_NAMES]
        links = []
        for name in names:
            last = name.rstrip("/").rpartition("/")[2]
            if last not in ("", ".", ".."):
                # `NLST` does not tell directories, and `LIST` has no form; what has no extension is taken for one.
                raw = last.encode("latin-1")
                href = quote(raw) + ("" if "." in last and not name.endswith("/") else "/")
                links.append(f'<li><a href="{escape(href)}">{escape(raw.decode("utf-8", "replace"))}</a></li>')
        title = escape(unquote_to_bytes(quote(self._path, safe="/", encoding="latin-1")).decode("utf-8", "replace"))
        page = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><ul>{''.join(links)}</ul></body></html>"
        return page.encode()

    def _received(self, command: str) -> bytes:
        data = self._data = self._ftp.transfercmd(command)
        body = bytearray()
        while block := data.recv(_BLOCK_BYTES):
            body += block
            if len(body) > self._max_bytes:
                raise Refused("too long")
        data.close()
        self._ftp.voidresp()
        return bytes(body)
