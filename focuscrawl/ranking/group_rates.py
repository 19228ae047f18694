"""Success rates of hosts, sections, series and tag paths, shrunk to each other, and the offsets they give.

A link belongs to a *group*: links of one host, one section or numbered series, found at one place of one site's
template. What one fetched page of a group turns out to be is evidence for all queued links of the group, and a
little for its section, its host and its place in the template too. Rates are posterior means: a level with little
evidence says what the level above says (docs/formulas.md J.8).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.types import GroupKey, HostKey

_LEAST, _MOST = 1e-6, 1.0 - 1e-6
_CROWD = 10.0  # pages of one host after which another counts half in the crawl's own rate


@dataclass(slots=True)
class Tally:
    """Outcomes of one level: weighted trials and successes."""

    trials: float = 0.0
    successes: float = 0.0

    def add(self, success: float, *, weight: float = 1.0) -> None:
        """Count an outcome in [0, 1]."""
        self.trials += weight
        self.successes += weight * success

    def fade(self, share: float) -> None:
        """Let what was counted so far count `share` of what it did."""
        self.trials *= share
        self.successes *= share

    def correct(self, change: float) -> None:
        """Change an outcome that was counted before."""
        self.successes = min(self.trials, max(0.0, self.successes + change))

    def rate(self, prior: float, strength: float) -> float:
        """Return the posterior mean with a prior worth `strength` trials."""
        return (self.successes + strength * prior) / (self.trials + strength)


def rows_of(table: Mapping[str, Tally]) -> dict[str, list[float]]:
    """Return tallies as JSON-safe rows of trials and successes."""
    return {key: [round(tally.trials, 4), round(tally.successes, 4)] for key, tally in table.items()}


def tallies_of(saved: object) -> dict[str, Tally]:
    """Return the tallies of what `rows_of` returned, none for anything else."""
    if not isinstance(saved, Mapping):
        return {}
    return {str(key): Tally(float(row[0]), float(row[1])) for key, row in saved.items()}


def logit(p: float) -> float:
    """Return the log-odds of `p`, finite for all of [0, 1]."""
    if p < _LEAST:
        p = _LEAST
    elif p > _MOST:
        p = _MOST
    return math.log(p / (1.0 - p))


@dataclass(frozen=True, slots=True)
class GroupParts:
    """The levels a group belongs to."""

    host: HostKey
    section: str  # directory or numbered series of the target, host included
    place: str  # place in the linking site's template, that host included; '' for seeds


class Levels:
    """Tallies of one kind of outcome over crawl, hosts, sections, places and groups.

    The crawl's own rate stands for hosts of which nothing is known: a host's n-th page counts 1 / (1 + n / 10) in it,
    so that one large host does not decide what others are worth.
    """

    def __init__(self, *, prior: float, crawl: float, host: float, section: float, group: float) -> None:
        # Strengths: trials a level's parent is worth (docs/formulas.md J.8: host 4, section 2).
        self.prior = prior
        self._crawl_strength = crawl
        self._host_strength = host
        self._section_strength = section
        self._group_strength = group
        self.crawl = Tally()
        self.hosts: dict[HostKey, Tally] = {}
        self.sections: dict[str, Tally] = {}
        self.places: dict[str, Tally] = {}
        self.groups: dict[GroupKey, Tally] = {}
        self._pages: dict[HostKey, int] = {}

    def add(self, group: GroupKey, parts: GroupParts, success: float, *, weight: float = 1.0) -> None:
        """Count an outcome on every level of the group."""
        pages = self._pages[parts.host] = self._pages.get(parts.host, 0) + 1
        self.crawl.add(success, weight=weight / (1.0 + pages / _CROWD))
        self.hosts.setdefault(parts.host, Tally()).add(success, weight=weight)
        self.add_section(parts.section, success, weight=weight)
        if parts.place:
            self.places.setdefault(parts.place, Tally()).add(success, weight=weight)
        self.groups.setdefault(group, Tally()).add(success, weight=weight)

    def correct(self, group: GroupKey, parts: GroupParts, change: float) -> None:
        """Change an outcome that was counted before, on every level of the group."""
        pages = self._pages.get(parts.host, 0)
        self.crawl.successes = max(0.0, self.crawl.successes + change / (1.0 + pages / _CROWD))
        tables = ((self.hosts, parts.host), (self.sections, parts.section), (self.places, parts.place))
        for tally in (*(table.get(name) for table, name in tables), self.groups.get(group)):
            if tally is not None:
                tally.correct(change)

    def add_section(self, section: str, success: float, *, weight: float = 1.0) -> None:
        """Count an outcome for a section alone."""
        self.sections.setdefault(section, Tally()).add(success, weight=weight)

    def base(self) -> float:
        """Return the crawl's own rate."""
        return self.crawl.rate(self.prior, self._crawl_strength)

    def rate(self, group: GroupKey, parts: GroupParts, *, named: bool = False) -> float:
        """Return the shrunk rate of a group: crawl → host → section, moved by its place, → group.

        Parameters
        ----------
        group, parts
            The group and its levels.
        named
            The topic names its links: they start no lower than the crawl's own rate, whatever became of their like.
        """
        crawl, strength = self.crawl, self._crawl_strength  # as `base`, which is asked for dozens of times a page
        rate = base = (crawl.successes + strength * self.prior) / (crawl.trials + strength)
        host = self.hosts.get(parts.host)
        if host is not None:
            rate = (host.successes + self._host_strength * rate) / (host.trials + self._host_strength)
        strength = self._section_strength
        tally = self.sections.get(parts.section)
        section = rate if tally is None else (tally.successes + strength * rate) / (tally.trials + strength)
        tally = self.places.get(parts.place)
        if tally is not None:
            place = (tally.successes + strength * section) / (tally.trials + strength)
            # Two observations with one prior: the mean of their log-odds moves counts the prior once.
            section = 1.0 / (1.0 + math.exp(-0.5 * (logit(section) + logit(place))))
        if named:
            section = max(section, base)
        tally = self.groups.get(group)
        if tally is None:
            return section
        strength = self._group_strength
        return (tally.successes + strength * section) / (tally.trials + strength)

    def snapshot(self) -> dict[str, object]:
        """Return the tallies as JSON-safe lists."""
        return {
            "crawl": [self.crawl.trials, self.crawl.successes],
            "pages": dict(self._pages),
            **{name: rows_of(table) for name, table in self._tables()},
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        crawl = state.get("crawl")
        if isinstance(crawl, Sequence) and len(crawl) == 2:
            self.crawl = Tally(float(crawl[0]), float(crawl[1]))
        pages = state.get("pages")
        self._pages = {str(h): int(n) for h, n in pages.items()} if isinstance(pages, Mapping) else {}
        for name, table in self._tables():
            table.clear()
            table.update(tallies_of(state.get(name)))

    def _tables(self) -> Iterator[tuple[str, dict[str, Tally]]]:
        yield "hosts", self.hosts
        yield "sections", self.sections
        yield "places", self.places
        yield "groups", self.groups
