"""Dates in numbers that end with the year: 25.02.2022, 2/25/2022."""

from __future__ import annotations

import re

MONTH_FIRST, DAY_FIRST, UNTOLD = "month", "day", ""

# "25. 02. 2022" is Czech; "1.2.2019.4" is a version and "10.1.2.2019" an address.
_DATE = re.compile(
    r"(?<![\d./-])(\d{1,2})([./-])(?:(?<=\.)\s)?(\d{1,2})\2(?:(?<=\.)\s)?((?:19|20)\d\d)(?!\d|[./-]\d)"
    r"(?=(\s\d{1,2}:\d\d(?::\d\d)?\s?[ap]\.?m)?)",
    re.IGNORECASE,
)
_MONTHS = 12
# Languages of which no country writes the day first, and English, of which some do.
_YEAR_FIRST = frozenset({"zh", "ja", "ko", "hu", "lt", "mn", "eu"})
_DAY_FIRST_ENGLISH = frozenset({"gb", "uk", "ie", "au", "nz", "in", "sg", "hk"})
_MONTH_FIRST = frozenset({"us", "ph"})


def order_of(tag: str) -> str:
    """Return which part of a numeric date comes first by a page's language tag, `UNTOLD` when it does not say so.

    >>> order_of("en-US"), order_of("de"), order_of("en-GB"), order_of("en"), order_of("zh-CN")
    ('month', 'day', 'day', '', '')
    """
    language, *regions = tag.strip().lower().replace("_", "-").split("-")
    if not _MONTH_FIRST.isdisjoint(regions):
        return MONTH_FIRST
    if language == "en":
        return DAY_FIRST if not _DAY_FIRST_ENGLISH.isdisjoint(regions) else UNTOLD
    return DAY_FIRST if language and language not in _YEAR_FIRST else UNTOLD


def year_first(text: str, order: str = UNTOLD) -> str:
    """Return `text` with its numeric dates that end with the year as year, month and day.

    A number above twelve is the day, and between points the day comes first everywhere; other dates are told by
    `order`, and stay as they are without it. A time in two halves of a day is parted from its date: it is not read.

    >>> year_first("am 25.02.2022 10:15"), year_first("2/25/2022 3:15 PM"), year_first("4/3/2022")
    ('am 2022-02-25 10:15', '2022-02-25, 3:15 PM', '4/3/2022')
    >>> year_first("4/3/2022", "month"), year_first("4/3/2022", "day")
    ('2022-04-03', '2022-03-04')
    """
    return _DATE.sub(lambda match: _turned(match, order), text)


def _turned(match: re.Match[str], order: str) -> str:
    first, sign, second, year, half = match.groups()
    if int(first) > _MONTHS or int(second) > _MONTHS:
        order = DAY_FIRST if int(first) > _MONTHS else MONTH_FIRST
    elif sign == ".":
        order = DAY_FIRST
    if not order:
        return match[0]
    day, month = (first, second) if order == DAY_FIRST else (second, first)
    return f"{year}-{month:0>2}-{day:0>2}{',' if half else ''}"
