"""The analysis of a crawl's pages: one set of choices and one memory of URLs for all of them."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.texts import UrlMemory
from focuscrawl.text.base import Tokenizer
from focuscrawl.topic.mentions import Mentions


class PageAnalyser:
    """Analyses the pages of a crawl, in its own process or beside it.

    Parameters
    ----------
    tokenizer
        Of the topic.
    mentioned
        Words that tell which links are kept of a page with too many -> weight, greater than 0.
    max_links, ftp
        As of `focuscrawl.page.analysis.analyse`.
    """

    def __init__(self, tokenizer: Tokenizer, mentioned: Mapping[str, float], *, max_links: int, ftp: bool) -> None:
        self.mentioned = mentioned
        self._tokenizer = tokenizer
        self._mentions = Mentions(mentioned)
        self._urls = UrlMemory()
        self._max_links = max_links
        self._ftp = ftp

    def analyse(self, body: bytes, url: str, content_type: str | None, *, follow_images: bool) -> PageAnalysis:
        """Return the analysis of an answer."""
        return analyse(
            body,
            url,
            content_type=content_type,
            tokenizer=self._tokenizer,
            max_links=self._max_links,
            follow_images=follow_images,
            urls=self._urls,
            prefer=self._mentions,
            ftp=self._ftp,
        )
