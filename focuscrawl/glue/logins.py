"""Logins and proxies by site: put on a request when it is sent, taken off when a redirect leads elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from w3lib.http import basic_auth_header

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.logins import Logins

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request

_OURS = "focuscrawl_site_access"  # meta: what a redirect must not take along


class LoginMiddleware:
    """Sends a password to its own site only; see `Logins`."""

    def __init__(self, crawler: Crawler) -> None:
        path = FocusConfig.from_settings(crawler.settings).logins
        if not path:
            raise NotConfigured
        self.logins = Logins.load(Path(path))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LoginMiddleware:
        """Build the middleware."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Put the access of its site on a request, and take off that of another site."""
        for name in request.meta.pop(_OURS, ()):
            request.meta.pop(name, None)
            request.headers.pop(name, None)
        access = self.logins.of(request.url)
        if access is None:
            return
        if access.user:
            request.headers["Authorization"] = basic_auth_header(access.user, access.password, "utf-8")
            request.meta[_OURS] = ["Authorization"]
        if access.proxy:
            request.meta["proxy"] = access.proxy
            request.meta[_OURS] = [*request.meta.get(_OURS, ()), "proxy"]
