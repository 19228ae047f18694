"""Plain numbers and texts: what plug-ins return is stored as JSON, in SQLite and in Redis."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, SupportsFloat

from focuscrawl.errors import PluginFaultError
from focuscrawl.types import Explained


def plain_score(score: object, what: str) -> Explained:
    """Return a score whose numbers are finite and Python's own.

    Raises
    ------
    PluginFaultError
        If it is no `Explained`, or one of its numbers is none or not finite; `what` is said of it.
    """
    if not isinstance(score, Explained):
        raise PluginFaultError(f"{what}: expected a score of type Explained, found {type(score).__name__}.")
    text(score.reason, f"{what}: reason")
    value = number(score.value, f"{what}: score")
    parts = {name: number(part, f'{what}: part "{name}"') for name, part in score.parts.items()}
    if value is score.value and all(part is score.parts[name] for name, part in parts.items()):
        return score
    return Explained(value, parts, score.reason)


def plain_scores(scores: object, links: int, what: str) -> list[Explained]:
    """Return the scores of a page's links in plain numbers.

    Raises
    ------
    PluginFaultError
        If there is not one `Explained` for each link, or a number is none or not finite; `what` is said of it.
    """
    scores = one_for_each(scores, links, what, kind="Explained", called="scores")
    try:
        total = sum(score.value for score in scores)  # what is no number, or not finite, leaves its mark on it
    except (TypeError, AttributeError):
        total = None
    plain = type(total) in (float, int) and isfinite(total)
    return list(scores) if plain else [plain_score(score, what) for score in scores]


def one_for_each(found: object, links: int, what: str, *, kind: str, called: str) -> Sequence[Any]:
    """Return what was found for the links of a page, if it is a list with one for each; its members are not looked at.

    Raises
    ------
    PluginFaultError
        If it is not; `what` is said of it, `kind` of its members, and `called` of how many there are.
    """
    if not isinstance(found, Sequence):
        raise PluginFaultError(f"{what}: expected a list of {kind}, found {type(found).__name__}.")
    if len(found) != links:
        raise PluginFaultError(f"{what}: {len(found)} {called} for {links} links.")
    return found


def number(value: object, what: str) -> float:
    """Return a finite number as Python's own.

    Raises
    ------
    PluginFaultError
        If it is none; `what` is said of it.
    """
    if type(value) in (float, int) and isfinite(value):  # type: ignore[arg-type]
        return value  # type: ignore[return-value]
    if isinstance(value, SupportsFloat) and isfinite(plain := float(value)):
        return plain
    raise PluginFaultError(f"{what} {value!r:.80}: expected a finite number.")


def text(value: object, what: str) -> str:
    """Return a text as Python's own, not one that holds on to the tree it is from.

    Raises
    ------
    PluginFaultError
        If it is none; `what` is said of it.
    """
    if not isinstance(value, str):
        raise PluginFaultError(f"{what} {value!r:.80}: expected a text.")
    return value if type(value) is str else str(value)


def optional_text(value: object, what: str) -> str | None:
    """Return a text as `text` does, or None."""
    return None if value is None else text(value, what)


def texts(values: object, what: str) -> tuple[str, ...]:
    """Return a list of texts, each as `text` does."""
    if not isinstance(values, tuple | list):
        raise PluginFaultError(f"{what} {values!r:.80}: expected a list of texts.")
    return tuple(text(value, what) for value in values)
