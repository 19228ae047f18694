"""Feeds in a crawl: entries go to the frontier, listed pages are read with the feed's templates.

Works on a `PageStep`: judging, duplicates, records and settlements of pages are its own. In a crawl of feeds links of
pages are not followed; of a seed page the feeds it announces are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from focuscrawl.crawler.feed_judgement import judged_feed
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.crawler.visit_records import first_visit, text_digest
from focuscrawl.extraction.template_store import TemplateExtractor, TemplateStore
from focuscrawl.feeds.discover import discover, is_feed, is_of_comments
from focuscrawl.feeds.entries import FeedEntry, ParsedFeed, parse_feed
from focuscrawl.page.aliases import keys_of
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.urls import host_of, normalize_url, registered_domain, url_key
from focuscrawl.records import Entry, Lease, Origin, Outcome, PageEvent, PageRecord, Settlement, record_of
from focuscrawl.types import HostKey, UrlKey, clip01

_MAX_FEEDS = 3  # of one page; more are feeds of its tags and authors, with the same entries
# In a focused crawl a feed costs a fetch of its host's time. It pays on a host that has given so many results: their
# siblings are listed in it, and read better with its template.
_RESULTS_FIRST = 3
_FEEDS_A_HOST = 2
_MAX_HOSTS = 50_000  # counted; a crawl of more has lost its focus
_NEWEST = 1.0
_SIMILARITY_CHARS = 2000  # of an entry's text; more hardly changes what it is about
_OLDEST = 0.5  # the newest entries go first: templates are learned from them


@dataclass(frozen=True, slots=True)
class ReadFeed:
    """A feed that was read before its answer is processed."""

    feed: ParsedFeed
    step: PageStep  # whose topic the entries were compared with
    similarities: Sequence[float] = ()  # of the entries to the topic, in [0, 1], where they are queued by it


class FeedStep:
    """Turns answers that may be feeds into settlements; one instance a crawl, as `PageStep`.

    Parameters
    ----------
    by_topic
        Entries are queued by the similarity of their titles and texts to the topic, not newest first.
    collect
        Feeds are results, too: each is judged, and all that pages on the topic announce are read.
    """

    def __init__(self, step: PageStep, store: TemplateStore, *, by_topic: bool = False, collect: bool = False) -> None:
        self.collect = collect
        self.step = step
        self.store = store
        self.by_topic = by_topic
        self._results: Counter[HostKey] = Counter()
        self._asked: dict[HostKey, set[UrlKey]] = {}
        step.extractor = TemplateExtractor(store, step.extractor)

    def process(self, fetched: Fetched, lease: Lease) -> StepResult:
        """Return what an answer yields; one that cannot be read yields a record with the reason, never an error."""
        result = self.feed(fetched, lease)
        if result is not None:
            return result
        step = self.step
        page = step.analysed(fetched, follow_images=False)  # links of pages are not followed
        result = step.process_analysed(page, fetched, lease)
        feeds: list[Entry] = []
        if lease.entry.depth == 0:
            announced = [(feed.url, feed.title) for feed in discover(page)[:_MAX_FEEDS]]
            feeds = self._entries(announced, lease, scores=[_NEWEST] * len(announced), is_feed_link=True)
        return replace(result, settlement=replace(result.settlement, found=feeds))

    def follow(self, fetched: Fetched, lease: Lease) -> StepResult:
        """Return what an answer of a focused crawl yields: of a feed its entries, of a page its links.

        A feed that a result announces is queued with the score of the result when its host has given a few, at most two
        a host; it waits for its host's delay as all do.
        """
        result = self.feed(fetched, lease)
        if result is not None:
            return result
        step = self.step
        page = step.analysed(fetched)
        result = step.process_analysed(page, fetched, lease)
        if not (result.record.relevant if self.collect else result.item_wanted):
            return result
        feeds = self._all_announced(page, lease) if self.collect else self._worth_reading(page, lease)
        if not feeds:
            return result
        settlement = replace(result.settlement, found=[*result.settlement.found, *feeds])
        return replace(result, settlement=settlement)

    def _all_announced(self, page: PageAnalysis, lease: Lease) -> list[Entry]:
        announced = [(feed.url, feed.title) for feed in discover(page)[:_MAX_FEEDS] if not is_of_comments(feed)]
        return self._entries(announced, lease, scores=[lease.entry.score] * len(announced), is_feed_link=True)

    def _worth_reading(self, page: PageAnalysis, lease: Lease) -> list[Entry]:
        host = page.host
        if host in self._results or len(self._results) < _MAX_HOSTS:
            self._results[host] += 1
        asked = self._asked.get(host, set())
        if self._results[host] < _RESULTS_FIRST or len(asked) >= _FEEDS_A_HOST:
            return []
        announced = [
            (feed.url, feed.title)
            for feed in discover(page)[:_MAX_FEEDS]
            if url_key(feed.url) not in asked and not is_of_comments(feed)
        ][: _FEEDS_A_HOST - len(asked)]
        found = self._entries(announced, lease, scores=[lease.entry.score] * len(announced), is_feed_link=True)
        if found:
            self._asked.setdefault(host, set()).update(entry.key for entry in found)
        return found

    def read_again(self, fetched: Fetched, url: str) -> list[Entry]:
        """Return the entries of a feed that was read before, in an earlier run; the frontier knows which are new.

        Parameters
        ----------
        url
            Of the feed, as the store has it.
        """
        read = fetched.feed or self._read(fetched)
        domains = self.store.domains_of(url)
        if domains:
            domains |= {registered_domain(host_of(fetched.url))}
        self._add(read.feed, domains)
        return self._listed(read, None)

    def feed(self, fetched: Fetched, lease: Lease) -> StepResult | None:
        """Return what a feed yields, None for an answer that is none."""
        if not is_feed(fetched.body, content_type=fetched.content_type):
            return None
        step, entry = self.step, lease.entry
        read = fetched.feed or self._read(fetched)
        feed = read.feed
        self._add(feed, self._domains(fetched, entry))
        found = self._listed(read, lease)
        record = self._record(feed, fetched, lease)
        if self.collect:
            record = judged_feed(step, feed, record)
        step.counters.judged(entry.host, relevant=record.relevant, threshold=record.threshold)
        settlement = Settlement(
            lease,
            Outcome.DONE,
            found=found,
            also=_aliases(fetched, entry.key),
            edges=[one.key for one in found],
            record=record,
            event=self._counted(fetched, entry),
            visit=first_visit(entry.key, fetched, text_digest([part for one in feed.entries for part in _told(one)])),
        )
        return StepResult(settlement, record, item_wanted=record.relevant)

    def _add(self, feed: ParsedFeed, domains: frozenset[str]) -> None:
        """Note the entries of a feed whose pages it may speak for: how they are read, and that one is not there."""
        of_any = not domains
        own = tuple(one for one in feed.entries if of_any or registered_domain(host_of(one.link)) in domains)
        if own:
            self.store.add(replace(feed, entries=own), domains)

    def _domains(self, fetched: Fetched, entry: Entry) -> frozenset[str]:
        """Return the domains whose pages a feed may speak for, none for those of any.

        Those are the pages of its own domain, and of the site that announced it, whose feed may be kept elsewhere.
        A crawl of feeds takes the word of those that the user named, or that a page did which the user named.
        """
        if entry.depth <= (0 if self.by_topic else 1):
            return frozenset()
        addresses = [fetched.url, entry.url, *([entry.origin.parent_url] if entry.origin.feed else [])]
        return frozenset(registered_domain(host_of(url)) for url in addresses)

    def _counted(self, fetched: Fetched, entry: Entry) -> PageEvent:
        """Count a feed as a page without a find, once: it is read again and again.

        One that a feed lists repeats others, so that links like its own wait: feeds of nothing but feeds have no end.
        """
        in_feed = entry.origin.parent in self.step.feeds
        parent_url = entry.origin.parent_url
        event = PageEvent(url=fetched.url, host=entry.host, key=entry.key, repeats=in_feed, parent_url=parent_url)
        if entry.key not in self.step.feeds:
            self.step.feeds.add(entry.key)
            self.step.budgets.learn(event)
            self.step.budgets.tried(entry.url, entry.host, host_of(parent_url), gave_page=True)
        return event

    def similarities(self, entries: Sequence[FeedEntry]) -> list[float]:
        """Return the similarity of each entry to the topic, in [0, 1]."""
        topic = self.step.topic
        texts = [topic.tokens(f"{entry.title} {entry.text[:_SIMILARITY_CHARS]}") for entry in entries]
        return [clip01(float(value)) for value in topic.similarity(texts)]

    def _read(self, fetched: Fetched) -> ReadFeed:
        feed = parse_feed(fetched.body, fetched.url, content_type=fetched.content_type)
        return ReadFeed(feed, self.step, self.similarities(feed.entries) if self.by_topic else ())

    def _listed(self, read: ReadFeed, lease: Lease | None) -> list[Entry]:
        entries = read.feed.entries
        if not self.by_topic:
            last = max(1, len(entries) - 1)
            scores = [_NEWEST - (_NEWEST - _OLDEST) * at / last for at in range(len(entries))]
        elif read.step is self.step:
            scores = list(read.similarities)
        else:  # the topic has changed since it was read
            scores = self.similarities(entries)
        return self._entries([(entry.link, entry.title) for entry in entries], lease, scores=scores)

    def _entries(
        self,
        links: Iterable[tuple[str, str]],
        lease: Lease | None,
        *,
        scores: Sequence[float],
        is_feed_link: bool = False,
    ) -> list[Entry]:
        depth = lease.entry.depth + 1 if lease is not None else 1
        tunnel = lease.entry.tunnel if lease is not None else 0
        found: dict[UrlKey, Entry] = {}
        for (link, title), score in zip(links, scores, strict=True):
            url = normalize_url(link, link)
            if url is None:
                continue
            key, host = url_key(url), host_of(url)
            if self.step.scope.refusal(url, host, depth) or self.step.budgets.spent(url, host)[0]:
                continue
            origin = Origin(
                parent=lease.entry.key if lease is not None else None,
                parent_url=lease.entry.url if lease is not None else "",
                anchor=title,
                reason="announced feed" if is_feed_link else "listed in a feed",
                feed=is_feed_link,
            )
            found.setdefault(key, Entry(url, key, host, score, depth=depth, tunnel=tunnel, origin=origin))
        return list(found.values())

    def _record(self, feed: ParsedFeed, fetched: Fetched, lease: Lease) -> PageRecord:
        return replace(
            record_of(lease),
            final_url=fetched.url,
            fetched_at=fetched.fetched_at,
            status=fetched.status,
            title=feed.title,
            tunnel=0,
            parts={},
            reason=_reason(feed),
            body_bytes=len(fetched.body),
            tls=fetched.tls,
            content_type=fetched.media_type,
            feed=True,
        )


def _reason(feed: ParsedFeed) -> str:
    if not feed.entries:
        return f"a feed: {feed.reason}"
    count = len(feed.entries)
    return "a feed of 1 entry" if count == 1 else f"a feed of {count} entries"


def _aliases(fetched: Fetched, key: UrlKey) -> list[UrlKey]:
    return sorted(keys_of((*fetched.redirects, fetched.url)) - {key})


def _told(entry: FeedEntry) -> tuple[str, str, str]:
    return entry.link, entry.title, entry.text
