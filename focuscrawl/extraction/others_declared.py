"""Days and people that a page declares to be of other things: of an event it tells of, of reviews and comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from focuscrawl.extraction.dates import iso_date
from focuscrawl.page.tree import Element

_EVENT_DATES = ("startDate", "endDate", "previousStartDate", "doorTime")
_VOICES = ("review", "reviews", "comment")
_VOICE_DATES = ("datePublished", "dateCreated")
_MIN_VOICES = 2  # a single review may be the page itself
_MAX_VOICES = 100
DAY_CHARS = len("2024-05-01")
"""Of a date with its time, ISO 8601, so many say the day."""
# Microdata, hCalendar, hCard and their successors.
_OTHER_PROPS = frozenset(
    {"startdate", "enddate", "previousstartdate", "doortime", "birthdate", "deathdate", "foundingdate",
     "pricevaliduntil", "validfrom", "validthrough"}
)  # fmt: skip
_OTHER_CLASSES = frozenset({"dtstart", "dtend", "bday", "dt-start", "dt-end", "dt-bday"})


class OthersDeclared(NamedTuple):
    """What is on a page and not the page's own."""

    days: frozenset[str] = frozenset()  # ISO 8601
    people: frozenset[str] = frozenset()


def others_declared(entries: Iterable[dict[str, Any]]) -> OthersDeclared:
    """Return days and people of events, reviews and comments in the linked data of a page."""
    days: set[str] = set()
    people: set[str] = set()
    for entry in entries:
        if _is_event(entry):
            days.update(_days(entry, _EVENT_DATES))
        voices = list(_voices(entry))
        if len(voices) < _MIN_VOICES:
            continue
        for voice in voices:
            days.update(_days(voice, _VOICE_DATES))
            author = voice.get("author")
            name = author.get("name") if isinstance(author, dict) else author
            if isinstance(name, str):
                people.add(" ".join(name.split()))
    return OthersDeclared(frozenset(days), frozenset(people))


def is_of_another(element: Element) -> bool:
    """Tell whether an element says that its date is of an event, a person or an offer."""
    prop = element.get("itemprop")
    if prop is not None and prop.strip().lower() in _OTHER_PROPS:
        return True
    names = element.get("class")
    return names is not None and not _OTHER_CLASSES.isdisjoint(names.lower().split())


def _is_event(entry: dict[str, Any]) -> bool:
    """Tell whether an entry has the type Event, MusicEvent, Festival or the like: only these begin and end."""
    kind = entry.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return any(isinstance(name, str) and name.lower().endswith(("event", "festival", "hackathon")) for name in kinds)


def _days(entry: dict[str, Any], names: Iterable[str]) -> Iterator[str]:
    for name in names:
        day = iso_date(str(entry.get(name) or ""))[:DAY_CHARS]
        if day:
            yield day


def _voices(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in _VOICES:
        found = entry.get(name)
        for voice in (found if isinstance(found, list) else [found])[:_MAX_VOICES]:
            if isinstance(voice, dict):
                yield voice
