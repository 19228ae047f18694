"""Relevant pages as they come: title, address for people, score, and a snippet with the topic's words marked."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from focuscrawl.page.readable_url import readable_url
from focuscrawl.records import PageRecord
from focuscrawl.report.read import snippet
from focuscrawl.storage.keys import hex_key
from focuscrawl.storage.reading import PageQuery, RunReader
from focuscrawl.teaching.candidates import kept_text
from focuscrawl.topic.word_finder import word_finder

SHOWN = 40
_AT_ONCE = 10
"""Read of one reader at a time: of a fast crawl the last ones are shown, the others are in the search."""
_BEFORE = 60  # characters of a snippet before the first word of the topic
_CHARS = 1_200
_NEW = (
    "SELECT number FROM pages WHERE number > ? AND outcome = 'done' AND relevant AND duplicate_of IS NULL"
    " ORDER BY number DESC LIMIT ?"
)


class Finds:
    """The last relevant pages of a run, each with a number that rises."""

    def __init__(self) -> None:
        self._upto: dict[str, int] = {}
        self._finds: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._count = 0

    def read(self, readers: Sequence[RunReader]) -> None:
        """Take what is new."""
        new: list[PageRecord] = []
        for reader in readers:
            known = self._upto.get(reader.place)
            numbers = [n for (n,) in reader.select(_NEW, (known or 0, SHOWN if known is None else _AT_ONCE))]
            if numbers or known is None:
                self._upto[reader.place] = max(numbers, default=0)
            for number in numbers:
                new += reader.pages(PageQuery(after=number - 1, limit=1))
        for record in sorted(new, key=lambda record: record.fetched_at):
            self._count += 1
            self._finds.append({"n": self._count, **page_line(record)})

    def since(self, number: int) -> list[dict[str, Any]]:
        """Return the finds after a number, the oldest first."""
        return [find for find in self._finds if find["n"] > number]


def page_line(record: PageRecord) -> dict[str, Any]:
    """Return a page as the dashboard lists it."""
    words = [word for place in record.evidence.values() for word in place]
    return {
        "key": hex_key(record.key),
        "url": record.final_url,
        "shown": readable_url(record.final_url),
        "host": readable_url(f"http://{record.host}").removeprefix("http://"),
        "title": marked(" ".join(record.title.split()), words),
        "snippet": marked(telling_part(kept_text(record), words), words),
        "language": record.language,
        "relevance": round(record.relevance, 4),
        "threshold": round(record.threshold, 4),
        "relevant": record.relevant,
        "at": record.fetched_at,
        "kept": bool(kept_text(record)),
        "no_text": _no_text(record),
    }


def _no_text(record: PageRecord) -> str:
    """Return why there is no text to show of a page, a name of `wording.dashboard.NO_TEXT`; '' where there is one."""
    if kept_text(record):
        return ""
    return record.not_stored or ("none" if record.relevant else "far")


def telling_part(text: str, words: Sequence[str]) -> str:
    """Return the part of a text where the first word of the topic stands, on one line; its beginning without one."""
    finder = word_finder(words, text)
    found = finder.search(text) if finder is not None else None
    if found is None or found.start() <= _BEFORE * 2:
        return snippet(text[:_CHARS])
    start = found.start() - _BEFORE
    space = text.find(" ", start, found.start())
    return "… " + snippet(text[space + 1 if space >= 0 else start : found.start() + _CHARS])


def marked(text: str, words: Sequence[str]) -> list[str]:
    """Return a text in parts: every second one, from the second on, is a word of the topic.

    >>> marked("Tea in China", ["tea", "china"])
    ['', 'Tea', ' in ', 'China', '']
    """
    finder = word_finder(words, text)
    if finder is None:
        return [text]
    parts: list[str] = []
    at = 0
    for found in finder.finditer(text):
        parts += [text[at : found.start()], found[0]]
        at = found.end()
    return [*parts, text[at:]]
