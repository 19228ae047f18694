"""Counts of the metadata that the links of a run had (docs/formulas.md A.1), and of what was site-wide.

They tell which heuristics a web can feed: one that reads titles finds little where one link in a hundred has a title.
Each process of a run notes its own when it ends, as an event; those of a process that was killed are lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from focuscrawl.page.model import Link, PageAnalysis

if TYPE_CHECKING:
    from focuscrawl.storage.reading import Notes, RunReader

EVENT = "link metadata"
FIELDS = (
    "href",
    "anchor text",
    "surrounding text",
    "name",
    "onmouseover",
    "src",
    "title",
    "image text",
    "map and area text",
    "frame text",
)
"""Fields in the order in which the source lists them (its figure 4.2), the commonest first."""
_WITH_HREF = frozenset({"a", "area", "link"})
_WITH_SRC = frozenset({"frame", "iframe", "img"})
_COLUMNS = attrgetter(
    *("tag", "surrounding_tokens", "src"),
    *("anchor", "name", "onmouseover", "title", "image_text", "area_text", "frame_text"),
)


class LinkMetadata:
    """Counts pages and links by the fields their links have."""

    def __init__(self) -> None:
        self.pages = 0
        self.links = 0
        self.with_field: Counter[str] = Counter()  # links
        self.pages_with: Counter[str] = Counter()  # pages with such a link
        self.site_wide_links = 0
        self.words = 0
        self.site_wide_words = 0

    def count(self, page: PageAnalysis, own: PageAnalysis) -> None:
        """Count a page; `own` is its own view, which knows what the host repeats."""
        self.pages += 1
        self.links += len(page.links)
        found = field_counts(page.links)
        self.with_field.update(found)
        self.pages_with.update(found.keys())
        self.words += len(page.tokens)
        self.site_wide_words += min(len(own.site_wide.tokens), len(page.tokens))
        self.site_wide_links += sum(map(own.site_wide.links.__contains__, [link.key for link in page.links]))

    def record(self, notes: Notes) -> None:
        """Note the counts with the run; nothing when no page was counted."""
        if self.pages:
            notes.add_event(EVENT, self._data())

    def _data(self) -> dict[str, object]:
        return {
            "pages": self.pages,
            "links": self.links,
            "with_field": dict(self.with_field),
            "pages_with": dict(self.pages_with),
            "site_wide_links": self.site_wide_links,
            "words": self.words,
            "site_wide_words": self.site_wide_words,
        }

    @classmethod
    def load(cls, db: RunReader) -> LinkMetadata:
        """Return the counts of all processes of a run together."""
        whole = cls()
        for event in db.events(EVENT):
            whole._add(event.data)
        return whole

    def _add(self, data: Mapping[str, object]) -> None:
        self.pages += _count(data, "pages")
        self.links += _count(data, "links")
        self.words += _count(data, "words")
        self.site_wide_links += _count(data, "site_wide_links")
        self.site_wide_words += _count(data, "site_wide_words")
        for name, counter in (("with_field", self.with_field), ("pages_with", self.pages_with)):
            values = data.get(name)
            if isinstance(values, Mapping):
                counter.update({field: count for field, count in values.items() if isinstance(count, int)})


def field_counts(links: Sequence[Link]) -> dict[str, int]:
    """Return how many of `links` have each field, in the order of `FIELDS`; fields that none has are left out."""
    if not links:
        return {}
    # Whole columns at a time take half as long as asking each link for each field.
    tags, around, sources, *texts = zip(*map(_COLUMNS, links), strict=True)
    count = len(links)
    anchor, name, onmouseover, title, image, area, frame = (count - column.count("") for column in texts)
    src = count - sources.count("")
    if not _WITH_SRC.isdisjoint(tags):
        src = sum(bool(source) or tag in _WITH_SRC for tag, source in zip(tags, sources, strict=True))
    href = sum(map(_WITH_HREF.__contains__, tags))
    counts = (href, anchor, count - around.count(()), name, onmouseover, src, title, image, area, frame)
    return {field: number for field, number in zip(FIELDS, counts, strict=True) if number}


def _count(data: Mapping[str, object], name: str) -> int:
    value = data.get(name)
    return value if isinstance(value, int) else 0
