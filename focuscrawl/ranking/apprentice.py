"""The ranker that learns while it crawls.

The priority of a link, in log-odds, is what its group is worth plus what the link itself adds::

    priority = 1/2 + ( logit(worth of the group) + w · x ) / 16

*Worth of a group* = rate at which its pages are relevant + 1/2 × rate at which pages they link to are (the hub head:
listings are not relevant themselves, and are the only way to whole topics) + optimism for the little known. Rates are
shrunk (`group_rates`). The frontier adds the group's part as an offset, so one verdict moves all queued links of a
group. *w · x* is a logistic model over the link's own features that starts from the heuristic's weights and learns
from each judged page, with the group's rate as a fixed offset, so that it learns what groups do not explain.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from focuscrawl.page.model import Link
from focuscrawl.page.urls import url_tokens
from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.ranking.group_rates import GroupParts, Levels, logit
from focuscrawl.ranking.link_features import link_features, page_features
from focuscrawl.ranking.link_model import LinkExample, LinkModel
from focuscrawl.ranking.series import source_series, target_section
from focuscrawl.scoring.matches import matches_of
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, GroupKey, HostKey, UrlKey, clip01, digest64

PRIOR = MappingProxyType(
    {
        "anchor_terms": 4.0,
        "url_terms": 2.5,
        "title_terms": 1.0,
        "around_terms": 0.7,
        "related": 1.0,
        "dom": 0.8,
        "parent": 1.0,
        "parent_on_topic": 0.6,
        "in_text_of_relevant": 0.5,
        "boilerplate": -0.4,
        "leaves_host": -0.3,
        "long_anchor": 0.2,
        "no_anchor": -0.3,
        "junk": -4.0,
        "tunnel": -0.5,
    }
)
HUB_PRIOR = MappingProxyType(
    {
        "anchor_terms": 3.0,
        "url_terms": 2.0,
        "related": 0.7,
        "parent": 0.7,
        "parent_on_topic": 0.7,
        "junk": -4.0,
        "leaves_host": -0.3,
        "tunnel": -0.3,
    }
)
_DIGITS = re.compile(r"\d+")
_SCALE = 16.0  # log-odds from -8 to 8 fill [0, 1]


@dataclass(frozen=True, slots=True)
class ApprenticeOptions:
    """Constants of the ranker; docs/strategies.md gives the reasons and what was measured."""

    learn: bool = True
    words: bool = True
    groups: bool = True
    hub: float = 0.5
    optimism: float = 0.3
    rate: float = 0.3
    pull: float = 0.01
    hub_learn: bool = True
    hub_weight: float = 1.0
    m_host: float = 4.0
    m_section: float = 4.0
    m_group: float = 3.0
    bonus_host: float = 0.6
    credit: float = 0.5  # what a relevant page three hops on is worth to those that led to it, per hop


class Apprentice:
    """See the module's docstring."""

    name = "apprentice"
    needs = ("rw", "dom", "quality")
    weights: Mapping[str, float] = MappingProxyType({})

    def __init__(self, topic: TopicModel, *, seed: int = 0, options: ApprenticeOptions) -> None:
        del seed
        self.topic = topic
        self.options = options
        self.model = LinkModel(PRIOR, rate=options.rate, pull=options.pull)
        self.hub_model = LinkModel(HUB_PRIOR, rate=options.rate, pull=options.pull)
        self.relevant = Levels(
            prior=0.1, crawl=10.0, host=options.m_host, section=options.m_section, group=options.m_group
        )
        self.hubs = _levels(options)
        self._parts: dict[GroupKey, GroupParts] = {}
        self._of_host: dict[HostKey, list[GroupKey]] = {}
        self._offsets: dict[GroupKey, float] = {}
        self._changed: dict[GroupKey, float] = {}
        self._trail: OrderedDict[UrlKey, tuple[GroupKey, UrlKey | None, LinkExample]] = OrderedDict()
        self._pay = 0.5
        self._pages = 0
        self._cycle: list[GroupKey] = []
        self._share: dict[GroupKey, float] = {}

    # --------------------------------------------------------------- learning

    def observe(self, page: Judged) -> None:
        """Learn from a judged page."""
        o = self.options
        outcome = 1.0 if page.verdict.relevant else 0.0
        self._pages += 1
        self._pay += (outcome - self._pay) * 0.02
        group = page.group
        parts = self._know(group)
        host_trials = self.relevant.hosts.get(parts.host)
        weight = 1.0 / math.sqrt(1.0 + (host_trials.trials if host_trials else 0.0) / 30.0)
        example = LinkExample(page.inherited)
        if o.words and page.parent is not None:
            example = LinkExample(page.inherited, self.topic.tokens(page.anchor), url_tokens(page.page.url))
        if o.learn and page.parent is not None:
            self.model.learn(example, outcome, offset=logit(self.relevant.rate(group, parts)), weight=weight)
        self.relevant.add(group, parts, outcome)
        self._trail[page.key] = (group, page.parent, example)
        if len(self._trail) > 50_000:
            self._trail.popitem(last=False)
        step, share, parent = 0, 1.0, page.parent
        while parent is not None and step < 3:
            known = self._trail.get(parent)
            if known is None:
                break
            above, parent, its_example = known
            its_parts = self._know(above)
            if step == 0:
                if o.learn and o.hub_learn:
                    self.hub_model.learn(
                        its_example, outcome, offset=logit(self.hubs.rate(above, its_parts)), weight=0.2 * weight
                    )
                self.hubs.add(above, its_parts, outcome, weight=o.hub_weight)
            elif outcome:
                self.hubs.add(above, its_parts, 1.0, weight=share * o.hub_weight)
            self._refresh(above)
            share *= o.credit
            step += 1
        self._refresh(group)
        if self._pages % 4 == 0:
            self._refresh_host(parts.host)
        self._refresh_some()

    def offsets(self) -> dict[GroupKey, float]:
        """Return the group offsets that changed since the last call."""
        changed, self._changed = self._changed, {}
        return changed

    # ---------------------------------------------------------------- ranking

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the local score of each link, and its group."""
        matches = matches_of(links, page.page, self.topic)
        shared = page_features(page)
        shared_z, shared_hub_z = self.model.dense_logit(shared), self.hub_model.dense_logit(shared)
        own = link_features(page, links, scores, matches, self.topic)
        words = self.options.words
        model, hub_model = self.model, self.hub_model
        source = source_series(page.page)
        places: dict[tuple[str, ...], tuple[str, str]] = {}
        out: list[Ranked] = []
        for link, features in zip(links, own, strict=True):
            known = places.get(link.dom_sig)
            if known is None:
                sig = _DIGITS.sub("0", ">".join(link.dom_sig[-6:]))
                known = places[link.dom_sig] = (
                    f"{digest64(page.page.host + sig):016x}"[:6],
                    f"{digest64(source + sig):016x}"[:6],
                )
            group = self._named(link.host, target_section(link.url), *known)
            a = self._share[group]
            z = shared_z + model.dense_logit(features)
            hub_z = shared_hub_z + hub_model.dense_logit(features)
            if words:
                z += model.anchor_logit(link.text_tokens) + model.url_logit(link.url_tokens)
                hub_z += hub_model.anchor_logit(link.text_tokens) + hub_model.url_logit(link.url_tokens)
            features.update(shared)
            value = clip01(0.5 + (a * z + (1.0 - a) * hub_z) / _SCALE)
            out.append(Ranked(Explained(value, features), group, inherit=features))
        return out

    def seed(self, key: UrlKey, url: str, host: str) -> Ranked:
        """Return the place of a seed: first."""
        del key
        return Ranked(Explained(1.0, reason="seed"), self._named(host, target_section(url), "", ""))

    # ----------------------------------------------------------------- groups

    def _named(self, host: HostKey, section: str, place: str, source: str) -> GroupKey:
        group = f"{section}|{place}|{source}"
        if group not in self._parts:
            self._parts[group] = GroupParts(host, section, place)
            self._of_host.setdefault(host, []).append(group)
            self._refresh(group)
        return group

    def _know(self, group: GroupKey) -> GroupParts:
        parts = self._parts.get(group)
        if parts is None:
            section, place, source = group.rsplit("|", 2)
            self._named(section.partition("/")[0], section, place, source)
            parts = self._parts[group]
        return parts

    def worth(self, group: GroupKey) -> float:
        """Return the offset of a group in log-odds over 16."""
        o = self.options
        if not o.groups:
            self._share[group] = 1.0
            return 0.0
        parts = self._parts[group]
        host_n, section_n, own_n = self.relevant.trials(group, parts)
        rate = self.relevant.rate(group, parts)
        hub = o.hub * self.hubs.rate(group, parts)
        self._share[group] = rate / (rate + hub)
        bonus = 0.0
        if o.optimism:
            bonus = (
                o.optimism
                * (1.0 - self._pay)
                * (o.bonus_host / math.sqrt(1.0 + host_n) + (1 - o.bonus_host) / math.sqrt(1.0 + section_n + own_n))
            )
        return logit(min(0.98, max(0.002, (rate + hub) / (1 + o.hub) + bonus))) / _SCALE

    def _refresh(self, group: GroupKey) -> None:
        new = self.worth(group)
        old = self._offsets.get(group)
        if old is None or abs(new - old) > 0.003:
            self._offsets[group] = new
            self._changed[group] = new

    def _refresh_host(self, host: HostKey) -> None:
        groups = self._of_host.get(host, ())
        if len(groups) <= 64:
            for group in groups:
                self._refresh(group)

    def _refresh_some(self) -> None:
        if not self._cycle:
            self._cycle = list(self._parts)
        for _ in range(min(16, len(self._cycle))):
            self._refresh(self._cycle.pop())

    # ------------------------------------------------------------------ state

    def snapshot(self) -> dict[str, object]:
        """Return what was learned."""
        return {
            "pages": self._pages,
            "pay": self._pay,
            "model": self.model.snapshot(),
            "hub_model": self.hub_model.snapshot(),
            "relevant": self.relevant.snapshot(),
            "hubs": self.hubs.snapshot(),
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        pages, pay = state.get("pages"), state.get("pay")
        self._pages = pages if isinstance(pages, int) else 0
        self._pay = float(pay) if isinstance(pay, int | float) else 0.5
        parts: dict[str, LinkModel | Levels] = {
            "model": self.model,
            "hub_model": self.hub_model,
            "relevant": self.relevant,
            "hubs": self.hubs,
        }
        for name, part in parts.items():
            saved = state.get(name)
            if isinstance(saved, Mapping):
                part.restore(saved)
        for group in list(self.relevant.groups):
            self._know(group)
            self._refresh(group)


def _levels(options: ApprenticeOptions) -> Levels:
    return Levels(prior=0.1, crawl=10.0, host=options.m_host, section=options.m_section, group=options.m_group)


def make_apprentice(
    topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None, **options: object
) -> Apprentice:
    """Return the strategy ``apprentice``."""
    del weights
    return Apprentice(topic, seed=seed, options=ApprenticeOptions(**options))  # type: ignore[arg-type]
