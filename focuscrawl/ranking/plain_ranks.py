"""Check of what a strategy returns, where it enters the crawl."""

from __future__ import annotations

from collections.abc import ItemsView, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isfinite
from operator import index
from typing import SupportsIndex

from focuscrawl.errors import PluginError
from focuscrawl.plain_values import number, plain_score, text
from focuscrawl.ranking.base import Ranked, Ranker
from focuscrawl.types import GroupKey, UrlKey


def plain_ranks(ranker: Ranker, ranks: object, links: int) -> Sequence[Ranked]:
    """Return the places of a page's links in plain numbers, those of numpy made Python's.

    A link whose score is no number would be left out by the frontier without a word, and one that is not JSON-safe end
    the crawl.

    Parameters
    ----------
    links
        How many there are.

    Raises
    ------
    PluginError
        If there is not one `Ranked` for each link, or a score, its reason, a part or a group is not what it has to be.
    """
    what = _name(ranker)
    if not isinstance(ranks, Sequence):
        raise PluginError(f"{what}: expected a list of Ranked, found {type(ranks).__name__}.")
    if len(ranks) != links:
        raise PluginError(f"{what}: {len(ranks)} places for {links} links.")
    try:
        # What is no float, or not finite, leaves its mark on the sum: it takes half as long as a look at each link.
        parts = chain.from_iterable([rank.score.parts.values() for rank in ranks])
        inherited = chain.from_iterable([rank.inherit.values() for rank in ranks])
        bare = sum([rank.without_anchor or 0.0 for rank in ranks])
        total = sum(inherited, sum(parts, sum([rank.score.value for rank in ranks], bare)))
        "".join(rank.score.reason for rank in ranks), "".join(rank.group for rank in ranks)
    except (TypeError, AttributeError):
        total = None
    return ranks if type(total) is float and isfinite(total) else [_plain(rank, what) for rank in ranks]


def changed_offsets(ranker: Ranker) -> dict[GroupKey, float]:
    """Return the group offsets that a strategy changes, in plain numbers.

    Raises
    ------
    PluginError
        If they are no finite numbers by group.
    """
    offsets: object = ranker.offsets()
    what = f"{_name(ranker)}: offset"
    return {text(group, f"{what} of group"): number(value, what) for group, value in _items(offsets, f"{what}s")}


def changed_scores(ranker: Ranker) -> dict[UrlKey, float]:
    """Return the new scores that a strategy gives to queued links, in plain numbers.

    Raises
    ------
    PluginError
        If they are no finite numbers by key.
    """
    scores: object = ranker.rescored()
    what = f"{_name(ranker)}: new score"
    return {_key(key, f"{what} of key"): number(value, what) for key, value in _items(scores, f"{what}s")}


def _items(changes: object, what: str) -> ItemsView[object, object]:
    if not isinstance(changes, Mapping):
        raise PluginError(f"{what} {changes!r:.80}: expected a mapping.")
    return changes.items()


def _key(key: object, what: str) -> UrlKey:
    if not isinstance(key, SupportsIndex):
        raise PluginError(f"{what} {key!r:.80}: expected the key of a link.")
    return index(key)


def _name(ranker: Ranker) -> str:
    return f'strategy "{ranker.name or type(ranker).__name__}"'


def _plain(rank: object, what: str) -> Ranked:
    if not isinstance(rank, Ranked):
        raise PluginError(f"{what}: expected a Ranked for each link, found {type(rank).__name__}.")
    text(rank.group, f"{what}: group")
    if not isinstance(rank.inherit, Mapping):
        raise PluginError(f"{what}: inherit {rank.inherit!r:.80}: expected a mapping.")
    bare = rank.without_anchor
    return replace(
        rank,
        score=plain_score(rank.score, what),
        inherit={name: number(value, f'{what}: inherit "{name}"') for name, value in rank.inherit.items()},
        without_anchor=None if bare is None else number(bare, f"{what}: without_anchor"),
    )
