"""Redirects and refreshes to what cannot be read as a URL: Scrapy fails with a ValueError there, the page with it."""

from __future__ import annotations

from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.http import Request, Response

from focuscrawl.crawler.redirects import NO_URL
from focuscrawl.glue.failures import Refused
from focuscrawl.glue.requests import lease_of, note_redirect


class CheckedRedirectMiddleware(RedirectMiddleware):
    """Follows redirects as Scrapy does."""

    def process_response(  # type: ignore[override]  # without the spider, which is no longer asked for
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the request of the target, or the answer where there is none.

        Raises
        ------
        Refused
            If the target of a leased link cannot be read.
        """
        leased = lease_of(request) is not None
        try:
            target = super().process_response(request, response)
        except ValueError as error:
            if leased:
                raise Refused(NO_URL) from error
            return response  # for a robots.txt it is an answer without one
        if leased and isinstance(target, Request):
            note_redirect(request, response, target)
        return target


class CheckedRefreshMiddleware(MetaRefreshMiddleware):
    """Follows refreshes as Scrapy does."""

    def process_response(  # type: ignore[override]  # without the spider, which is no longer asked for
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the request of the target, or the page where there is none that can be read."""
        try:
            return super().process_response(request, response)
        except ValueError:
            return response
