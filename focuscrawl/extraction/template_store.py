"""Templates of many feeds: learned as pages come in, checked, learned anew on drift (docs/formulas.md G.6)."""

from __future__ import annotations

import json
import logging
import time
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import etree

from focuscrawl.atomic_file import replacement
from focuscrawl.errors import StoreError, os_reason
from focuscrawl.extraction.base import Extraction, Extractor
from focuscrawl.extraction.feed_template import (
    NEWEST,
    Template,
    default_tokenizer,
    denies,
    is_valid,
    learn_template,
)
from focuscrawl.extraction.fields import page_fields
from focuscrawl.extraction.plain_extraction import extracted
from focuscrawl.extraction.thread_records import ThreadExtractor
from focuscrawl.feeds.entries import FeedEntry, ParsedFeed
from focuscrawl.feeds.matching import EntryIndex, host_name
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis, PageKind
from focuscrawl.types import Explained, HostKey, clip01, digest64

logger = logging.getLogger(__name__)

KEEP = 0.8  # factor of the exponential success rate
LEAST_RATE = 0.5
MAX_FAILURES = 2  # in a row
FIRST_BACK_OFF_S = 3600.0
MAX_BACK_OFF_S = 24 * 3600.0
# Pages held for learning, packed: a tree takes fifty times the memory, and there may be thousands of feeds.
_MAX_SAMPLES = 5
# Nearly all entries on one host: a feed of that site, the others are its guests.
_ONE_SITE = 0.8
_MAX_SITES = 100
# Feeds that are asked for a page, those that list it and others of its host: a site may have thousands of them.
_MOST_LISTING, _MOST_HOSTED = 5, 20
_PACKED_TYPE = "text/html; charset=utf-8"
_VERSION = 1


