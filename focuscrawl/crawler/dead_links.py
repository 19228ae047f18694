"""Links that give no page: those of spaces nearly all of whose fetches gave none wait behind all others.

A fetch without a page costs none of the crawl's pages, so a site could name gone pages for ever, each by the words of
the topic, and have them all asked for before the next real page. A space is told by its addresses (`url_spaces`) or is
a whole domain, and a site that links to ever new domains is told by itself. Each process goes by its own fetches.
"""

from __future__ import annotations

from focuscrawl.crawler.repeats import Repeats, SpaceRepeats

LEAST_FETCHES = 100
"""Without a page, before anything is said of a space."""
SHARE = 0.98
"""Of a space's fetches: an old list of links of which nearly all are gone still leads to the others."""
_MAX_DOMAINS = 200_000


class DeadLinks:
    """Counts of fetches that gave no page, by space and by the domain that had the link."""

    def __init__(self) -> None:
        never = Repeats(least=LEAST_FETCHES, share=1.0)  # of domains that never gave a page
        self._dead = SpaceRepeats(Repeats(least=LEAST_FETCHES, share=SHARE), never)
        self._sources = Repeats(least=LEAST_FETCHES, share=SHARE)
        self._domains: set[str] = set()

    def fetched(self, url: str, domain: str, source: str, *, gave_page: bool) -> None:
        """Count a fetch.

        Parameters
        ----------
        url, domain
            Of the link, before redirects.
        source
            Domain of the page that had the link, '' for none. It counts once for each domain that it was the first to
            lead to: everybody links to the same few sites that let nobody in.
        """
        self._dead.fetched(url, domain, repeats=not gave_page)
        if source and source != domain and domain not in self._domains:
            self._sources.fetched((source,), repeats=not gave_page, found=False)
        if len(self._domains) >= _MAX_DOMAINS:
            self._domains.clear()
        self._domains.add(domain)

    def behind(self, url: str, domain: str, source: str) -> str:
        """Return why a link waits behind all others, '' when it does not; parameters as those of `fetched`."""
        if space := self._dead.behind(url, domain):
            return f"no fetch of {domain} gave a page" if space == domain else f"fetches of {space} mostly gave no page"
        if source and source != domain and domain not in self._domains and self._sources.behind((source,)):
            return f"{source} mostly links to other sites that give no page"
        return ""
