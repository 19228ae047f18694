"""Rules of every backend: accepted entries, options, and a higher score for a known entry."""

from __future__ import annotations

import math
from collections.abc import Mapping

from focuscrawl.errors import FrontierError
from focuscrawl.records import Entry
from focuscrawl.types import GroupKey, HostKey

MAX_KEY = (1 << 64) - 1
MAX_EXPIRIES = 10
"""Leases of an entry that may expire before it counts as failed. A lease expires because whoever held it died or was
cut off, seldom for what the page is; but a page that kills whoever fetches it must not kill workers for ever."""


def acceptable(entry: Entry) -> bool:
    """Return whether an entry can be queued: a finite score, a URL, a host, and a key of 64 bits."""
    return (
        math.isfinite(entry.score)
        and math.isfinite(entry.not_before)
        and 0 <= entry.key <= MAX_KEY
        and bool(entry.url)
        and bool(entry.host)
    )


def check_options(*, max_attempts: int, delay_s: float, wait_per_page_s: float = 0.0, wait_pages: int = 0) -> None:
    """Raise `FrontierError` for options no frontier can work with."""
    if max_attempts < 1:
        raise FrontierError(f"max_attempts = {max_attempts}: expected at least 1.")
    if not (math.isfinite(delay_s) and delay_s >= 0.0):
        raise FrontierError(f"delay_s = {delay_s}: expected seconds, 0 or more.")
    if not (math.isfinite(wait_per_page_s) and wait_per_page_s >= 0.0):
        raise FrontierError(f"wait_per_page_s = {wait_per_page_s}: expected seconds, 0 or more.")
    if wait_pages < 0:
        raise FrontierError(f"wait_pages = {wait_pages}: expected 0 or more.")


def check_host(host: HostKey, *, delay_s: float | None, hold_until: float | None) -> None:
    """Raise `FrontierError` for a delay or a hold no host can have."""
    if delay_s is not None and not (math.isfinite(delay_s) and delay_s >= 0.0):
        raise FrontierError(f"{host}: delay_s = {delay_s}: expected seconds, 0 or more.")
    if hold_until is not None and not math.isfinite(hold_until):
        raise FrontierError(f"{host}: hold_until = {hold_until}: expected a Unix time in seconds.")


def check_offsets(offsets: Mapping[GroupKey, float]) -> None:
    """Raise `FrontierError` for an offset that cannot be added to a score."""
    for group, offset in offsets.items():
        if not math.isfinite(offset):
            raise FrontierError(f'offset {offset} of group "{group}": expected a finite number.')


def with_score(old: Entry, score: float, new: Entry) -> Entry:
    """Return `old` with a new score and what explains it; its place (host, group, not_before) stays.

    The better link may be the longer way: depth and tunnel stay those of the shortest one.
    """
    depth = min(old.scope_depth, new.scope_depth) + new.origin.pagination_steps
    tunnel = min(old.tunnel, new.tunnel)
    return Entry(old.url, old.key, old.host, score, old.group, depth, tunnel, old.not_before, new.origin)