@dataclass(slots=True, eq=False)
class FeedTemplates:
    """State of one feed; of a feed that gathers many sites, of one site in it."""

    url: str
    title: str = ""
    site: HostKey = ""  # '' for a feed of one site
    domains: frozenset[str] = frozenset()  # whose pages it may speak for, none for those of any
    index: EntryIndex = field(default_factory=lambda: EntryIndex(()))
    entries: int = 0
    current: Template | None = None
    previous: Template | None = None
    rate: float = 1.0  # exponential success rate, in [0, 1]
    failures: int = 0  # in a row
    back_off_s: float = 0.0
    retry_at: float = 0.0  # Unix time before which no template is learned again
    seen: int = 0  # pages of entries: N_corpus
    extracted: int = 0  # of these, with text through a template
    correct: int = 0  # of these, in agreement with their entries
    samples: deque[tuple[FeedEntry, str, bytes]] = field(default_factory=lambda: deque(maxlen=_MAX_SAMPLES))
    train: int = NEWEST  # pages of entries that a template is learned from

    def learn_from(self, pages: int) -> None:
        """Set the number of pages of entries that a template is learned from."""
        self.train = pages
        self.samples = deque(self.samples, maxlen=max(_MAX_SAMPLES, pages))

    @property
    def key(self) -> str:
        """What tells it from the others of a store."""
        return f"{self.url}#{self.site}" if self.site else self.url

    @property
    def recall(self) -> float:
        """Share of the pages of entries that were extracted; 0 without any."""
        return self.extracted / self.seen if self.seen else 0.0

    @property
    def precision(self) -> float:
        """Share of the extracted pages that agree with their entries; 0 without any."""
        return self.correct / self.extracted if self.extracted else 0.0

    def extract(self, page: PageAnalysis, *, now: float) -> Extraction | None:
        """Return the main content of a page of the feed's site, None when no template fits it.

        The page of an entry checks the template and, when there is none that fits, is learned from.
        """
        entry = self.index.find(page.url)
        if entry is None:
            return self._first(page)
        self.index.add_host(page.url)
        self.seen += 1
        found = self.current.extract(page) if self.current is not None else None
        ok = is_valid(entry, found)
        if not ok and self.previous is not None:
            other = self.previous.extract(page)
            if is_valid(entry, other):
                # The site has gone back to its earlier layout, or has two.
                self.current, self.previous = self.previous, self.current
                found, ok = other, True
        if self.current is not None:
            self._count(ok)
        if not ok:
            self._keep(entry, page)
            if self._may_learn(now) and self._learn(now):
                assert self.current is not None
                found = self.current.extract(page)
                ok = is_valid(entry, found)
        self.extracted += found is not None
        self.correct += ok
        return found if ok else None

    def _first(self, page: PageAnalysis) -> Extraction | None:
        for template in (self.current, self.previous):
            found = template.extract(page) if template is not None else None
            if found is not None:
                return found
        return None

    def _keep(self, entry: FeedEntry, page: PageAnalysis) -> None:
        if page.tree is not None:
            html = etree.tostring(page.tree.root, encoding="utf-8", method="html")
            self.samples.append((entry, page.url, zlib.compress(html, level=1)))

    def _count(self, ok: bool) -> None:
        self.rate = KEEP * self.rate + (1.0 - KEEP) * ok
        self.failures = 0 if ok else self.failures + 1
        if ok:
            self.samples.clear()

    def _may_learn(self, now: float) -> bool:
        if now < self.retry_at:
            return False
        if self.current is None:
            return len(self.samples) >= min(self.train, self.entries)
        return self.failures >= MAX_FAILURES or self.rate < LEAST_RATE

    def _learn(self, now: float) -> bool:
        pages = [
            (entry, analyse(zlib.decompress(packed), url, content_type=_PACKED_TYPE, tokenizer=default_tokenizer()))
            for entry, url, packed in self.samples
        ]
        newest = sorted(pages, key=lambda pair: pair[0].published, reverse=True)
        learned = learn_template(newest, newest=self.train)
        if learned is None or not any(is_valid(entry, learned.extract(page)) for entry, page in newest):
            self.back_off_s = min(2.0 * self.back_off_s or FIRST_BACK_OFF_S, MAX_BACK_OFF_S)
            self.retry_at = now + self.back_off_s
            return False
        if self.current is not None:
            self.previous = self.current
        self.current = learned
        self.rate, self.failures = 1.0, 0
        self.back_off_s = self.retry_at = 0.0
        self.samples.clear()
        return True

    def fields(self) -> dict[str, object]:
        """Return what is kept between runs, as JSON-safe data."""
        return {
            "version": _VERSION,
            "feed": self.url,
            "site": self.site,
            "domains": sorted(self.domains),
            "title": self.title,
            "hosts": sorted(self.index.hosts),
            "current": self.current.fields() if self.current is not None else None,
            "previous": self.previous.fields() if self.previous is not None else None,
            "rate": self.rate,
            "failures": self.failures,
            "back_off_s": self.back_off_s,
            "retry_at": self.retry_at,
            "seen": self.seen,
            "extracted": self.extracted,
            "correct": self.correct,
            "recall": self.recall,
            "precision": self.precision,
        }

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> FeedTemplates:
        """Return the state kept as `fields`.

        Raises
        ------
        KeyError, TypeError, ValueError
            If they are not those of a feed.
        """
        state = cls(str(fields["feed"]), str(fields.get("title", "")), str(fields.get("site", "")))
        state.domains = frozenset(map(str, fields.get("domains", ())))
        state.index.hosts.update(map(str, fields.get("hosts", ())))
        for name in ("current", "previous"):
            if fields.get(name):
                setattr(state, name, Template.of(fields[name]))
        state.rate = clip01(float(fields.get("rate", 1.0)))
        state.failures = int(fields.get("failures", 0))
        state.back_off_s = min(float(fields.get("back_off_s", 0.0)), MAX_BACK_OFF_S)
        state.retry_at = float(fields.get("retry_at", 0.0))
        state.seen, state.extracted, state.correct = (int(fields.get(n, 0)) for n in ("seen", "extracted", "correct"))
        return state


