"""The ranker that learns while it crawls.

It starts as the fixed-weight `Heuristic` and moves from there by what fetched pages turn out to be::

    priority = 0.6 x heuristic score + 0.4 x learned + offset of the group
    learned  = 1/2 + (learned log-odds of the link itself) / 8
    offset   = (log-odds of the group's worth - log-odds of the crawl's mean worth) / 24 + optimism

*Worth of a group* = rate at which its pages are relevant + 1/2 x rate at which pages they link to are (the hub head:
listings are not relevant themselves, and are the only way to whole topics). Rates are shrunk (`group_rates`), so a
group of which nothing is known has offset 0, and with nothing learned this *is* the heuristic crawler. The frontier
adds the offset, so one verdict moves all queued links of a group. The link's own part is a logistic model that
learns what neither heuristic nor group explains. Scores are rounded to steps: between equals the frontier keeps the
order of discovery, which spreads a crawl over hosts.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.page.model import Link
from focuscrawl.page.urls import url_tokens
from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.ranking.evidence import parts_of
from focuscrawl.ranking.group_rates import GroupParts, Levels, logit
from focuscrawl.ranking.heuristic import Heuristic, is_file
from focuscrawl.ranking.link_model import LinkExample, LinkModel
from focuscrawl.ranking.series import source_series, target_section
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, GroupKey, HostKey, UrlKey, clip01, digest64

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class ApprenticeOptions:
    """Constants of the ranker; docs/strategies.md gives the reasons and what was measured."""

    learn: bool = True
    words: bool = True
    groups: bool = True
    hub: float = 0.5
    hub_learn: bool = True
    optimism: float = 0.1
    scale: float = 24.0  # log-odds worth 1 of priority
    step: float = 0.05
    rate: float = 0.3
    pull: float = 0.01
    m_host: float = 8.0
    m_section: float = 4.0
    m_group: float = 3.0
    limit: float = 0.4
    credit: float = 0.5  # what a relevant page further on is worth to those that led to it, per hop
    graded: bool = True
    band: float = 0.3


_HEURISTIC_LOGIT = 8.0  # log-odds between heuristic scores 0 and 1
_LEARNED = 0.4  # share of the learned part in the score; the heuristic has the rest
_REACH = 8.0  # log-odds that fill the learned part, half below and half above


class Apprentice:
    """See the module's docstring."""

    name = "apprentice"

    def __init__(
        self,
        topic: TopicModel,
        *,
        weights: Mapping[str, float] | None = None,
        options: ApprenticeOptions | None = None,
    ) -> None:
        self.topic = topic
        self.options = o = options or ApprenticeOptions()
        self.heuristic = Heuristic(topic, weights=weights)
        self.weights = {
            **{part: (1.0 - _LEARNED) * weight for part, weight in self.heuristic.weights.items()},
            "learned": _LEARNED,
        }
        self.needs = self.heuristic.needs
        self.model = LinkModel({}, rate=o.rate, pull=o.pull)
        self.hub_model = LinkModel({}, rate=o.rate, pull=o.pull)
        self.relevant = _levels(o)
        self.hubs = _levels(o)
        self._parts: dict[GroupKey, GroupParts] = {}
        self._of_host: dict[HostKey, list[GroupKey]] = {}
        self._offsets: dict[GroupKey, float] = {}
        self._changed: dict[GroupKey, float] = {}
        self._share: dict[GroupKey, float] = {}
        self._trail: OrderedDict[UrlKey, tuple[GroupKey, UrlKey | None, LinkExample]] = OrderedDict()
        self._words_of_host: dict[HostKey, int] = {}
        self._mean_score = 0.3
        self._pay = 0.5
        self._pages = 0
        self._cycle: list[GroupKey] = []

    # --------------------------------------------------------------- learning

    def observe(self, page: Judged) -> None:
        """Learn from a judged page."""
        o = self.options
        outcome = 1.0 if page.verdict.relevant else 0.0
        if o.graded:
            outcome = min(1.0, max(0.0, 0.5 + (page.verdict.score.value - page.verdict.threshold) / o.band))
        self._pages += 1
        self._pay += (outcome - self._pay) * 0.02
        group = page.group or page.page.host
        parts = self._know(group)
        tally = self.relevant.hosts.get(parts.host)
        # Each host's voice grows with the root of its pages: a large host must not write the whole model.
        weight = 1.0 / math.sqrt(1.0 + (tally.trials if tally else 0.0) / 30.0)
        example = LinkExample(page.inherited)
        if o.words and page.parent is not None:
            path_words = url_tokens(page.page.url)[self._host_words(page.page.host) :]
            example = LinkExample(page.inherited, self.topic.tokens(page.anchor), path_words)
        if page.parent is not None:
            score = self._base_score(page.inherited)
            if o.learn:
                offset = logit(self.relevant.rate(group, parts)) + _HEURISTIC_LOGIT * (score - self._mean_score)
                self.model.learn(example, outcome, offset=offset, weight=weight)
            self._mean_score += 0.02 * (score - self._mean_score)
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
                    offset = logit(self.hubs.rate(above, its_parts))
                    self.hub_model.learn(its_example, outcome, offset=offset, weight=0.2 * weight)
                self.hubs.add(above, its_parts, outcome)
            elif outcome > 0.5 and o.credit:
                self.hubs.add(above, its_parts, 1.0, weight=share)
            self._refresh(above)
            share *= o.credit
            step += 1
        self._refresh(group)
        if self._pages % 8 == 0:
            self._refresh_host(parts.host)
        self._refresh_some()

    def offsets(self) -> dict[GroupKey, float]:
        """Return the group offsets that changed since the last call."""
        changed, self._changed = self._changed, {}
        return changed

    # ---------------------------------------------------------------- ranking

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the local score of each link, and its group."""
        o = self.options
        quality = scores.get("quality")
        source = source_series(page.page)
        shared: dict[str, float] = {"bias": 1.0}
        if page.verdict.relevant:
            shared["parent_on_topic"] = 1.0
        elif page.tunnel:
            shared["tunnel"] = min(1.0, page.tunnel / 4.0)
        model, hub_model = self.model, self.hub_model
        known: dict[int, tuple[dict[str, float], float, float]] = {}
        places: dict[tuple[str, ...], tuple[str, str]] = {}
        made: dict[tuple[int, float], Explained] = {}
        out: list[Ranked] = []
        for i, (link, weighed) in enumerate(zip(links, self.heuristic.weigh(page, links, scores), strict=True)):
            score = weighed.score
            where = places.get(link.dom_sig)
            if where is None:
                sig = _DIGITS.sub("0", ">".join(link.dom_sig[-6:]))
                where = places[link.dom_sig] = (
                    f"{digest64(page.page.host + sig):016x}"[:6],
                    f"{digest64(source + sig):016x}"[:6],
                )
            group = self._named(link.host, target_section(link.url), *where)
            if o.learn:
                entry = known.get(id(score))
                if entry is None:
                    features = {**score.parts, **shared}
                    entry = known[id(score)] = (
                        features,
                        model.dense_logit(features),
                        hub_model.dense_logit(features),
                    )
                features, z, hub_z = entry
                a = self._share[group]
                z = a * z + (1.0 - a) * hub_z
                of_text = 0.0
                if o.words:
                    path_words = link.url_tokens[self._host_words(link.host) :]
                    if not model.knows_none(link.text_tokens, path_words):
                        z += a * model.url_logit(path_words) + (1.0 - a) * hub_model.url_logit(path_words)
                        of_text = a * model.anchor_logit(link.text_tokens)
                        of_text += (1.0 - a) * hub_model.anchor_logit(link.text_tokens)
                part = self._learned(z + of_text)
                bare = self._learned(z) if of_text else part
            else:
                features, part, bare = dict(score.parts), 0.5, 0.5
            explained = made.get((id(score), part))
            if explained is None:
                value = clip01((1.0 - _LEARNED) * score.value + _LEARNED * part)
                explained = made[id(score), part] = Explained(value, {**score.parts, "learned": part}, score.reason)
            without = clip01((1.0 - _LEARNED) * weighed.without_anchor + _LEARNED * bare)
            out.append(Ranked(explained, group, keep=not is_file(quality, i), inherit=features, without_anchor=without))
        return out

    def seed(self, key: UrlKey, url: str, host: str) -> Ranked:
        """Return the place of a seed: first."""
        del key
        return Ranked(Explained(1.0, reason="seed"), self._named(host, target_section(url), "", ""))

    def _host_words(self, host: HostKey) -> int:
        """Return how many of a URL's words are its host's: what hosts are worth is learned by their groups."""
        count = self._words_of_host.get(host)
        if count is None:
            count = self._words_of_host[host] = len(url_tokens(f"http://{host}/"))
        return count

    def _learned(self, z: float) -> float:
        """Return the learned part for log-odds `z`, in steps."""
        return clip01(round((0.5 + z / _REACH) / self.options.step) * self.options.step)

    def _base_score(self, features: Mapping[str, float]) -> float:
        weights = self.heuristic.weights
        return math.fsum(weights.get(name, 0.0) * value for name, value in features.items())

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
            section, _, rest = group.partition("|")
            place, _, source = rest.partition("|")
            parts = self._parts[self._named(parts_of(group).host, section, place, source)]
            self._parts.setdefault(group, parts)
        return parts

    def worth(self, group: GroupKey) -> float:
        """Return the offset of a group, in [-1, 1]."""
        o = self.options
        if not o.groups:
            self._share[group] = 1.0
            return 0.0
        parts = self._parts[group]
        rate = self.relevant.rate(group, parts)
        hub = o.hub * self.hubs.rate(group, parts)
        self._share[group] = rate / (rate + hub)
        mean = self.relevant.base() + o.hub * self.hubs.base()
        top = 1.0 + o.hub
        bonus = 0.0
        if o.optimism:
            host_n, section_n, _ = self.relevant.trials(group, parts)
            bonus = o.optimism * (1.0 - self._pay) * (0.6 / math.sqrt(1.0 + host_n) + 0.4 / math.sqrt(1.0 + section_n))
        value = (logit((rate + hub) / top) - logit(mean / top)) / o.scale + bonus
        return min(o.limit, max(-o.limit, value))

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
        for _ in range(min(8, len(self._cycle))):
            self._refresh(self._cycle.pop())

    # ------------------------------------------------------------------ state

    def snapshot(self) -> dict[str, object]:
        """Return what was learned."""
        return {
            "pages": self._pages,
            "pay": self._pay,
            "mean_score": self._mean_score,
            **{name: part.snapshot() for name, part in self._learners().items()},
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        pages, pay, mean = state.get("pages"), state.get("pay"), state.get("mean_score")
        self._pages = pages if isinstance(pages, int) else 0
        self._pay = float(pay) if isinstance(pay, int | float) else 0.5
        self._mean_score = float(mean) if isinstance(mean, int | float) else 0.3
        for name, part in self._learners().items():
            saved = state.get(name)
            if isinstance(saved, Mapping):
                part.restore(saved)
        for group in list(self.relevant.groups):
            self._know(group)
            self._refresh(group)

    def _learners(self) -> dict[str, LinkModel | Levels]:
        return {"model": self.model, "hub_model": self.hub_model, "relevant": self.relevant, "hubs": self.hubs}


def _levels(options: ApprenticeOptions) -> Levels:
    return Levels(prior=0.1, crawl=10.0, host=options.m_host, section=options.m_section, group=options.m_group)


def make_apprentice(
    topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None, **options: object
) -> Apprentice:
    """Return the strategy ``apprentice``; `seed` is not used."""
    del seed
    return Apprentice(topic, weights=weights, options=ApprenticeOptions(**options))  # type: ignore[arg-type]
