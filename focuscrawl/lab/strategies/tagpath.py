"""Tag-path bandit (docs/formulas.md J.9; Gauquier, Manolescu, Senellart 2026, with the published settings).

Links at like places of templates are one *action*: their tag paths, with ids and classes, as bags of 2-grams, belong to
the nearest action whose centroid has a cosine of at least 0.75. The action with the largest upper confidence bound
``mean reward + 2 sqrt(2) * sqrt(ln t / n)`` goes first, and of its links a random one. The reward of a fetched page is
the number of relevant pages it leads to: each counts once it is fetched, for the action by which the page was reached.

An action is a group of the frontier, over all hosts, and its bound b the group's offset, as b / (1 + b); the draw
decides inside it. Actions without a fetched page come first, as their bound is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from focuscrawl.page.model import Link
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained, GroupKey, draw

_DIMENSIONS = 1 << 12
_LEAST_COSINE = 0.75
ALPHA = 2.0 * math.sqrt(2.0)
_MOST_ACTIONS = 512  # then the nearest one takes all; 8 MB of centroids
_PATHS = 20_000  # remembered
_DRAW = 0.001  # share of the draw in the priority: offsets that differ by more decide
_STEP = 0.001  # of an offset worth telling
_PREFIX = "tagpath|"


def upper_bound(mean: float, n: float, t: float) -> float:
    """Return the upper confidence bound of an action chosen `n` times of `t`.

    >>> round(upper_bound(0.4, 25, 100), 6)
    1.613942
    """
    return mean + ALPHA * math.sqrt(math.log(t) / n)


def path_vector(path: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return places and values, of length 1, of the bag of 2-grams of a tag path."""
    steps = ["^", *path, "$"]
    bag: dict[int, int] = {}
    for one, two in pairwise(steps):
        place = crc32(f"{one}\x00{two}".encode("utf-8", "surrogatepass")) % _DIMENSIONS
        bag[place] = bag.get(place, 0) + 1
    places = np.array(sorted(bag), dtype=np.int64)
    values = np.array([bag[place] for place in places.tolist()], dtype=np.float32)
    return places, values / np.sqrt(np.square(values).sum())


class TagPath(Ranker):
    """See the module's docstring."""

    name = "tagpath"

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed
        self.weights = {"draw": _DRAW}
        self._sums = np.zeros((8, _DIMENSIONS), dtype=np.float32)  # of the vectors of an action's paths
        self._lengths = np.zeros(8, dtype=np.float32)  # of these sums
        self._chosen: list[int] = []  # n by action
        self._reward: list[float] = []
        self._action_of: dict[tuple[str, ...], int] = {}
        self._told: list[float] = []

    @property
    def actions(self) -> int:
        """Actions known."""
        return len(self._chosen)

    def observe(self, page: Judged) -> None:
        """Count a choice, and the reward a relevant page is to the action its parent was reached by."""
        action = _action_in(page.group)
        if 0 <= action < self.actions:
            self._chosen[action] += 1
        if page.verdict.relevant:
            source = int(page.inherited.get("action", -1.0))
            if 0 <= source < self.actions:
                self._reward[source] += 1.0

    def rank(self, page: Judged, links: Sequence[Link], scores: Mapping[str, Sequence[Explained]]) -> list[Ranked]:
        """Return a draw for each link, in the group of its action."""
        del scores
        reached_by = _action_in(page.group)
        inherit = {"action": float(reached_by)} if reached_by >= 0 else {}
        out: list[Ranked] = []
        for link in links:
            action = self._action(link.dom_sig)
            chance = draw(self._seed, link.key, "tagpath")
            reason = f"tag path {action}, chosen {self._chosen[action]} times, reward {self._reward[action]:.0f}"
            out.append(
                Ranked(Explained(_DRAW * chance, {"draw": chance}, reason), f"{_PREFIX}{action}", inherit=inherit)
            )
        return out

    def offsets(self) -> dict[GroupKey, float]:
        """Return the bounds that changed, as b / (1 + b)."""
        t = sum(self._chosen)
        changed: dict[GroupKey, float] = {}
        for action, n in enumerate(self._chosen):
            bound = upper_bound(self._reward[action] / n, n, t) if n else math.inf
            offset = bound / (1.0 + bound) if n else 1.0
            if abs(offset - self._told[action]) >= _STEP:
                changed[f"{_PREFIX}{action}"] = self._told[action] = offset
        return changed

    def snapshot(self) -> dict[str, object]:
        """Return actions and rewards."""
        return {
            "chosen": list(self._chosen),
            "reward": list(self._reward),
            "centroids": [
                [[int(place), round(float(row[place]), 6)] for place in np.flatnonzero(row)]
                for row in self._sums[: self.actions]
            ],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what `snapshot` returned."""
        self._chosen = [int(n) for n in state["chosen"]]
        self._reward = [float(reward) for reward in state["reward"]]
        self._told = [0.0] * self.actions
        self._sums = np.zeros((max(8, self.actions), _DIMENSIONS), dtype=np.float32)
        for row, pairs in zip(self._sums, state["centroids"], strict=False):
            for place, value in pairs:
                row[int(place)] = value
        self._lengths = np.sqrt(np.square(self._sums).sum(axis=1))
        self._action_of.clear()

    def _action(self, path: tuple[str, ...]) -> int:
        """Return the action of a tag path, a new one where none is near."""
        known = self._action_of.get(path)
        if known is not None:
            return known
        places, values = path_vector(path)
        count = self.actions
        action = -1
        if count:
            cosines = self._sums[:count, places] @ values / self._lengths[:count]
            nearest = int(np.argmax(cosines))
            if cosines[nearest] >= _LEAST_COSINE or count >= _MOST_ACTIONS:
                action = nearest
        if action < 0:
            action = count
            if count == len(self._sums):
                self._sums = np.concatenate((self._sums, np.zeros_like(self._sums)))
                self._lengths = np.concatenate((self._lengths, np.zeros_like(self._lengths)))
            self._chosen.append(0)
            self._reward.append(0.0)
            self._told.append(0.0)
        self._sums[action, places] += values
        self._lengths[action] = np.sqrt(np.square(self._sums[action]).sum())
        if len(self._action_of) >= _PATHS:
            self._action_of.clear()
        self._action_of[path] = action
        return action


def _action_in(group: GroupKey) -> int:
    """Return the action a group stands for, -1 for none."""
    number = group.removeprefix(_PREFIX)
    return int(number) if number != group and number.isdecimal() else -1


def make_tagpath(topic: TopicModel, *, seed: int = 0, weights: Mapping[str, float] | None = None) -> TagPath:
    """Return the strategy ``tagpath``."""
    del topic, weights
    return TagPath(seed=seed)
