"""``focuscrawl extract --feed``: templates from the entries of a feed and the pages of a list, tried first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from focuscrawl.cli.extract import DEFAULT_METHOD, Extracted, page_extractor, page_tokenizer, read_page
from focuscrawl.errors import FocusCrawlError, StoreError
from focuscrawl.extraction.feed_template import METHOD, NOISE_PAGES, Template, is_valid, learn_template
from focuscrawl.feeds.entries import MAX_BYTES, FeedEntry, ParsedFeed, parse_feed
from focuscrawl.feeds.matching import EntryIndex, host_name
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.types import HostKey

# Pages looked at for ten to learn from: entries may have no text, pages may be gone.
_MAX_TRIED = 40
_LEAST_OTHERS = 2


@dataclass(frozen=True, slots=True)
class FeedMethod:
    """Templates of each host, best first; small, for they are sent to each process."""

    templates: Mapping[HostKey, tuple[Template, ...]]

    def extract(self, body: bytes, url: str, *, method: str | None, model: Path | None = None) -> Extracted:
        """Return the main content of a page by a template, by the extractor `method` where none fits."""
        page = analyse(body, url, tokenizer=page_tokenizer())
        templates = self.templates.get(host_name(url), ())
        if not url.lower().startswith("http") and len(self.templates) == 1:
            # A page of the list whose address is not given is taken for one of the feed's when its layout is.
            templates = next(iter(self.templates.values()))
        for template in templates:
            found = template.extract(page)
            if found is not None:
                return Extracted(page, METHOD, found)
        name = method or DEFAULT_METHOD
        return Extracted(page, name, page_extractor(name, model).extract(page))


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
        raise StoreError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}.") from error
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
        learned: list[tuple[FeedEntry, PageAnalysis]] = []
        for entry in entries[:_MAX_TRIED]:
            if len(learned) >= NOISE_PAGES:
                break
            file, url = pages[entry]
            with suppress(FocusCrawlError):
                page = analyse(read_page(resolve(file)), url, tokenizer=page_tokenizer())
                if learn_template([(entry, page)]) is not None:
                    learned.append((entry, page))
        found = _templates(learned)
        if found:
            templates[host] = found
    return (FeedMethod(templates), "") if templates else (None, "no page of an entry holds its text")


def _templates(learned: Sequence[tuple[FeedEntry, PageAnalysis]]) -> tuple[Template, ...]:
    template = learn_template(learned)
    if template is None:
        return ()
    # A site may have two layouts, or have changed it in the middle of the feed.
    others = [(entry, page) for entry, page in learned if not is_valid(entry, template.extract(page))]
    second = learn_template(others) if len(others) >= _LEAST_OTHERS else None
    return (template,) if second is None else (template, second)
