"""Check of what a strategy returns, where it enters the crawl."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isfinite
from operator import index
from typing import SupportsIndex, TypeVar

from focuscrawl.errors import PluginFaultError
from focuscrawl.plain_values import number, one_for_each, plain_score, text
from focuscrawl.plugins import name_of
from focuscrawl.ranking.base import Ranked, Ranker
from focuscrawl.records import LookNews
from focuscrawl.types import GroupKey, UrlKey

_Name = TypeVar("_Name")


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
    PluginFaultError
        If there is not one `Ranked` for each link, or a score, its reason, a part or a group is not what it has to be.
    """
    what = _spoken(ranker)
    ranks = one_for_each(ranks, links, what, kind="Ranked", called="places")
    try:
        # What is no float, or not finite, leaves its mark on the sum: it takes half as long as a look at each link.
        parts = chain.from_iterable([rank.score.parts.values() for rank in ranks])
        inherited = chain.from_iterable([rank.inherit.values() for rank in ranks])
        bare = sum([rank.without_anchor or 0.0 for rank in ranks])
        total = sum(inherited, sum(parts, sum([rank.score.value for rank in ranks], bare)))
        "".join(rank.score.reason for rank in ranks), "".join(rank.group for rank in ranks)
    except (TypeError, AttributeError):
        total = None
    return ranks if type(total) is float and isfinite(total) else [plain_rank(rank, what) for rank in ranks]


def plain_rank(rank: object, what: str) -> Ranked:
    """Return the place of one link or seed in plain numbers.

    Raises
    ------
    PluginFaultError
        If it is no `Ranked`, or its score, reason, parts or group are not what they have to be; `what` is said of it.
    """
    if not isinstance(rank, Ranked):
        raise PluginFaultError(f"{what}: expected a Ranked, found {type(rank).__name__}.")
    text(rank.group, f"{what}: group")
    if not isinstance(rank.inherit, Mapping):
        raise PluginFaultError(f"{what}: inherit {rank.inherit!r:.80}: expected a mapping.")
    bare = rank.without_anchor
    return replace(
        rank,
        score=plain_score(rank.score, what),
        inherit={name: number(value, f'{what}: inherit "{name}"') for name, value in rank.inherit.items()},
        without_anchor=None if bare is None else number(bare, f"{what}: without_anchor"),
    )


def changed_offsets(ranker: Ranker) -> dict[GroupKey, float]:
    """Return the group offsets that a strategy changes, in plain numbers.

    Raises
    ------
    PluginFaultError
        If they are no finite numbers by group.
    """
    return _numbers(ranker.offsets(), f"{_spoken(ranker)}: offset", "group", str, text)


def changed_scores(ranker: Ranker) -> dict[UrlKey, float]:
    """Return the new scores that a strategy gives to queued links, in plain numbers.

    Raises
    ------
    PluginFaultError
        If they are no finite numbers by key.
    """
    return _numbers(ranker.rescored(), f"{_spoken(ranker)}: new score", "key", int, _key)


def told_looks(ranker: Ranker) -> LookNews | None:
    """Return what a strategy tells other workers of the page it ranked last, in plain values.

    Raises
    ------
    PluginFaultError
        If it is neither `LookNews` nor None, or the others could not read it.
    """
    told = ranker.look_news()
    if told is None:
        return None
    news = told.as_read() if isinstance(told, LookNews) else None
    if news is None:
        raise PluginFaultError(f"{_spoken(ranker)}: look news {told!r:.80}: expected LookNews or None.")
    return news


def _numbers(
    changes: object, what: str, by: str, kind: type[_Name], plain: Callable[[object, str], _Name]
) -> dict[_Name, float]:
    """Return changes in plain numbers, by their names made `plain`, which those of type `kind` are."""
    if not isinstance(changes, Mapping):
        raise PluginFaultError(f"{what}s {changes!r:.80}: expected a mapping.")
    # Thousands of links may change with a page, all but always in plain numbers: types of all are told in one pass.
    plain_types = {kind}.issuperset(map(type, changes)) and {float}.issuperset(map(type, changes.values()))
    if plain_types and isfinite(sum(changes.values())):
        return dict(changes)
    return {plain(name, f"{what} of {by}"): number(value, what) for name, value in changes.items()}


def _key(key: object, what: str) -> UrlKey:
    if not isinstance(key, SupportsIndex):
        raise PluginFaultError(f"{what} {key!r:.80}: expected the key of a link.")
    return index(key)


def _spoken(ranker: Ranker) -> str:
    return f'strategy "{name_of(ranker)}"'
