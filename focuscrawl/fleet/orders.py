"""Orders to a running crawl: what can be said, checked where it is given, and how it is written down.

Orders of a crawl are a list that only grows. Who joins later takes them from the first on, so a banned host stays
banned and a changed topic stays changed, on every worker.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from focuscrawl.errors import ConfigError
from focuscrawl.page.urls import host_of, normalize_url
from focuscrawl.topic.faults import did_you_mean

PAUSE, RESUME, STOP = "pause", "resume", "stop"
RETOPIC, SEEDS, BAN, SET = "retopic", "add-seeds", "ban-host", "set"
KINDS = frozenset({PAUSE, RESUME, STOP, RETOPIC, SEEDS, BAN, SET})

MAX_ORDERS = 10_000
MAX_BYTES = 8 * 1024 * 1024
"""Of one order: a topic with its samples is the largest."""
MAX_SEEDS = 10_000

LIMITS: Mapping[str, str] = {
    "pages": "stop after so many pages of all workers together; 0: no limit",
    "minutes": "stop after so many minutes, counted from the start of each worker; 0: no limit",
    "relevant": "stop after so many relevant pages; 0: no limit",
    "min_harvest": "stop when fewer of the last 100 pages are relevant, in [0, 1]; 0: never",
}
"""What `set` can change."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order; `args` is JSON-safe."""

    kind: str
    args: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0  # Unix time it was given

    def to_json(self) -> str:
        """Return one line of JSON.

        Raises
        ------
        ConfigError
            If it is too long to be sent.
        """
        line = json.dumps({"order": self.kind, "at": self.at, **self.args}, ensure_ascii=False, allow_nan=False)
        if len(line.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise ConfigError(
                f"{self.kind}: {len(line):,} characters are too many to send; at most {MAX_BYTES:,} bytes."
            )
        return line

    @classmethod
    def from_json(cls, line: str | bytes) -> Order | None:
        """Return the order in a line; None for what is none, as a later version may write."""
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(data, dict) or data.get("order") not in KINDS:
            return None
        at = data.pop("at", 0.0)
        return cls(data.pop("order"), data, float(at) if isinstance(at, int | float) else 0.0)


def simple(kind: str) -> Order:
    """Return an order without arguments: pause, resume, stop."""
    return Order(kind, at=time.time())


def ban_host(text: str) -> Order:
    """Return the order to leave a host alone, and all below it; a URL stands for its host.

    A host of another alphabet is meant in the form links have it (``xn--…``), one with a port only with that port.

    Raises
    ------
    ConfigError
        If it is no host.
    """
    name = text.strip()
    if "://" in name:
        name = name.split("://", 1)[1].partition("/")[0].rpartition("@")[2]
    url = f"http://{name}/"
    normal = None if set(name) & set("/@?#*") else normalize_url(url, url)
    if normal is None or not name:
        raise ConfigError(f'"{text}": no host; expected a name such as example.org, with which all below it are meant.')
    return Order(BAN, {"host": host_of(normal)}, time.time())


def add_seeds(urls: Sequence[str]) -> Order:
    """Return the order to fetch URLs first.

    Raises
    ------
    ConfigError
        If there are none, too many, or one is no http or https URL; nothing is sent then.
    """
    seeds = []
    for url in urls:
        normal = normalize_url(url, url)
        if normal is None:
            raise ConfigError(f'"{url}": cannot be crawled; expected an http or https URL.')
        seeds.append(normal)
    if not seeds:
        raise ConfigError("add-seeds: no URLs are given.")
    if len(seeds) > MAX_SEEDS:
        raise ConfigError(f"add-seeds: {len(seeds):,} URLs; at most {MAX_SEEDS:,} at once.")
    return Order(SEEDS, {"urls": list(dict.fromkeys(seeds))}, time.time())


def set_limit(text: str) -> Order:
    """Return the order for ``KEY=VALUE``.

    Raises
    ------
    ConfigError
        If the key is none of `LIMITS`, or the value does not suit it.
    """
    name, equals, value = text.partition("=")
    name = name.strip().lower().replace("-", "_")
    if not equals or not name:
        raise ConfigError(f'"{text}": expected KEY=VALUE, as in pages=5000.')
    if name not in LIMITS:
        known = ", ".join(LIMITS)
        raise ConfigError(
            f'"{name}" cannot be set while a crawl runs; known: {known}.{did_you_mean(name, list(LIMITS))}'
        )
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    whole = name in ("pages", "relevant")
    if not math.isfinite(number) or number < 0.0 or (whole and number != int(number)):
        raise ConfigError(
            f"{name} = {value.strip() or 'nothing'}: expected {'a whole' if whole else 'a'} number, 0 or more."
        )
    if name == "min_harvest" and number > 1.0:
        raise ConfigError(f"min_harvest = {value.strip()}: expected a share in [0, 1], as in 0.05.")
    return Order(SET, {"name": name, "value": int(number) if whole else number}, time.time())


def paused(orders: Sequence[Order]) -> bool:
    """Tell whether a crawl is paused after `orders`."""
    last = [order.kind for order in orders if order.kind in (PAUSE, RESUME)]
    return bool(last) and last[-1] == PAUSE
