"""Strategies whose priority is the value of one scorer (docs/formulas.md J.10): uh, teh, tih, amh, dom, rw, rwb.

Links that score 0 under uh, teh, tih, amh and dom are queued at the lowest priority, first in first out: a crawl
that drops them dies wherever the pages around its seeds do not name the topic. rw and rwb have a threshold of
their own (B.5) and a rule for what is below it (B.8), and drop what that rule does not keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.ranking.threshold import DynamicThreshold, ThresholdOptions
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained

# A relevant page this many links below a below-threshold one still counts as the tunnel's success (B.8).
_TUNNEL_HOPS = 3
_MOST_OPEN = 10_000
"""Tunnels without success that are remembered: of an older one a late success is not credited."""
# Keys under which a link carries its tunnel; a link off the threshold is the entrance (hop 0).
_BELOW, _TUNNEL, _HOPS = "below", "tunnel", "hops"


class Scored(Ranker):
    """The scorer's value is the priority."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.needs = (name,)

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the scorer's value for each link."""
        del page
        return [Ranked(score, link.host) for link, score in zip(links, scores[self.name], strict=True)]


class Thresholded(Scored):
    """As `Scored`, with the dynamic threshold and the tunnel probability of B.8.

    The threshold is applied to the relatedness before the scorer's own cut (``parts["raw"]``), so that it can also
    fall; for rwb, the value of a second or third chance counts where it is higher.
    """

    def __init__(self, name: str, threshold: DynamicThreshold) -> None:
        super().__init__(name)
        self.threshold = threshold
        self._here: tuple[int, int] = (-1, -1)  # the page observed last and the tunnel that starts at it
        self._open: dict[int, None] = {}  # tunnels without success so far, by number, the oldest first

    def observe(self, page: Judged) -> None:
        """Count the page's relevance, and a tunnel's success or failure."""
        relevant = page.verdict.relevant
        self.threshold.judged(relevant)
        number = -1
        if _BELOW in page.inherited:
            number = self.threshold.tries
            self.threshold.tunnel(relevant)
            if not relevant:
                self._open[number] = None
                if len(self._open) > _MOST_OPEN:
                    del self._open[next(iter(self._open))]
        if relevant and _TUNNEL in page.inherited:
            earlier = int(page.inherited[_TUNNEL])
            if earlier in self._open:
                del self._open[earlier]
                self.threshold.credit()
        self._here = (page.page.key, number)

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the place of each link; ``keep`` is False for those below the threshold that are not drawn."""
        threshold = self.threshold
        c = threshold.c
        inherit = self._passed_on(page)
        below_inherit = {**inherit, _BELOW: 1.0}
        out: list[Ranked] = []
        for link, score in zip(links, scores[self.name], strict=True):
            value = max(score.value, score.parts.get("raw", 0.0))
            if value >= c:
                if value != score.value:
                    score = Explained(value, score.parts, f"{score.reason}; above the threshold {c:.2f}")
                out.append(Ranked(score, link.host, inherit=inherit))
            elif threshold.keep(link.key):
                # Below every link above the threshold whatever its value: 0, first in first out.
                kept = Explained(0.0, score.parts, f"below the threshold {c:.2f}, kept as a tunnel")
                out.append(Ranked(kept, link.host, inherit=below_inherit))
            else:
                refused = Explained(0.0, score.parts, f"below the threshold {c:.2f}")
                out.append(Ranked(refused, link.host, keep=False))
        return out

    def snapshot(self) -> dict[str, object]:
        """Return threshold and open tunnels."""
        return {"threshold": self.threshold.snapshot(), "open": list(self._open)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what `snapshot` returned."""
        self.threshold.restore(state["threshold"])
        self._open = dict.fromkeys(int(number) for number in state["open"][-_MOST_OPEN:])

    def _passed_on(self, page: Judged) -> dict[str, float]:
        """Return what the links of `page` carry: the tunnel it starts or is in, and the hops since its entrance."""
        key, number = self._here
        if key == page.page.key and number >= 0:
            return {_TUNNEL: float(number), _HOPS: 1.0}
        hops = page.inherited.get(_HOPS, 0.0)
        if _TUNNEL in page.inherited and hops < _TUNNEL_HOPS:
            return {_TUNNEL: page.inherited[_TUNNEL], _HOPS: hops + 1.0}
        return {}


def _make_scored(name: str, topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> Scored:
    del topic, seed, weights
    return Scored(name)


def _make_thresholded(
    name: str,
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    c: float = 0.5,
    window: int = 200,
    every: int = 50,
    eta: float = 0.05,
    p_target: float = 0.5,
    c_min: float = 0.1,
    c_max: float = 0.9,
    kappa: float = 1.5,
    p_min: float = 0.01,
    p_max: float = 0.2,
) -> Thresholded:
    del topic, weights
    options = ThresholdOptions(c, window, every, eta, p_target, c_min, c_max, kappa, p_min, p_max)
    return Thresholded(name, DynamicThreshold(options, seed=seed))


make_uh = partial(_make_scored, "uh")
make_teh = partial(_make_scored, "teh")
make_tih = partial(_make_scored, "tih")
make_amh = partial(_make_scored, "amh")
make_dom = partial(_make_scored, "dom")
make_rw = partial(_make_thresholded, "rw")
make_rwb = partial(_make_thresholded, "rwb")
