"""The logistic model over a link's own features: named ones, words of the anchor, words of the URL.

It learns one example at a time, with a step size for each coordinate (AdaGrad: Duchi, Hazan, Singer 2011; in the form
McMahan et al. 2013 use for sparse on-line prediction). Weights are pulled towards their *prior*, not towards 0: with
nothing learned the model is the heuristic it started from, and a feature that is seldom seen stays there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MAX_WORDS = 12  # anchors longer than this are sentences; their tail adds cost, not evidence


def sigmoid(z: float) -> float:
    """Return 1 / (1 + e^-z) without overflow."""
    if z >= 0.0:
        return 1.0 / (1.0 + math.exp(-z))
    e = math.exp(z)
    return e / (1.0 + e)


@dataclass(frozen=True, slots=True)
class LinkExample:
    """A link as the model sees it."""

    dense: Mapping[str, float] = field(default_factory=dict)  # name -> value in [0, 1]
    anchor: Sequence[str] = ()
    url: Sequence[str] = ()


class _Table:
    """Weights of one kind of feature with their accumulated squared gradients."""

    __slots__ = ("priors", "squares", "weights")

    def __init__(self, priors: Mapping[str, float]) -> None:
        self.priors = dict(priors)
        self.weights = dict(priors)
        self.squares: dict[str, float] = {}


class LinkModel:
    """See the module's docstring.

    Parameters
    ----------
    prior
        Weights of named features to start from, in log-odds a unit of the feature; words start at 0.
    rate
        Step size of a coordinate that has seen no gradient yet.
    pull
        Strength of the pull towards the prior, per example in which a feature occurs.
    limit
        No weight moves further than this from its prior: a few pages must not decide a crawl.
    """

    def __init__(self, prior: Mapping[str, float], *, rate: float, pull: float, limit: float = 4.0) -> None:
        self.rate = rate
        self.pull = pull
        self.limit = limit
        self.seen = 0
        self._dense = _Table(prior)
        self._anchor = _Table({})
        self._url = _Table({})

    def dense_logit(self, features: Mapping[str, float]) -> float:
        """Return the log-odds that named features add."""
        get = self._dense.weights.get
        return sum([get(name, 0.0) * value for name, value in features.items()])

    def knows_none(self, anchor: Sequence[str], url: Sequence[str]) -> bool:
        """Tell whether no word of anchor or URL was ever learned from: the words then add nothing."""
        return self._anchor.weights.keys().isdisjoint(anchor) and self._url.weights.keys().isdisjoint(url)

    def words_logits(self, anchor: Sequence[str], url: Sequence[str]) -> tuple[float, float]:
        """Return the log-odds that the words of an anchor add, and those that the words of a URL add.

        Each of n words counts 1/√n, so that a link of many words and one of a single word weigh the same in length.
        """
        return _words_logit(self._anchor.weights, anchor), _words_logit(self._url.weights, url)

    def weights(self) -> tuple[Mapping[str, float], Mapping[str, float], Mapping[str, float]]:
        """Return the weights of named features, of words of texts, and of words of URLs, in log-odds."""
        return self._dense.weights, self._anchor.weights, self._url.weights

    def logit(self, example: LinkExample) -> float:
        """Return the log-odds of an example."""
        by_text, by_url = self.words_logits(example.anchor, example.url)
        return self.dense_logit(example.dense) + by_text + by_url

    def learn(self, example: LinkExample, outcome: float, *, offset: float = 0.0, weight: float = 1.0) -> float:
        """Move the weights by one example and return the probability predicted before it.

        Parameters
        ----------
        example
            The link.
        outcome
            In [0, 1].
        offset
            Log-odds that something else explains (the group's rate); it is not learned here.
        weight
            Importance of the example.
        """
        predicted = sigmoid(self.logit(example) + offset)
        error = (predicted - outcome) * weight
        for name, value in example.dense.items():
            if value:
                self._move(self._dense, name, value, error, weight)
        for table, tokens in ((self._anchor, example.anchor), (self._url, example.url)):
            kept = tokens[:MAX_WORDS]
            value = _word_value(len(kept))
            for token in kept:
                self._move(table, token, value, error, weight)
        self.seen += 1
        return predicted

    def _move(self, table: _Table, name: str, value: float, error: float, weight: float) -> None:
        prior = table.priors.get(name, 0.0)
        old = table.weights.get(name, 0.0)
        gradient = error * value + self.pull * weight * (old - prior)
        total = table.squares.get(name, 1.0) + gradient * gradient
        table.squares[name] = total
        new = old - self.rate * gradient / math.sqrt(total)
        table.weights[name] = min(max(new, prior - self.limit), prior + self.limit)

    def snapshot(self) -> dict[str, object]:
        """Return what was learned: for each table, name → [weight, sum of squared gradients]."""
        return {
            "seen": self.seen,
            **{
                kind: {n: [round(table.weights.get(n, 0.0), 5), round(s, 5)] for n, s in table.squares.items()}
                for kind, table in self._tables()
            },
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned."""
        seen = state.get("seen", 0)
        self.seen = seen if isinstance(seen, int) else 0
        for kind, table in self._tables():
            table.weights = dict(table.priors)
            table.squares = {}
            learned = state.get(kind, {})
            if isinstance(learned, Mapping):
                for name, (weight, squares) in learned.items():
                    table.weights[str(name)] = float(weight)
                    table.squares[str(name)] = float(squares)

    def _tables(self) -> tuple[tuple[str, _Table], ...]:
        return (("dense", self._dense), ("anchor", self._anchor), ("url", self._url))


def word_values(words: Sequence[str]) -> list[tuple[str, float]]:
    """Return the words of a link that count, each with what its weight is multiplied by."""
    counted = words[:MAX_WORDS]
    value = _word_value(len(counted))
    return [(word, value) for word in counted]


def _word_value(count: int) -> float:
    return 1.0 / math.sqrt(count) if count else 0.0


def _words_logit(weights: Mapping[str, float], tokens: Sequence[str]) -> float:
    if weights.keys().isdisjoint(tokens):
        return 0.0
    if len(tokens) > MAX_WORDS:
        tokens = tokens[:MAX_WORDS]
    # Few words have a weight: looking for these first takes a third of the time of asking for all.
    known = [weights[token] for token in tokens if token in weights]
    return _word_value(len(tokens)) * sum(known) if known else 0.0
