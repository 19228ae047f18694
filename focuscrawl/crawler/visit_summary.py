"""What a round of visits says of itself: its line of progress, and its part of the summary."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.crawler.refresh_round import RefreshRound
from focuscrawl.crawler.revisits import Revisits
from focuscrawl.report.times import span
from focuscrawl.visits import Saw
from focuscrawl.wording import recrawl as wording
from focuscrawl.wording.base import Say, Text


def visit_line(refresh: RefreshRound, revisits: Revisits, say: Say) -> str:
    """Return the line of progress while pages are visited again."""
    seen = revisits.seen
    fresh = say(wording.FRESH_BEFORE, share=refresh.before.freshness) if refresh.before is not None else ""
    return say(wording.PROGRESS, n=seen.total(), goal=refresh.wanted, **_counts(seen)) + fresh


def visit_facts(refresh: RefreshRound, revisits: Revisits, say: Say) -> list[tuple[Text, str]]:
    """Return what the summary says of the visits and of the freshness they leave, each under its name."""
    seen, before, after = revisits.seen, refresh.before, refresh.after
    facts = [(wording.VISITED, say(wording.SEEN, n=seen.total(), links=revisits.new_links, **_counts(seen)))]
    if before is not None and after is not None:
        age = span(after.age_s, say)
        told = say(wording.FRESHNESS, before=before.freshness, after=after.freshness, n=after.pages, age=age)
        facts.append((wording.FRESH, told))
    return facts


def _counts(seen: Mapping[Saw, int]) -> dict[str, int]:
    return {str(saw): seen.get(saw, 0) for saw in Saw}
