"""The trap of the sample web: a calendar with a page for each month and each day, without end."""

from __future__ import annotations

import re
from datetime import date, timedelta

from focuscrawl.demo.layouts import Site, a, page

TRAP_FIRST = date(2026, 5, 1)
TRAP_START = f"/calendar/{TRAP_FIRST:%Y/%m}/"
_MONTH = re.compile(r"/calendar/(\d{4})/(\d\d)/")
_DAY = re.compile(r"/calendar/(\d{4})/(\d\d)/(\d\d)/")


def trap_page(site: Site, path: str) -> str | None:
    """Return the page of a month or a day of the calendar; None for any other path, and for no date at all."""
    try:
        if found := _MONTH.fullmatch(path):
            return _month(site, date(int(found[1]), int(found[2]), 1))
        if found := _DAY.fullmatch(path):
            return _day(site, date(int(found[1]), int(found[2]), int(found[3])))
    except (ValueError, OverflowError):  # the 31st of June, the year 0
        pass
    return None


def _month(site: Site, first: date) -> str:
    after = (first + timedelta(days=31)).replace(day=1)
    before = (first - timedelta(days=1)).replace(day=1)
    days = [first + timedelta(days=n) for n in range((after - first).days)]
    cells = "".join(f"<td>{a(str(day.day), _path(day, whole=False))}</td>" for day in days)
    turn = f"{a('Previous month', _path(before))} {a('Next month', _path(after))}"
    main = f"<h1>{first:%B %Y}</h1>\n<table class='calendar'><tr>{cells}</tr></table>\n<p>{turn}</p>"
    return page(site, title=f"{first:%B %Y}", main=main)


def _day(site: Site, day: date) -> str:
    turn = " ".join(
        [
            a("Previous day", _path(day - timedelta(days=1), whole=False)),
            a("Month", _path(day)),
            a("Next day", _path(day + timedelta(days=1), whole=False)),
        ]
    )
    main = f"<h1>{day:%A, %d %B %Y}</h1>\n<p>Nothing has been entered for this day.</p>\n<p>{turn}</p>"
    return page(site, title=f"{day:%d %B %Y}", main=main)


def _path(day: date, *, whole: bool = True) -> str:
    return f"/calendar/{day:%Y/%m}/" if whole else f"/calendar/{day:%Y/%m/%d}/"
