"""InfoSpiders (docs/formulas.md J.7; Menczer and Belew 2000, *Adaptive Retrieval Agents*).

A population of agents crawls. Each has energy, a list of keywords and a perceptron over them. Of a keyword k and a link
l, the input is the sum of 1 / distance over the occurrences of k within 100 words of l; the estimate of the link is
``out = tanh(sum of weight_k * in_kl)``, and an agent follows a link with probability proportional to exp(3 * out).
A fetched page brings ``similarity - 0.1`` of energy and corrects the perceptron by
``0.1 * (gain + 0.9 * largest out on the page - out) * in``. With an energy of 2 an agent splits: the child has half
of it, and a frequent word of the page for its weakest keyword. Without energy it dies.

Agents share one frontier, each the owner of a group. Taking the largest of ``3 * out + G``, with G drawn from the
Gumbel distribution, is the same as drawing in proportion to exp(3 * out). The links of a dead agent stand behind all
others; should one be fetched because nothing else is left, the agent lives again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.page.model import Link
from focuscrawl.ranking.base import SEED_SCORE, Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, GroupKey, UrlKey, clip01, draw

BETA = 3.0
COST = 0.1  # of a fetch
RATE, DISCOUNT = 0.1, 0.9
_WINDOW = 100  # words on either side of a link
_SPLIT_AT = 2.0
_START = 1.0  # energy, half of what splits
_KEYWORDS = 10
_FIRST_WEIGHT = 0.5
_MOST_AGENTS = 256
_BEHIND = -1.0
_SQUASH = 4.0  # 3 out + G lies in about -5 … 10; its order is what counts
_PREFIX = "agent|"


@dataclass(slots=True)
class Agent:
    """One spider."""

    energy: float
    weights: dict[str, float]  # by keyword

    @property
    def alive(self) -> bool:
        """Whether it has energy left."""
        return self.energy > 0.0

    def estimate(self, inputs: Mapping[str, float]) -> float:
        """Return out for a link, in [-1, 1]."""
        return math.tanh(math.fsum(self.weights.get(word, 0.0) * value for word, value in inputs.items()))


def places_of_links(links: Sequence[Link], tokens: Sequence[str]) -> list[int]:
    """Return where in the page's words each link stands: its text is looked for from the link before it on.

    A link whose text is not found stands where its number among the page's links puts it.
    """
    found: list[int] = []
    index: dict[str, list[int]] = {}
    for at, token in enumerate(tokens):
        index.setdefault(token, []).append(at)
    last = 0
    for link in sorted(links, key=lambda one: one.position):
        place = -1
        words = link.anchor_tokens
        if words:
            for at in index.get(words[0], ()):
                if at >= last and tuple(tokens[at : at + len(words)]) == words:
                    place = at
                    break
        if place >= 0:
            last = place
        else:
            place = round(link.position / max(1, link.n_links) * len(tokens))
        found.append(place)
    order = sorted(range(len(links)), key=lambda i: links[i].position)
    places = [0] * len(links)
    for i, place in zip(order, found, strict=True):
        places[i] = place
    return places


def link_inputs(links: Sequence[Link], tokens: Sequence[str], keywords: Sequence[str]) -> list[dict[str, float]]:
    """Return the inputs of each link by keyword, those of 0 left out."""
    out: list[dict[str, float]] = [{} for _ in links]
    if not links:
        return out
    start = np.array(places_of_links(links, tokens))
    end = start + np.array([max(1, len(link.anchor_tokens)) for link in links]) - 1
    wanted = frozenset(keywords)
    where: dict[str, list[int]] = {}
    for at, token in enumerate(tokens):
        if token in wanted:
            where.setdefault(token, []).append(at)
    for word in keywords:
        found: NDArray[np.int64] = np.array(where.get(word, ()), dtype=np.int64)
        distance = np.maximum(start[:, None] - found, found - end[:, None])
        sums = np.where(distance <= _WINDOW, 1.0 / np.maximum(distance, 1), 0.0).sum(axis=1)
        for inputs, value in zip(out, sums.tolist(), strict=True):
            if value > 0.0:
                inputs[word] = value
    return out


class InfoSpiders(Ranker):
    """See the module's docstring."""

    name = "infospiders"

    def __init__(self, topic: TopicModel, *, seed: int = 0) -> None:
        self._seed = seed
        words = [token for term, _ in topic.top_terms(_KEYWORDS) for token in topic.tokens(term)]
        self._keywords = tuple(dict.fromkeys(words))[:_KEYWORDS]
        self.agents: list[Agent] = []
        self._changed: dict[GroupKey, float] = {}
        self._gain: tuple[UrlKey, float] = (0, 0.0)

    def seed(self, key: UrlKey, url: str, host: str) -> Ranked:
        """Give each seed an agent, while there are few."""
        del key, url, host
        if len(self.agents) < _MOST_AGENTS // 4:
            self.agents.append(Agent(_START, dict.fromkeys(self._keywords, _FIRST_WEIGHT)))
        return Ranked(SEED_SCORE, f"{_PREFIX}{len(self.agents) - 1}")

    def observe(self, page: Judged) -> None:
        """Pay the agent that fetched the page."""
        agent = self._owner(page)
        if not agent.alive:
            agent.energy = _START
            self._changed[self._group(agent)] = 0.0
        similarity = clip01(page.topicality)
        self._gain = page.key or page.page.key, similarity
        agent.energy += similarity - COST
        if not agent.alive:
            self._changed[self._group(agent)] = _BEHIND

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Correct the agent by what the page was worth; return its estimates of the links, with their lots."""
        del scores
        agent = self._owner(page)
        inputs = link_inputs(links, page.page.tokens, tuple(agent.weights))
        outs = [agent.estimate(one) for one in inputs]
        self._correct(agent, page, max(outs, default=0.0))
        child = self._split(agent, page)
        out: list[Ranked] = []
        for link, one, estimate in zip(links, inputs, outs, strict=True):
            # Parent and child go on from the same page: each takes half of its links.
            owner = agent if child is None or draw(self._seed, link.key, "agent") < 0.5 else child
            lot = draw(self._seed, link.key, "infospiders")
            gumbel = -math.log(-math.log(min(max(lot, 1e-12), 1.0 - 1e-12)))
            value = 1.0 / (1.0 + math.exp(-(BETA * estimate + gumbel) / _SQUASH))
            group = self._group(owner)
            parts = {"estimate": clip01(0.5 + 0.5 * estimate), "lot": lot}
            out.append(
                Ranked(Explained(clip01(value), parts, f"estimate {estimate:.2f} of {group}"), group, inherit=one)
            )
        return out

    def offsets(self) -> dict[GroupKey, float]:
        """Return the groups of agents that died, or live again."""
        changed, self._changed = self._changed, {}
        return changed

    def snapshot(self) -> dict[str, object]:
        """Return the population."""
        return {"agents": [[agent.energy, dict(agent.weights)] for agent in self.agents]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what `snapshot` returned."""
        self.agents = [
            Agent(float(energy), {str(word): float(weight) for word, weight in weights.items()})
            for energy, weights in state["agents"]
        ]

    # ------------------------------------------------------------------- private

    def _owner(self, page: Judged) -> Agent:
        number = page.group.removeprefix(_PREFIX)
        known = int(number) if number != page.group and number.isdecimal() else 0
        while known >= len(self.agents) and len(self.agents) < _MOST_AGENTS:
            self.agents.append(Agent(_START, dict.fromkeys(self._keywords, _FIRST_WEIGHT)))
        return self.agents[min(known, len(self.agents) - 1)]

    def _group(self, agent: Agent) -> GroupKey:
        return f"{_PREFIX}{next(i for i, one in enumerate(self.agents) if one is agent)}"

    def _correct(self, agent: Agent, page: Judged, best_out: float) -> None:
        """Move the weights by the delta rule; the inputs are those of the link the page was reached by."""
        key, gain = self._gain
        if key != (page.key or page.page.key) or not page.inherited:
            return
        inputs = {word: value for word, value in page.inherited.items() if word in agent.weights}
        delta = RATE * (gain + DISCOUNT * best_out - agent.estimate(inputs))
        for word, value in inputs.items():
            # Bounded: many occurrences beside a link would throw a weight far out with one page.
            agent.weights[word] = min(3.0, max(-3.0, agent.weights[word] + delta * min(1.0, value)))

    def _split(self, agent: Agent, page: Judged) -> Agent | None:
        """Return the child of an agent that has energy for two."""
        if agent.energy < _SPLIT_AT or len(self.agents) >= _MOST_AGENTS:
            return None
        agent.energy /= 2.0
        weights = dict(agent.weights)
        frequent = Counter(token for token in page.page.content_tokens if token not in weights and len(token) > 1)
        if frequent and weights:
            del weights[min(weights, key=lambda word: (abs(weights[word]), word))]
            best = max(frequent.values())
            weights[min(word for word, count in frequent.items() if count == best)] = _FIRST_WEIGHT
        child = Agent(agent.energy, weights)
        self.agents.append(child)
        return child


def make_infospiders(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> InfoSpiders:
    """Return the strategy ``infospiders``."""
    del weights
    return InfoSpiders(topic, seed=seed)