class TemplateStore:
    """The feeds of a crawl, each in a file of its own below `folder`; None keeps them in memory only.

    Parameters
    ----------
    train
        Pages of entries that a template is learned from, fewer when a feed has fewer entries with text.
    """

    def __init__(
        self, folder: Path | None = None, *, clock: Callable[[], float] = time.time, train: int = NEWEST
    ) -> None:
        self.train = train
        self.folder = folder
        self.feeds: dict[str, FeedTemplates] = {}
        self._clock = clock
        self._changed: set[str] = set()
        self._by_host: dict[HostKey, list[FeedTemplates]] = {}

    def load(self) -> None:
        """Read what an earlier run learned; a file that cannot be read is left out with a warning."""
        if self.folder is None or not self.folder.is_dir():
            return
        for path in sorted(self.folder.glob("*.json")):
            try:
                fields = json.loads(path.read_bytes())
                state = FeedTemplates.of(fields)
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                logger.warning(
                    "%(path)s: no templates can be read from it (%(error)s); they are learned anew",
                    {"path": path, "error": f"{type(error).__name__}: {error}"},
                )
                continue
            state.learn_from(self.train)
            self.feeds[state.key] = state
            self._place(state)

    def add(self, feed: ParsedFeed, domains: frozenset[str] = frozenset()) -> None:
        """Note the entries of a feed that was fetched, again or for the first time.

        A feed that gathers pages of several sites has a template for each of the sites it lists most of.

        Parameters
        ----------
        domains
            Whose pages it may speak for, none for those of any; its entries are of these.
        """
        by_host: dict[HostKey, list[FeedEntry]] = {}
        for entry in feed.entries:
            by_host.setdefault(host_name(entry.link), []).append(entry)
        if max((len(entries) for entries in by_host.values()), default=0) >= _ONE_SITE * len(feed.entries):
            self._add(FeedTemplates(feed.url, domains=domains), feed.title, feed.entries)
            return
        for host, entries in sorted(by_host.items(), key=lambda pair: -len(pair[1]))[:_MAX_SITES]:
            self._add(FeedTemplates(feed.url, site=host, domains=domains), feed.title, entries)

    def _add(self, new: FeedTemplates, title: str, entries: Sequence[FeedEntry]) -> None:
        new.learn_from(self.train)
        state = self.feeds.setdefault(new.key, new)
        hosts, state.domains = state.index.hosts, new.domains
        state.title = title or state.title
        state.index = EntryIndex(entries)
        state.index.hosts |= hosts
        state.entries = sum(1 for entry in entries if entry.text)
        self._changed.add(state.key)
        self._place(state)

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content of a page by the template of its feed; None when it belongs to none, or none fits.

        The feeds that list the page are asked first, then those of its host.
        """
        near = self._by_host.get(host_name(page.url), ())
        listing = [state for state, _ in self._listing(page.url)]
        hosted = [state for state in near if state not in listing and state.current is not None][:_MOST_HOSTED]
        now = self._clock()
        best: Extraction | None = None
        for state in listing:
            self._changed.add(state.key)
            found = state.extract(page, now=now)
            best = best or found
        if best is not None:
            return best
        for state in hosted:
            found = state.extract(page, now=now)
            if found is not None:
                return found
        return None

    def domains_of(self, url: str) -> frozenset[str]:
        """Return the domains whose pages the feed at an address may speak for, none for those of any."""
        return next((state.domains for state in self.feeds.values() if state.url == url), frozenset())

    def has_feed_of(self, url: str) -> bool:
        """Tell whether a feed is known that has to do with the host of a page."""
        return host_name(url) in self._by_host

    def denies(self, page: PageAnalysis) -> str:
        """Say why a page cannot be what a feed lists at its address, '' when it may be or no feed lists it."""
        reason = ""
        for _, entry in self._listing(page.url):
            reason = denies(entry, page)
            if not reason:
                return ""
        return reason

    def _listing(self, url: str) -> list[tuple[FeedTemplates, FeedEntry]]:
        """Return the feeds that list a page, the first few, with what each has of it."""
        found = ((state, state.index.find(url)) for state in self._by_host.get(host_name(url), ()))
        return list(islice(((state, entry) for state, entry in found if entry is not None), _MOST_LISTING))

    def _place(self, state: FeedTemplates) -> None:
        """Note on which hosts a feed's pages are: those of its entries, and its own, for feeds with wrong links."""
        for host in (*state.index.hosts, state.site or host_name(state.url)):
            states = self._by_host.setdefault(host, [])
            if state not in states:
                states.append(state)

    def save(self) -> None:
        """Write what has changed; each file is replaced as a whole.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        if self.folder is None or not self._changed:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for key in sorted(self._changed):
                path = self.folder / f"{digest64(key):016x}.json"
                text = json.dumps(self.feeds[key].fields(), ensure_ascii=False, indent=1)
                with replacement(path) as file:
                    file.write(f"{text}\n".encode())
        except OSError as error:
            why = os_reason(error)
            raise StoreError(f"{self.folder}: templates cannot be written: {why}.") from error
        self._changed.clear()


def with_page_fields(found: Extraction, page: PageAnalysis) -> Extraction:
    """Return what a template found with what it has no place for, or did not find: author, tags, time of the day."""
    fields = page_fields(page)
    published = found.published or fields.published
    if published and (fields.published or "").startswith(published):
        published = fields.published  # with its time
    return replace(
        found,
        title=found.title or fields.title,
        published=published,
        author=fields.author,
        category=found.category or fields.category,
        tags=fields.tags,
    )


class TemplateExtractor:
    """Tries the templates of the page's feed first, then another extractor."""

    name = "feed_template"

    def __init__(self, store: TemplateStore, fallback: Extractor) -> None:
        self.store = store
        self.fallback = fallback

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content by a template, or by the other extractor where none fits.

        Empty, with the reason, when the page is listed in a feed and cannot be what its entry is about.
        """
        found = self.store.extract(page)
        if found is not None:
            # A feed of threads has a message of each, and its template finds the block around all of them.
            if page.kind is PageKind.MULTI_BODY or page.own_messages > 1:
                posts = extracted(self.fallback, page)
                if posts is not None and posts.method == ThreadExtractor.name:
                    return posts
            return with_page_fields(found, page)
        reason = self.store.denies(page)
        if reason:
            return Extraction(self.name, "", title=page.title, confidence=Explained(0.0, {}, reason))
        return extracted(self.fallback, page)
