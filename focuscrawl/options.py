"""Options of plug-ins, as a factory's signature declares them: names, types and ranges.

A factory takes its options as keyword-only parameters. Their annotations say what is accepted: ``int``, ``float``,
``bool``, ``str``, a ``Literal``, unions of these, and numbers with a range, ``Annotated[float, Range(0.0, 1.0)]``. A
factory with many options may take them as one dataclass instead, in a keyword-only parameter named ``options``.
"""

from __future__ import annotations

import inspect
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

BUNDLE = "options"
"""Name of the parameter that takes a dataclass of options."""


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a number; None for none. With `above`, the lower bound itself is not allowed."""

    low: float | None = None
    high: float | None = None
    above: bool = False

    def holds(self, value: float) -> bool:
        """Tell whether a number is inside."""
        low = self.low is None or (value > self.low if self.above else value >= self.low)
        return low and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.low is None:
            return "" if self.high is None else f" of at most {self.high:,}"
        if self.high is None:
            return f" above {self.low:,}" if self.above else f" of at least {self.low:,}"
        return f" above {self.low:,}, up to {self.high:,}" if self.above else f" from {self.low:,} to {self.high:,}"


Share = Annotated[float, Range(0.0, 1.0)]
Positive = Annotated[float, Range(0.0, above=True)]
NotNegative = Annotated[float, Range(0.0)]


@dataclass(frozen=True, slots=True)
class Options:
    """The options a factory takes."""

    annotations: Mapping[str, Any]  # name -> annotation, resolved; None where it cannot be
    names: frozenset[str]  # of these, the options a user is told of: keyword-only ones
    bundle: type[Any] | None = None  # dataclass that holds them
    open: bool = False  # takes any other name, too

    def fault(self, name: str, value: object) -> str:
        """Return what is expected of an option in the place of `value`, "" when it is fine."""
        annotation = self.annotations.get(name)
        return "" if annotation is None or _accepts(annotation, value) else _expected(annotation)


def options_of(factory: Callable[..., Any], *, positional: int = 0) -> Options:
    """Return the options that `factory` (a function, a class or a `partial`) declares.

    Parameters
    ----------
    positional
        Parameters that are passed by position, the first ones.
    """
    parameters = list(inspect.signature(factory).parameters.values())
    named = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][positional:]
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    found = _resolved({p.name: p.annotation for p in named + keywords}, _globals_of(factory))
    names = {p.name for p in keywords}
    bundle = found.get(BUNDLE)
    if isinstance(bundle, type) and is_dataclass(bundle):
        hints = get_type_hints(bundle, include_extras=True)
        inside = {field.name: hints[field.name] for field in fields(bundle)}
        del found[BUNDLE]
        found, names = found | inside, names - {BUNDLE} | inside.keys()
    else:
        bundle = None
    return Options(found, frozenset(names), bundle, any(p.kind is p.VAR_KEYWORD for p in parameters))


def shown(value: object) -> str:
    """Return a value as a topic file would show it, at most 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


def _globals_of(factory: Any) -> dict[str, Any]:
    while isinstance(factory, partial):
        factory = factory.func
    if isinstance(factory, type):
        factory = next(base for base in factory.__mro__ if "__init__" in vars(base))
    return vars(sys.modules[inspect.unwrap(factory).__module__])


def _resolved(annotations: Mapping[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, annotation in annotations.items():
        if annotation is inspect.Parameter.empty:
            out[name] = None
            continue
        holder = SimpleNamespace(__annotations__={name: annotation})
        try:
            out[name] = get_type_hints(holder, globalns=names, include_extras=True)[name]
        except NameError:  # imported for type checkers only
            out[name] = None
    return out


def _accepts(annotation: Any, value: object) -> bool:
    origin = get_origin(annotation)
    if origin is Annotated:
        base, *notes = get_args(annotation)
        ranges = [note for note in notes if isinstance(note, Range)]
        if not _accepts(base, value):
            return False
        return not isinstance(value, int | float) or all(one.holds(value) for one in ranges)
    if origin in (Union, UnionType):
        return any(_accepts(part, value) for part in get_args(annotation))
    if origin is Literal:
        return value in get_args(annotation)
    if annotation is bool:
        return isinstance(value, bool)
    if annotation is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if annotation is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if annotation is str:
        return isinstance(value, str)
    if annotation is None or annotation is type(None):
        return value is None
    return True  # anything richer is the factory's own to check


def _expected(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is Annotated:
        base, *notes = get_args(annotation)
        return _expected(base) + "".join(str(note) for note in notes if isinstance(note, Range))
    if origin in (Union, UnionType):
        return " or ".join(_expected(part) for part in get_args(annotation) if part is not type(None))
    if origin is Literal:
        return " or ".join(f'"{choice}"' for choice in get_args(annotation))
    return {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[annotation]
