"""Shark-search: inherited relevance and the link's own words (docs/formulas.md J.4; Hersovici et al. 1998)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, clip01

_INHERITED = "inherited"


@dataclass(frozen=True, slots=True)
class SharkOptions:
    """delta: decay of what is inherited; beta: share of the anchor; gamma: share of what is inherited."""

    delta: float = 0.5
    beta: float = 0.8
    gamma: float = 0.5

    def __post_init__(self) -> None:
        for option in ("delta", "beta", "gamma"):
            value = getattr(self, option)
            if not (isinstance(value, int | float) and 0.0 <= value <= 1.0):
                raise ConfigError(f"[ranking.options] {option} = {value!r}: expected a number in [0, 1]")


DEFAULTS = SharkOptions()


def inherited_score(similarity: float, inherited_by_parent: float, options: SharkOptions = DEFAULTS) -> float:
    """Return what the links of a page inherit: delta * its similarity, or of its own inheritance if that is 0.

    >>> inherited_score(0.6, 0.9), inherited_score(0.0, 0.3)
    (0.3, 0.15)
    """
    return options.delta * (similarity if similarity > 0.0 else inherited_by_parent)


def shark_score(
    inherited: float, anchor: float, surrounding: float, options: SharkOptions = DEFAULTS
) -> tuple[float, float]:
    """Return (score, neighbourhood score) of a link, both in [0, 1].

    Parameters
    ----------
    inherited
        `inherited_score` of the page that holds the link.
    anchor, surrounding
        Similarity of the topic to the link's own text and to the text around it.

    >>> [round(x, 6) for x in shark_score(0.3, 0.4, 0.0)], [round(x, 6) for x in shark_score(0.3, 0.0, 0.3)]
    ([0.41, 0.52], [0.18, 0.06])
    """
    context = 1.0 if anchor > 0.0 else surrounding
    neighbourhood = options.beta * anchor + (1.0 - options.beta) * context
    return options.gamma * inherited + (1.0 - options.gamma) * neighbourhood, neighbourhood


class Shark(Ranker):
    """Shark-search over the topic model's similarity."""

    name = "shark"

    def __init__(self, topic: TopicModel, options: SharkOptions = DEFAULTS) -> None:
        self._topic = topic
        self._options = options
        self.weights = {_INHERITED: options.gamma, "neighbourhood": 1.0 - options.gamma}

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return the shark score of each link; what it inherits travels with it."""
        del scores
        inherited = inherited_score(clip01(page.topicality), clip01(page.inherited.get(_INHERITED, 0.0)), self._options)
        similar = self._similarities(links)
        passed_on = {_INHERITED: inherited}
        known: dict[tuple[float, float], Explained] = {}
        out: list[Ranked] = []
        for link in links:
            pair = similar[link.text_tokens], similar[link.surrounding_tokens]
            score = known.get(pair)
            if score is None:
                value, neighbourhood = shark_score(inherited, *pair, self._options)
                parts = {_INHERITED: inherited, "neighbourhood": neighbourhood}
                reason = "inherited from the page, and the words in and around the link"
                score = known[pair] = Explained(clip01(value), parts, reason)
            out.append(Ranked(score, link.host, inherit=passed_on))
        return out

    def _similarities(self, links: Sequence[Link]) -> dict[tuple[str, ...], float]:
        """Return the similarity of each distinct text; one call for the page."""
        texts: dict[tuple[str, ...], float] = {}
        for link in links:
            texts[link.text_tokens] = 0.0
            if link.surrounding_tokens:
                texts[link.surrounding_tokens] = 0.0
        texts[()] = 0.0
        filled = [tokens for tokens in texts if tokens]
        if filled:
            for tokens, value in zip(filled, self._topic.similarity(filled).tolist(), strict=True):
                texts[tokens] = clip01(value)
        return texts


def make_shark(
    topic: TopicModel,
    *,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    delta: float = 0.5,
    beta: float = 0.8,
    gamma: float = 0.5,
) -> Shark:
    """Return the strategy ``shark``."""
    del seed, weights
    return Shark(topic, SharkOptions(delta, beta, gamma))
