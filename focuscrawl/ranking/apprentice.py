"""The ranker that learns while it crawls.

It starts as the fixed-weight `Heuristic` and moves from there by what fetched pages turn out to be::

    priority = 0.6 x heuristic score + 0.4 x learned + offset of the group
    learned  = 1/2 + (learned log-odds of the link itself) / 5      (`link_odds`)

The offset of a group is 0 while nothing is known of it (`group_worth`), so with nothing learned this *is* the
heuristic crawler. The frontier adds the offset, so one verdict moves all queued links of a group. The link's own part
is a logistic model that learns what neither heuristic nor group explains; links that wait are scored anew every few
pages, so that it counts for those found before it was learned (`waiting_links`). The constant 5, and 9 of the offset,
put both, about, on the scale on which a topic word in the link counts 3 in log-odds. Unknown hosts get their turn by
`first_looks` and simpler orders theirs by the `portfolio`: both call single links up. Scores are rounded to steps:
between equals the frontier keeps the order of discovery, which spreads a crawl over hosts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from focuscrawl.page.model import Link
from focuscrawl.page.urls import url_tokens
from focuscrawl.ranking.apprentice_options import ApprenticeOptions
from focuscrawl.ranking.base import AHEAD, LEARNED, Judged, Ranked, Ranker, is_called, make_ranked, own_value
from focuscrawl.ranking.first_looks import FirstLooks
from focuscrawl.ranking.group_rates import Levels, Tally, logit, rows_of, tallies_of
from focuscrawl.ranking.group_worth import NAMED, OPENS, GroupWorth, promise_of
from focuscrawl.ranking.heuristic import Heuristic, is_file
from focuscrawl.ranking.link_model import LinkExample, LinkModel
from focuscrawl.ranking.link_odds import LinkOdds
from focuscrawl.ranking.link_spots import place_name, spot_of
from focuscrawl.ranking.link_words import path_words
from focuscrawl.ranking.links_of_page import LinksOfPage
from focuscrawl.ranking.moving_harvest import MovingHarvest
from focuscrawl.ranking.portfolio import Portfolio
from focuscrawl.ranking.scouts import Opened
from focuscrawl.ranking.series import page_series, source_series, target_section
from focuscrawl.ranking.trail import Passed, Trail
from focuscrawl.ranking.waiting_links import WaitingLinks
from focuscrawl.records import Entry, LookNews
from focuscrawl.topic.base import TopicModel, Verdict
from focuscrawl.types import Explained, GroupKey, HostKey, UrlKey, clip01

_DEFAULTS = ApprenticeOptions()
_HEURISTIC_LOGIT = 8.0  # log-odds between heuristic scores 0 and 1
_SHARE = 0.4  # share of the learned part in the score; the heuristic has the rest
_WAITING = 20_000  # links whose scores are worked out anew while they wait
_WORTH_TELLING = 0.03  # change of a score, but for the first links in line: most are smaller, and each costs a write
_FIRST = 500
_MEMBERS = ("heuristic", "best-first")  # orders that are sure of a share


class Apprentice(Ranker):
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
            **{part: (1.0 - _SHARE) * weight for part, weight in self.heuristic.weights.items()},
            LEARNED: _SHARE,
        }
        self.needs = self.heuristic.needs
        self.odds = LinkOdds(o)
        self.model, self.hub_model = self.odds.model, self.odds.hub_model
        self.groups = GroupWorth(o, in_use=lambda: self.waiting.groups)
        self.relevant, self.hubs, self.opens = self.groups.relevant, self.groups.hubs, self.groups.opens
        self.taken = self.groups.taken
        self._trail = Trail()
        self._mean_score = 0.3
        self.harvest = MovingHarvest()
        self.looks = (
            FirstLooks(
                share=o.look_share,
                further=o.look_further,
                outlook=self.groups.outlook,
                offsets=self.groups.offsets,
                most=0.8,  # the others show what the known links pay
            )
            if o.look
            else None
        )
        self.portfolio = Portfolio(_MEMBERS if o.floor else (), floor=o.floor)
        self.waiting = WaitingLinks(_WAITING)
        self._since_anew = 0  # pages
        self._pages = 0

    # --------------------------------------------------------------- learning

    def observe(self, page: Judged, *, own: bool = True) -> None:
        """Learn from a judged page; another worker's is not `own`."""
        o, called = self.options, is_called(page.priority)
        leads = page.verdict.leads and not page.repeats
        outcome = 0.0 if page.repeats else self._grade(page)
        self.waiting.leave([page.key])
        self._since_anew += 1
        self._pages += 1
        by_look = self.looks is not None and (self.looks.has_called(page.key) or (called and not own))
        self.harvest.count(relevant=leads, called_up=by_look)
        group = page.group or page.page.host
        parts = self.groups.know(group)
        tally = self.relevant.hosts.get(parts.host)
        # A host's weight grows with the root of its pages: a large host must not write the whole model.
        weight = 1.0 / math.sqrt(1.0 + (tally.trials if tally else 0.0) / 30.0)
        example = LinkExample(page.inherited)
        if o.words and page.parent is not None:
            path = path_words(url_tokens(page.page.url), page.page.host, page.inherited)
            example = LinkExample(page.inherited, self.topic.tokens(page.anchor), path)
        if page.parent is not None:
            score = self.heuristic.mixed(page.inherited)
            if o.learn:
                offset = logit(self.relevant.rate(group, parts)) + _HEURISTIC_LOGIT * (score - self._mean_score)
                self.model.learn(example, outcome, offset=offset, weight=weight)
            self._mean_score += 0.02 * (score - self._mean_score)
        self.relevant.add(group, parts, outcome)
        if page.parent is not None:  # a seed has no score of its own
            self.taken.add(group, parts, clip01(own_value(page.priority)))
        promise = 0.0 if page.repeats else promise_of(outcome, page.topicality)
        self.groups.promises.setdefault(parts.host, Tally()).add(promise)
        opened = page.new_links / (page.new_links + 1.0) if o.opens else OPENS
        self.opens.add(group, parts, opened)
        own_series = page_series(page.page.url)[0]
        if o.series and own_series != parts.section:
            self.opens.add_section(own_series, opened)
        counted = self._credit(page, outcome, weight=weight)
        self._trail.add(Passed(page.key, group, page.parent, example, own_series, counted))
        self.groups.refresh(group)
        if self.looks is not None:
            self.looks.fetched(parts.host, page.key, pay=self.harvest.pay(), own=own)
        if self._pages % 8 == 0:
            self.groups.refresh_host(parts.host)
        self.groups.refresh_some()
        if page.parent is not None:
            self.portfolio.fetched(page.key, outcome, own=own, called=called)

    def _credit(self, page: Judged, outcome: float, *, weight: float) -> float:
        """Count a page for those that led to it; return its weight for the one that had the link."""
        o = self.options
        share = share_of_it = 1.0
        for hops, above in enumerate(self._trail.above(page.parent)):
            parts = self.groups.know(above.group)
            if hops == 0:
                if o.learn and o.hub_learn:
                    offset = logit(self.hubs.rate(above.group, parts))
                    self.hub_model.learn(above.example, outcome, offset=offset, weight=0.2 * weight)
                # What one listing leads to counts once for the others of its group, however much it is.
                share_of_it = 1.0 / (1.0 + self._trail.count(above) / o.siblings) if o.siblings else 1.0
                self.hubs.add(above.group, parts, outcome, weight=share_of_it)
                if o.series and above.series != parts.section:
                    # Page 1 of a listing hangs from a menu with all the others; pages 2, 3 … are their own section.
                    self.hubs.add_section(above.series, outcome)
                    self.groups.refresh_section(above.series)
            elif outcome > 0.5 and o.credit:
                self.hubs.add(above.group, parts, 1.0, weight=share)
            self.groups.refresh(above.group)
            share *= o.credit
        return share_of_it

    def revise(self, page: Judged, before: Verdict) -> None:
        """Correct the rates of the page's group and of the links that led to it; the models forget by themselves."""
        if page.repeats:
            return  # it counted as nothing
        now, then = self._outcome(page.verdict), self._outcome(before)
        change = now - then
        group = page.group or page.page.host
        parts = self.groups.know(group)
        self.relevant.correct(group, parts, change)
        if (promise := self.groups.promises.get(parts.host)) is not None:
            promise.correct(promise_of(now, page.topicality) - promise_of(then, before.topicality))
        self.groups.refresh(group)
        if (above := next(self._trail.above(page.parent), None)) is not None:
            # It counted as one of many pages that were led to, so no more than that is taken back.
            self.hubs.correct(above.group, self.groups.know(above.group), self._trail.weight(page.key) * change)
            self.groups.refresh(above.group)

    def rescored(self) -> dict[UrlKey, float]:
        """Return the links that first looks and the portfolio call up, with raised scores, and those scored anew."""
        calls = self.portfolio.calls()
        if self.looks is not None:
            calls.update(self.looks.calls())
        self.waiting.call_up(calls)
        return {**self._scored_anew(), **{key: AHEAD + score for key, score in calls.items()}}

    def set_aside(self, keys: Sequence[UrlKey]) -> None:
        """Take note of links that are neither to be called up nor scored anew."""
        self.portfolio.leave(keys)
        self.waiting.leave(keys)

    def take_up(self, entries: Sequence[Entry]) -> None:
        """Take note of links that have waited since an earlier session, so that their scores go on to follow."""
        o = self.options
        if not (o.anew and o.learn):
            return
        for entry in entries:
            origin = entry.origin
            if LEARNED not in origin.parts or not 0.0 <= entry.score <= 1.0:
                continue  # a seed, or one called up, or one that waits behind all others
            self.groups.know(entry.group)
            self.waiting.add(
                entry.key,
                fixed=math.fsum(self.weights.get(part, 0.0) * v for part, v in origin.parts.items() if part != LEARNED),
                score=entry.score,
                evidence=self.waiting.evidence(origin.carried),
                group=entry.group,
                text=self.topic.tokens(origin.anchor) if o.words else (),
                path=path_words(url_tokens(entry.url), entry.host, origin.parts) if o.words else (),
            )

    def observe_event(self, page: Judged) -> None:
        """Learn from a page another worker has judged: neither its words nor its links are needed."""
        self.observe(page, own=False)

    def share_looks(self, *, makes: bool) -> None:
        """Learn that other workers crawl too, and whether this one makes the looks for all of them."""
        if self.looks is not None:
            self.looks.share(makes=makes)

    def look_news(self) -> LookNews | None:
        """Return what the page ranked last shows that looks go by."""
        return self.looks.news() if self.looks is not None else None

    def observe_looks(self, page: Judged, news: LookNews) -> None:
        """Learn what a page shows that another worker has ranked."""
        if self.looks is not None:
            self.looks.observe(Opened(page.key, page.group, page.page.host, news.hosts, news.best), news)

    def missed(self, host: HostKey, key: UrlKey) -> None:
        """Take note of a fetch that gave no page: the link is not to be called up any more."""
        self.portfolio.leave([key])
        self.waiting.leave([key])
        if self.looks is not None:
            self.looks.missed(host, key)

    def led_back(self, group: GroupKey) -> None:
        """Count a page that sends its visitors on to one fetched before: for its group, and for none of its words."""
        self.relevant.add(group, self.groups.know(group), 0.0)
        self.groups.refresh(group)

    def offsets(self) -> dict[GroupKey, float]:
        """Return the group offsets that changed since the last call."""
        return self.groups.changed()

    def _grade(self, page: Judged) -> float:
        if page.verdict.leads:
            self.harvest.found(page.verdict.lead - page.verdict.threshold)
        return self._outcome(page.verdict)

    def _outcome(self, verdict: Verdict) -> float:
        o = self.options
        return self.harvest.grade(verdict, bar=o.bar, band=o.band) if o.graded else float(verdict.leads)

    # ---------------------------------------------------------------- ranking

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the local score of each link, and its group."""
        o = self.options
        quality = scores.get("quality")
        source = source_series(page.page)
        shared: dict[str, float] = {"bias": 1.0}
        if page.verdict.leads:
            shared["parent_on_topic"] = 1.0
        elif page.tunnel:
            shared["tunnel"] = min(1.0, page.tunnel / 4.0)
        learned = self.odds.of_page(shared, pages=self._pages)
        waiting = self.waiting
        places: dict[tuple[str, ...], tuple[str, str]] = {}
        made: dict[tuple[int, float], Explained] = {}
        evidence: dict[int, int] = {}
        files = [is_file(quality, i) for i in range(len(links))]
        pages = [link for link, file in zip(links, files, strict=True) if not file]  # episodes make no directory
        of_looks = None if self.looks is None else LinksOfPage(self.looks, page, pages, most=len(links))
        out: list[Ranked] = []
        portfolio, topicality = self.portfolio, page.topicality
        group_of, shares = self.groups.named, self.groups.share
        for i, (link, weighed) in enumerate(zip(links, self.heuristic.weigh(page, links, scores), strict=True)):
            score = weighed.score
            where = places.get(link.dom_sig)
            if where is None:
                spot = spot_of(link)
                where = places[link.dom_sig] = place_name(page.page.host, spot), place_name(source, spot)
            place, place_of_source = where
            if weighed.named and o.named:
                place_of_source += NAMED
            group = group_of(link.host, target_section(link.url), place, place_of_source)
            features, part, bare = learned(link, score, shares[group])
            explained = made.get((id(score), part))
            if explained is None:
                value = clip01((1.0 - _SHARE) * score.value + _SHARE * part)
                explained = made[id(score), part] = Explained(value, {**score.parts, LEARNED: part}, score.reason)
            keep = not files[i]
            if keep:
                if o.anew and o.learn and explained.value > waiting.score(link.key):
                    number = evidence.get(id(features))
                    if number is None:
                        number = evidence[id(features)] = waiting.evidence(features)
                    waiting.add(
                        link.key,
                        fixed=(1.0 - _SHARE) * score.value,
                        score=explained.value,
                        evidence=number,
                        group=group,
                        text=link.text_tokens if o.words else (),
                        path=path_words(link.url_tokens, link.host, score.parts) if o.words else (),
                    )
                if of_looks is not None:
                    of_looks.add(link, explained.value, group)
                if portfolio.members:
                    portfolio.add(link.key, (score.value, topicality), explained.value)
            without = clip01((1.0 - _SHARE) * weighed.without_anchor + _SHARE * bare)
            out.append(make_ranked(explained, group, keep, features, without))
        if of_looks is not None:
            of_looks.end()
        return out

    def seed(self, key: UrlKey, url: str, host: str) -> Ranked:
        """Return the place of a seed: first."""
        del key
        return Ranked(Explained(1.0, reason="seed"), self.groups.named(host, target_section(url), "", ""))

    def _scored_anew(self) -> dict[UrlKey, float]:
        """Return the scores of links that wait where they moved, every few pages."""
        o = self.options
        if not o.anew or self._since_anew < o.anew:
            return {}
        self._since_anew = 0
        z = self.waiting.log_odds(self.model, self.hub_model, self.groups.share)
        scores = np.clip(self.waiting.fixed() + _SHARE * self.odds.parts(z), 0.0, 1.0)
        return self.waiting.take(scores, self.groups.offsets, least=_WORTH_TELLING, first=_FIRST)

    # ------------------------------------------------------------------ state

    def snapshot(self) -> dict[str, object]:
        """Return what was learned."""
        return {
            "pages": self._pages,
            **self.harvest.snapshot(),
            "mean_score": self._mean_score,
            "promises": rows_of(self.groups.promises),
            "portfolio": self.portfolio.snapshot(),
            "waiting": self.looks.waiting() if self.looks is not None else [],
            "looked": self.looks.looked() if self.looks is not None else {},
            "referrers": self.looks.referrers.snapshot() if self.looks is not None else {},
            **{name: part.snapshot() for name, part in self._learners().items()},
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        pages, mean = state.get("pages"), state.get("mean_score")
        self._pages = pages if isinstance(pages, int) else 0
        self._mean_score = float(mean) if isinstance(mean, int | float) else 0.3
        self.harvest.restore(state)
        for name, part in self._learners().items():
            saved = state.get(name)
            if isinstance(saved, Mapping):
                part.restore(saved)
        # Runs of older versions have counted outcomes alone.
        self.groups.promises = tallies_of(state.get("promises")) or {
            host: Tally(tally.trials, tally.successes) for host, tally in self.relevant.hosts.items()
        }
        portfolio = state.get("portfolio")
        if isinstance(portfolio, Mapping):
            self.portfolio.restore(portfolio)
        if self.looks is not None:
            pages = {host: tally.trials for host, tally in self.relevant.hosts.items()}
            self.looks.restore(pages, state.get("waiting"), state.get("referrers"), state.get("looked"))
        self.groups.refresh_restored()

    def _learners(self) -> dict[str, LinkModel | Levels]:
        return {
            "model": self.model,
            "hub_model": self.hub_model,
            "relevant": self.relevant,
            "hubs": self.hubs,
            "opens": self.opens,
            "taken": self.taken,
        }


def make_apprentice(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    options: ApprenticeOptions = _DEFAULTS,
) -> Apprentice:
    """Return the strategy ``apprentice``; `seed` is not used."""
    del seed
    return Apprentice(topic, weights=weights, options=options)
