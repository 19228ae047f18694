"""Look-up of plug-ins by kind and name, through entry points.

Built-ins are registered the same way as anyone else's (``[project.entry-points."focuscrawl.<kind>"]``), so that
there is one list, one spelling rule, and one place where clashes are found.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from focuscrawl.errors import PluginError

# What people call them, where that is another word.
_SPOKEN = {"rankers": "strategy"}
KINDS = ("scorers", "extractors", "judges", "rankers", "frontiers", "stores", "tokenizers")


@cache
def _registered(kind: str) -> dict[str, tuple[EntryPoint, ...]]:
    found: dict[str, dict[str, EntryPoint]] = {}
    for point in entry_points(group=f"focuscrawl.{kind}"):
        # One distribution can be listed twice when it is installed and also on the path; the target tells them apart.
        found.setdefault(point.name, {})[point.value] = point
    return {name: tuple(points.values()) for name, points in found.items()}


def names(kind: str) -> list[str]:
    """Return the names of all registered plug-ins of `kind`, sorted."""
    _check_kind(kind)
    return sorted(_registered(kind))


def load(kind: str, name: str) -> Callable[..., Any]:
    """Return the factory of the plug-in `name`.

    Raises
    ------
    PluginError
        If the name is unknown (the nearest known name is given), offered by two packages (both are named), or its
        module cannot be imported.
    """
    _check_kind(kind)
    points = _registered(kind).get(name)
    if points is None:
        known = names(kind)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f' Did you mean "{near[0]}"?' if near else ""
        raise PluginError(f'"{name}": unknown {_one(kind)}; known: {", ".join(known) or "none"}.{hint}')
    if len(points) > 1:
        offers = " and ".join(sorted(f"{p.value} ({p.dist.name if p.dist else 'unknown package'})" for p in points))
        raise PluginError(f'{_one(kind)} "{name}" is offered twice, by {offers}; uninstall or rename one of them.')
    try:
        factory: Callable[..., Any] = points[0].load()
    except (ImportError, AttributeError) as error:
        raise PluginError(f'{_one(kind)} "{name}" ({points[0].value}) cannot be loaded: {error}') from error
    return factory


def build(kind: str, name: str, *args: Any, **options: Any) -> Any:
    """Return the plug-in `name` built with `options`; a wrong option is a `PluginError` that names the plug-in."""
    factory = load(kind, name)
    signature = inspect.signature(factory)
    taken = signature.parameters.values()
    if not any(p.kind is p.VAR_KEYWORD for p in taken):
        unknown = next((option for option in options if option not in signature.parameters), None)
        if unknown is not None:
            raise PluginError(f'{_one(kind)} "{name}": {_unknown_option(unknown, taken)}')
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        raise PluginError(f'{_one(kind)} "{name}": {error}') from error
    return factory(*args, **options)  # a TypeError from inside is the plug-in's own


def _unknown_option(option: str, taken: Iterable[inspect.Parameter]) -> str:
    known = sorted(p.name for p in taken if p.kind is p.KEYWORD_ONLY)
    near = difflib.get_close_matches(option, known, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    return f'unknown option "{option}"' + (f"; known: {', '.join(known)}.{hint}" if known else ".")


def _one(kind: str) -> str:
    return _SPOKEN.get(kind, kind[:-1])


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise PluginError(f'"{kind}": unknown kind of plug-in; known: {", ".join(KINDS)}.')
