"""Counts that explain a group's offset, and orders that explain a call, read from the saved state of a strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from focuscrawl.ranking.group_rates import GroupParts, Levels, Tally
from focuscrawl.types import UrlKey


@dataclass(frozen=True, slots=True)
class GroupCount:
    """Outcomes on one level a group belongs to as the strategy counts them, graded and weighted: no whole numbers."""

    level: str  # "group", "section", "place", "host", "crawl"
    name: str  # section or host; "" where it would say nothing to a reader
    pages: float  # fetched
    relevant: float  # of these
    led_to: float  # pages that were reached through this level's pages
    led_to_relevant: float  # of these
    opens: float  # how much its pages open up, mean in [0, 1]; 0 where none was fetched
    score: float  # of the links it was fetched by, mean in [0, 1]; 0 where none was


def parts_of(group: str) -> GroupParts:
    """Return the levels a group of the apprentice belongs to; its name is ``section|place|source``."""
    section, _, rest = group.partition("|")
    return GroupParts(section.partition("/")[0], section, rest.partition("|")[0])


def group_counts(state: Mapping[str, object], group: str) -> list[GroupCount]:
    """Return the counts behind the offset of `group`, from the group itself up to the whole crawl.

    Parameters
    ----------
    state
        What the strategy saved (``Ranker.snapshot``).
    group
        Name of a group.

    Returns
    -------
    list of GroupCount
        Levels of which at least something is counted; empty for strategies that keep no such counts.
    """
    saved, saved_hubs = state.get("relevant"), state.get("hubs")
    if not isinstance(saved, Mapping) or not isinstance(saved_hubs, Mapping):
        return []
    later = (state.get(name) for name in ("opens", "taken"))  # runs of older versions have none
    tables = [_restored(saved if isinstance(saved, Mapping) else {}) for saved in (saved, saved_hubs, *later)]
    parts = parts_of(group)
    asked = (
        ("group", "", [levels.groups.get(group) for levels in tables]),
        ("section", parts.section, [levels.sections.get(parts.section) for levels in tables]),
        ("place", "", [levels.places.get(parts.place) for levels in tables]),
        ("host", parts.host, [levels.hosts.get(parts.host) for levels in tables]),
        ("crawl", "", [levels.crawl for levels in tables]),
    )
    counts = []
    for level, name, found in asked:
        if not any(found):
            continue
        tally, hub, *means = (one or Tally() for one in found)
        opening, score = (one.rate(0.0, 0.0) if one.trials else 0.0 for one in means)
        counts.append(GroupCount(level, name, tally.trials, tally.successes, hub.trials, hub.successes, opening, score))
    return counts


def caller(state: Mapping[str, object], key: UrlKey) -> str:
    """Return the order that called up the link with this key lately, "" when none of the portfolio did."""
    saved = state.get("portfolio")
    calls = saved.get("calls") if isinstance(saved, Mapping) else None
    return str(calls.get(f"{key:016x}", "")) if isinstance(calls, Mapping) else ""


def order_shares(state: Mapping[str, object]) -> dict[str, float]:
    """Return the share of the fetches of each order, as last saved; empty for strategies with one order."""
    saved = state.get("portfolio")
    shares = saved.get("shares") if isinstance(saved, Mapping) else None
    return {str(name): float(share) for name, share in shares.items()} if isinstance(shares, Mapping) else {}


def _restored(saved: Mapping[str, object]) -> Levels:
    levels = Levels(prior=0.0, crawl=0.0, host=0.0, section=0.0, group=0.0)
    levels.restore(saved)
    return levels
