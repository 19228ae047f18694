"""``focuscrawl extract --feed``: templates from the entries of a feed and the pages of a list, tried first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from focuscrawl.cli.extract import DEFAULT_METHOD, Extracted, page_extractor, page_tokenizer, read_page
from focuscrawl.errors import FocusCrawlError, StoreError, os_reason
from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.feed_template import METHOD, NOISE_PAGES, Template, denies, is_valid, learn_template
from focuscrawl.extraction.plain_extraction import extracted_or_told
from focuscrawl.extraction.template_store import with_page_fields
from focuscrawl.feeds.entries import MAX_BYTES, FeedEntry, ParsedFeed, parse_feed
from focuscrawl.feeds.matching import EntryIndex, host_name
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.types import Explained, HostKey

# Pages looked at for ten to learn from: entries may have no text, pages may be gone.
_MAX_TRIED = 40
_LEAST_OTHERS = 2
_MAX_TEMPLATES = 3  # layouts a site may have had while its feed was written
_CHECKED_CHARS = 2000  # of an entry's text; they are sent to each process


@dataclass(frozen=True, slots=True)
class FeedMethod:
    """Templates of each host, best first, and the entries that check them; small, for they are sent to each process."""

    templates: Mapping[HostKey, tuple[Template, ...]]
    index: EntryIndex

    def extract(self, body: bytes, url: str, *, method: str | None, model: Path | None = None) -> Extracted:
        """Return the main content of a page by a template, by the extractor `method` where none fits.

        A template fits the page of an entry when what it finds agrees with the entry (docs/formulas.md G.6). Nothing is
        returned for a page that cannot be what its entry is about.
        """
        page = analyse(body, url, tokenizer=page_tokenizer())
        templates = self.templates.get(host_name(url), ())
        if not url.lower().startswith("http") and len(self.templates) == 1:
            # A page of the list whose address is not given is taken for one of the feed's when its layout is.
            templates = next(iter(self.templates.values()))
        entry = self.index.find(url)
        for template in templates:
            found = template.extract(page)
            if found is not None and (entry is None or is_valid(entry, found)):
                return Extracted(page, METHOD, with_page_fields(found, page))
        reason = denies(entry, page) if entry is not None else ""
        if reason:
            nothing = Extraction(METHOD, "", title=page.title, confidence=Explained(0.0, {}, reason))
            return Extracted(page, METHOD, nothing)
        name = method or DEFAULT_METHOD
        return Extracted(page, name, extracted_or_told(page_extractor(name, model), page, name))


def read_feed(path: Path) -> ParsedFeed:
    """Return the feed in a file.

    Raises
    ------
    StoreError
        If it cannot be read, or is no feed.
    """
    try:
        with path.open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {os_reason(error)}.") from error
    feed = parse_feed(body, path.absolute().as_uri())
    if not feed.entries:
        raise StoreError(f"{path}: an RSS or Atom feed with entries is expected: {feed.reason}.")
    return feed


def learn_from_list(
    feed: ParsedFeed, lines: Iterable[bytes], *, resolve: Callable[[str], Path]
) -> tuple[FeedMethod | None, str]:
    """Return the template learned from the pages of a list that the feed has entries of, or None and the reason.

    Parameters
    ----------
    lines
        Lines of the list; those that are broken are left for later, when each is reported.
    resolve
        Finds the file of a line.
    """
    index = EntryIndex(feed.entries)
    pages: dict[FeedEntry, tuple[str, str]] = {}
    for line in lines:
        with suppress(ValueError):
            task = json.loads(line)
            if not isinstance(task, dict):
                continue
            url, file = task.get("url"), task.get("file")
            if isinstance(url, str) and isinstance(file, str) and (entry := index.find(url)) is not None:
                pages.setdefault(entry, (file, url))
    if not pages:
        return None, "no page of the list is in the feed"
    by_host: dict[HostKey, list[FeedEntry]] = {}
    for entry in feed.entries:
        if entry in pages and entry.text:
            by_host.setdefault(host_name(pages[entry][1]), []).append(entry)
    if not by_host:
        return None, "its entries have no text"
    templates = {}
    for host, entries in by_host.items():
        found = _templates(_read(entries, pages, resolve))
        if found:
            templates[host] = found
    if not templates:
        return None, "no page of an entry holds its text"
    checked = [replace(entry, text=entry.text[:_CHECKED_CHARS]) for entry in pages]
    return FeedMethod(templates, EntryIndex(checked)), ""


def _read(
    entries: Sequence[FeedEntry], pages: Mapping[FeedEntry, tuple[str, str]], resolve: Callable[[str], Path]
) -> Iterator[tuple[FeedEntry, PageAnalysis]]:
    for entry in entries[:_MAX_TRIED]:
        file, url = pages[entry]
        with suppress(FocusCrawlError):
            yield entry, analyse(read_page(resolve(file)), url, tokenizer=page_tokenizer())


def _templates(pages: Iterable[tuple[FeedEntry, PageAnalysis]]) -> tuple[Template, ...]:
    """Return the templates of a site, that of the newest entries first.

    Ten pages teach one; the entries after them check it. A site may have two layouts, or have changed it in the middle
    of the feed: those that disagree teach the next.
    """
    templates: list[Template] = []
    waiting: list[tuple[FeedEntry, PageAnalysis]] = []
    for entry, page in pages:
        if any(is_valid(entry, template.extract(page)) for template in templates):
            continue
        if learn_template([(entry, page)]) is not None:
            waiting.append((entry, page))
        if len(waiting) == NOISE_PAGES:
            waiting = _learned(waiting, templates)
        if len(templates) >= _MAX_TEMPLATES:
            break
    while waiting and len(templates) < _MAX_TEMPLATES and (len(waiting) >= _LEAST_OTHERS or not templates):
        before = len(waiting)
        waiting = _learned(waiting, templates)
        if len(waiting) == before:
            break
    return tuple(templates)


def _learned(
    pages: Sequence[tuple[FeedEntry, PageAnalysis]], templates: list[Template]
) -> list[tuple[FeedEntry, PageAnalysis]]:
    """Learn a template more, and return the pages it does not do for."""
    template = learn_template(pages)
    if template is None:
        return []
    others = [(entry, page) for entry, page in pages if not is_valid(entry, template.extract(page))]
    if len(others) < len(pages) or not templates:
        templates.append(template)
    return others
