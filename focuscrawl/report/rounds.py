"""Rounds of visits in the report."""

from __future__ import annotations

from focuscrawl.report.data import RunData
from focuscrawl.report.markup import Html
from focuscrawl.report.tables import note, number, percent, row, section, table
from focuscrawl.report.times import span, when
from focuscrawl.wording import recrawl as wording
from focuscrawl.wording.base import Say

SAW = ("changed", "unchanged", "moved", "gone", "failed")
"""What visits may have seen, but for the first of a page."""
_MANY = 50  # the last ones


def rounds(run: RunData, say: Say) -> Html | None:
    """What each round of visits saw, and how fresh the pages were before and after."""
    if not run.rounds:
        return None
    rows = [
        row(
            when(one.at),
            number(f"{sum(one.count(name) for name in SAW):,}"),
            *(number(f"{one.count(name):,}") for name in (*SAW, "new_links")),
            number(percent(one.figure("freshness_before"))),
            number(percent(one.figure("freshness"))),
            number(span(one.figure("age_s"), say)),
        )
        for one in run.rounds[-_MANY:]
    ]
    numbers = (
        wording.VISITS,
        wording.CHANGED,
        wording.UNCHANGED,
        wording.MOVED,
        wording.GONE,
        wording.FAILED,
        wording.LINKS,
        wording.BEFORE,
        wording.AFTER,
        wording.AGE,
    )
    columns = (say(wording.ROUND), *(f">{say(name)}" for name in numbers))
    return section(say(wording.TITLE), note(say(wording.NOTE)), table(columns, rows))
