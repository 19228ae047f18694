"""The counts behind a group's offset and the orders behind a call, from what a run has saved of its strategy."""

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
    saved_opens = state.get("opens")
    own, hubs = _restored(saved), _restored(saved_hubs)
    opens = _restored(saved_opens if isinstance(saved_opens, Mapping) else {})
    parts = parts_of(group)
    asked = (
        ("group", "", [levels.groups.get(group) for levels in (own, hubs, opens)]),
        ("section", parts.section, [levels.sections.get(parts.section) for levels in (own, hubs, opens)]),
        ("place", "", [levels.places.get(parts.place) for levels in (own, hubs, opens)]),
        ("host", parts.host, [levels.hosts.get(parts.host) for levels in (own, hubs, opens)]),
        ("crawl", "", [levels.crawl for levels in (own, hubs, opens)]),
    )
    counts = []
    for level, name, found in asked:
        if not any(found):
            continue
        tally, hub, opened = (one or Tally() for one in found)
        opening = opened.rate(0.0, 0.0) if opened.trials else 0.0
        counts.append(GroupCount(level, name, tally.trials, tally.successes, hub.trials, hub.successes, opening))
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
