"""Dynamic threshold and tunnel probability: when a link is refused (docs/formulas.md B.8; Li 2002, 4.4.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from focuscrawl.errors import ConfigError
from focuscrawl.types import UrlKey, draw

_MIN_JUDGED = 20  # B.8: a share of fewer pages says too little


@dataclass(frozen=True, slots=True)
class ThresholdOptions:
    """Constants of B.8 with its defaults."""

    c: float = 0.5  # threshold at the start
    window: int = 200  # W: judged pages that make up the precision
    every: int = 50  # U: judged pages between two changes
    eta: float = 0.05  # step
    p_target: float = 0.5  # precision aimed at
    c_min: float = 0.1
    c_max: float = 0.9
    kappa: float = 1.5  # tunnel probability over estimated tunnel frequency
    p_min: float = 0.01
    p_max: float = 0.2

    def __post_init__(self) -> None:
        for option in ("c", "p_target", "c_min", "c_max", "p_min", "p_max"):
            value = getattr(self, option)
            if not (isinstance(value, int | float) and 0.0 <= value <= 1.0):
                raise ConfigError(f"threshold option {option} = {value!r}: expected a number in [0, 1]")
        for option in ("window", "every"):
            value = getattr(self, option)
            if not (isinstance(value, int) and value >= 1):
                raise ConfigError(f"threshold option {option} = {value!r}: expected a whole number of at least 1")
        for option in ("eta", "kappa"):
            value = getattr(self, option)
            if not (isinstance(value, int | float) and 0.0 <= value < float("inf")):
                raise ConfigError(f"threshold option {option} = {value!r}: expected a number of at least 0")
        for low, high in (("c_min", "c_max"), ("p_min", "p_max")):
            if getattr(self, low) > getattr(self, high):
                raise ConfigError(f"threshold options {low} and {high}: {low} must not exceed {high}")


class DynamicThreshold:
    """Raises the threshold for links while few fetched pages are relevant, and lowers it while many are.

    A link below the threshold is kept with probability ``p``, 1.5 times the estimated frequency with which such
    links lead to relevant pages. Draws are bound to (seed, URL key).

    >>> t = DynamicThreshold()
    >>> for i in range(50): t.judged(i % 10 < 3)
    >>> round(t.c, 6)
    0.51
    """

    def __init__(self, options: ThresholdOptions | None = None, *, seed: int = 0) -> None:
        self.options = options or ThresholdOptions()
        self.seed = seed
        self.c = self.options.c
        self.tries = 0
        self.successes = 0
        self._window: deque[bool] = deque(maxlen=self.options.window)
        self._since_change = 0

    @property
    def precision(self) -> float:
        """Share of relevant pages among the last W judged; 0 before the first."""
        return sum(self._window) / len(self._window) if self._window else 0.0

    @property
    def tunnel_frequency(self) -> float:
        """Estimated share q of below-threshold links that are worth fetching: (succ + 1) / (tries + 2)."""
        return (self.successes + 1) / (self.tries + 2)

    @property
    def p(self) -> float:
        """Probability that a link below the threshold is kept."""
        o = self.options
        return min(o.p_max, max(o.p_min, o.kappa * self.tunnel_frequency))

    def judged(self, relevant: bool) -> None:
        """Count a judged page; moves the threshold after every U pages, once at least 20 are judged."""
        self._window.append(relevant)
        self._since_change += 1
        o = self.options
        if self._since_change >= o.every and len(self._window) >= min(_MIN_JUDGED, o.window):
            self._since_change = 0
            self.c = min(o.c_max, max(o.c_min, self.c + o.eta * (o.p_target - self.precision)))

    def tunnel(self, success: bool) -> None:
        """Count the fetch of a below-threshold link, and whether its page was relevant."""
        self.tries += 1
        self.successes += success

    def credit(self) -> None:
        """Count an earlier failed tunnel as a success: a descendant within three hops is relevant."""
        if self.successes < self.tries:
            self.successes += 1

    def keep(self, key: UrlKey) -> bool:
        """Tell whether the below-threshold link `key` is queued all the same."""
        return draw(self.seed, key, "keep") < self.p

    def snapshot(self) -> dict[str, object]:
        """Return the learned state as JSON-safe data."""
        return {
            "c": self.c,
            "tries": self.tries,
            "successes": self.successes,
            "since_change": self._since_change,
            "window": "".join("1" if relevant else "0" for relevant in self._window),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what `snapshot` returned; the options stay this object's own."""
        o = self.options
        self.c = min(o.c_max, max(o.c_min, float(state["c"])))
        self.tries = int(state["tries"])
        self.successes = int(state["successes"])
        self._since_change = int(state["since_change"])
        self._window = deque((mark == "1" for mark in str(state["window"])), maxlen=o.window)
