"""Worth of groups of links: offsets that follow what their pages and listings turn out to be.

*Worth of a group* = 1 - (1 - rate at which its pages are relevant) x (1 - 0.8 x rate at which pages they link to are x
how much they open up), the last two being the hub head: listings are not relevant themselves, and are the only way to
whole topics. A page with n new links costs one fetch and gives n, so of n + 1 fetches n are of what it leads to: it
opens up n / (n + 1). Rates are shrunk (`group_rates`), so a group of which nothing is known has offset 0::

    offset = (log-odds of the group's worth - log-odds of the crawl's mean worth) / 9
             - 1/2 x (mean score of the links fetched from the group - the crawl's mean score)

The last line is there because links are fetched best first: what a group's pages turned out to be is what its best
links are worth, and those that are left score less. Without it a host that is used up stays worth what it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Set

from focuscrawl.ranking.apprentice_options import ApprenticeOptions
from focuscrawl.ranking.evidence import parts_of
from focuscrawl.ranking.group_rates import GroupParts, Levels, Tally, logit
from focuscrawl.types import GroupKey, HostKey

OPENS = 0.5
"""A page of which nothing is known opens one link."""
_USUAL_SCORE = 0.3  # of fetched links, until some were
NAMED = "*"
"""Ends the names of groups of links that the topic names."""
MOST_GROUPS = 200_000
"""Groups known at once, about 0.7 kB each, beside those that had pages; a page links to some four new ones."""
_MANY_GROUPS = 64  # groups of a host up to which all are looked through every few pages; others take their turn


class GroupWorth:
    """Groups of links that a crawl has seen, their rates, and the offsets that follow from these.

    Of too many groups the older half of those is forgotten that had no page, led to none and are not in use, as all of
    these are by a crawl that goes on after a stop: links of such a group that wait keep the offset they have until it
    is met again.

    Parameters
    ----------
    in_use
        Gives the groups of links whose scores are worked out anew while they wait.
    most
        Groups known at once, beside those that had pages.

    Attributes
    ----------
    relevant, hubs, opens
        Rates at which pages of a group are relevant, lead to relevant ones, and open up new links.
    taken
        Scores of the links that were fetched from a group.
    promises
        Of hosts, by their pages: what `promise_of` says of each.
    share
        Of each group's worth, that of its own pages; the rest is that of what they lead to.
    offsets
        Of all groups, as they were told last.
    """

    def __init__(
        self,
        options: ApprenticeOptions,
        *,
        in_use: Callable[[], Set[GroupKey]] = frozenset,
        most: int = MOST_GROUPS,
    ) -> None:
        self._options = options
        self._in_use = in_use
        self._most = self._forget_at = most
        self.relevant = _levels(options)
        self.hubs = _levels(options)
        self.opens = _levels(options, prior=OPENS)
        self.taken = _levels(options, prior=_USUAL_SCORE)
        self.promises: dict[HostKey, Tally] = {}
        self.share: dict[GroupKey, float] = {}
        self._parts: dict[GroupKey, GroupParts] = {}
        self._of_host: dict[HostKey, list[GroupKey]] = {}
        self._of_section: dict[str, list[GroupKey]] = {}
        self.offsets: dict[GroupKey, float] = {}
        self._changed: dict[GroupKey, float] = {}
        self._cycle: list[GroupKey] = []
        self._mean: tuple[tuple[float, ...], float] = ((), 0.0)  # counts, log-odds of the crawl's mean worth

    def named(self, host: HostKey, section: str, place: str, source: str) -> GroupKey:
        """Return the group of links of one section of a host, found at one place, on pages like one source."""
        group = f"{section}|{place}|{source}"
        if group not in self._parts:
            if len(self._parts) >= self._forget_at:
                self._forget()
            self._parts[group] = GroupParts(host, section, place)
            self._of_host.setdefault(host, []).append(group)
            self._of_section.setdefault(section, []).append(group)
            self.refresh(group)
        return group

    def know(self, group: GroupKey) -> GroupParts:
        """Return what a group's name is made of."""
        parts = self._parts.get(group)
        if parts is None:
            section, _, rest = group.partition("|")
            place, _, source = rest.partition("|")
            parts = self._parts[self.named(parts_of(group).host, section, place, source)]
            self._parts.setdefault(group, parts)
        return parts

    def offset(self, group: GroupKey) -> float:
        """Return the offset of a group, in [-1, 1]."""
        o = self._options
        if not o.groups:
            self.share[group] = 1.0
            return 0.0
        parts = self._parts[group]
        named = group.endswith(NAMED)
        rate = self.relevant.rate(group, parts, named=named)
        hub = o.hub * self.hubs.rate(group, parts, named=named) * self.opens.rate(group, parts)
        self.share[group] = rate / (rate + hub) if rate + hub else 1.0
        value = (logit(_either(rate, hub)) - self._mean_worth()) / o.scale
        value -= o.taken * (self.taken.rate(group, parts) - self.taken.base())
        return min(o.limit, max(-o.limit, value))

    def outlook(self, host: HostKey) -> float:
        """Return what a host may be worth: the mean of what its pages promise and one standard deviation, as of a Beta.

        The prior counts for less here than in offsets: most hosts have nothing and few have much, so a host's third
        page without a find says more against it than its tenth, and one with a single page is worth another look.
        """
        base, strength = self.relevant.base(), self._options.look_prior
        tally = self.promises.get(host) or Tally()
        mean = tally.rate(base, strength)
        return mean + math.sqrt(mean * (1.0 - mean) / (tally.trials + strength + 1.0))

    # ---------------------------------------------------------------- offsets

    def changed(self) -> dict[GroupKey, float]:
        """Return the offsets that changed since the last call."""
        changed, self._changed = self._changed, {}
        return changed

    def refresh(self, group: GroupKey) -> None:
        """Work out the offset of a group anew."""
        new = self.offset(group)
        old = self.offsets.get(group)
        if old is None or abs(new - old) > 0.003:
            self.offsets[group] = new
            self._changed[group] = new

    def refresh_section(self, section: str) -> None:
        """Work out the offsets of the groups of a section anew, of the last ones where there are many."""
        self._refresh_all(self._of_section.get(section, ())[-_MANY_GROUPS:])

    def refresh_host(self, host: HostKey) -> None:
        """Work out the offsets of all groups of a host anew, unless there are many."""
        groups = self._of_host.get(host, ())
        if len(groups) <= _MANY_GROUPS:
            self._refresh_all(groups)

    def refresh_some(self) -> None:
        """Work out the offsets of the next few groups anew, in turns."""
        if not self._cycle:
            self._cycle = list(self._parts)
        for _ in range(min(8, len(self._cycle))):
            self.refresh(self._cycle.pop())

    def refresh_restored(self) -> None:
        """Know the groups that the restored rates have, and work out their offsets."""
        for group in list(self.relevant.groups):
            self.know(group)
            self.refresh(group)

    # ---------------------------------------------------------------- private

    def _forget(self) -> None:
        """Forget the older half of the groups that had no page, led to none and are not in use."""
        kept = (self.relevant.groups.keys(), self.hubs.groups.keys(), self._in_use())
        bare = [group for group in self._parts if not any(group in groups for groups in kept)]
        for group in bare[: (len(bare) + 1) // 2]:
            del self._parts[group], self.share[group], self.offsets[group]
        for lists in (self._of_host, self._of_section):
            for name, groups in list(lists.items()):
                if left := [group for group in groups if group in self._parts]:
                    groups[:] = left
                else:
                    del lists[name]
        self._cycle.clear()
        self._forget_at = max(self._most, len(self._parts) + self._most // 2)  # so that a look at all is seldom

    def _refresh_all(self, groups: Iterable[GroupKey]) -> None:
        for group in groups:
            self.refresh(group)

    def _mean_worth(self) -> float:
        """Return the log-odds of the crawl's mean worth."""
        state = self.relevant.crawl.trials, self.hubs.crawl.trials, self.opens.crawl.trials
        if self._mean[0] != state:  # it moves with every page, and is asked for dozens of groups
            mean = _either(self.relevant.base(), self._options.hub * self.hubs.base() * self.opens.base())
            self._mean = state, logit(mean)
        return self._mean[1]


def promise_of(outcome: float, topicality: float) -> float:
    """Return what a page promises of its host, in [0, 1]: what it turned out to be, or the square of its topicality.

    A front page is an index of others, and no find however full of the topic it is. But it shows what the host has: of
    a hundred hosts those with the topic stand out by the words on their front pages.
    """
    return max(outcome, topicality * topicality)


def _either(one: float, other: float) -> float:
    """Return the probability of at least one of two independent events."""
    return 1.0 - (1.0 - one) * (1.0 - other)


def _levels(options: ApprenticeOptions, *, prior: float = 0.1) -> Levels:
    return Levels(prior=prior, crawl=10.0, host=options.m_host, section=options.m_section, group=options.m_group)
