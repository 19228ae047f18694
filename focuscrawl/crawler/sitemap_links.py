"""Links of a host that its sitemaps name: few are kept of many, by their URLs and by how new they are.

A sitemap says nothing of a page but its address and when it was changed. So its links are ranked as queued links are
when a topic changes, by the words of their URLs and by what is known of their groups; of two that are equal the newer
comes first. A host that names a million pages must not fill the queue: of the first 50,000 the best 1,000 are queued.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappush, heappushpop

from focuscrawl.crawler.page_records import origin_of
from focuscrawl.crawler.rescoring import rank_anew
from focuscrawl.crawler.step import PageStep
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.ranking.base import last_in_line
from focuscrawl.records import Entry, Origin
from focuscrawl.types import HostKey, UrlKey

MOST_URLS = 50_000
"""URLs of a host that are considered."""
MOST_KEPT = 1_000
"""URLs of a host that are queued."""
_SLICE = 50  # links ranked at once: some milliseconds


@dataclass(frozen=True, slots=True)
class SitemapUrl:
    """A normalised address in a sitemap, and when it says its page was changed (W3C date; "" for unknown)."""

    url: str
    modified: str = ""


class SitemapLinks:
    """The best links of a host's sitemaps.

    Parameters
    ----------
    host
        Of the sitemaps: addresses of other hosts are left out, whoever named them.
    """

    def __init__(self, host: HostKey, *, most_urls: int = MOST_URLS, most_kept: int = MOST_KEPT) -> None:
        self.host = host
        self.considered = 0
        self._most_urls = most_urls
        self._most_kept = most_kept
        self._seen: set[UrlKey] = set()
        self._place = 0
        self._best: list[tuple[float, str, int, Entry]] = []  # (score, modified, -place, entry), the worst first

    @property
    def full(self) -> bool:
        """Tell whether as many addresses have been considered as ever are."""
        return self.considered >= self._most_urls

    async def add(self, step: PageStep, urls: Sequence[SitemapUrl], sitemap: str) -> None:
        """Consider the addresses of one sitemap, a few at a time beside the crawl.

        Parameters
        ----------
        step
            Ranks them.
        urls
            The addresses.
        sitemap
            Normalised URL of the sitemap, which their origin names.
        """
        parent = url_key(sitemap)
        for at in range(0, len(urls), _SLICE):
            if self.full:
                return
            some = urls[at : at + _SLICE][: self._most_urls - self.considered]
            self.considered += len(some)
            self._rank(step, some, Origin(parent=parent, parent_url=sitemap))
            await asyncio.sleep(0)

    def best(self) -> list[Entry]:
        """Return the links to queue, the best first."""
        return [entry for _, _, _, entry in sorted(self._best, key=lambda item: item[:3], reverse=True)]

    def _rank(self, step: PageStep, urls: Sequence[SitemapUrl], origin: Origin) -> None:
        entries: list[Entry] = []
        modified: list[str] = []
        for one in urls:
            url = one.url
            if host_of(url) != self.host:
                continue
            key = url_key(url)
            if key in self._seen or step.scope.refusal(url, self.host, 1) or step.budgets.refusal(url, self.host):
                continue
            self._seen.add(key)
            entries.append(Entry(url, key, self.host, 0.0, depth=1, tunnel=1, origin=origin))
            modified.append(one.modified)
        for entry, when, ranked in zip(entries, modified, rank_anew(step, entries), strict=True):
            if not ranked.keep:
                continue
            waits = step.budgets.last_in_line(entry.url, entry.host, entry.tunnel)
            place = last_in_line(ranked, waits) if waits else ranked
            told = origin_of(None, origin.parent, "", place)
            kept = replace(
                entry,
                score=place.score.value,
                group=place.group,
                origin=replace(told, parent_url=origin.parent_url, reason=_reason(told.reason, when)),
            )
            self._place -= 1
            item = (kept.score, when, self._place, kept)
            if len(self._best) < self._most_kept:
                heappush(self._best, item)
            else:
                heappushpop(self._best, item)


def _reason(reason: str, modified: str) -> str:
    return f"{reason}; in a sitemap" + (f", changed {modified[:10]}" if modified else "")
