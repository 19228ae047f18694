"""Building many frozen dataclass instances quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, make_dataclass
from typing import TypeVar

T = TypeVar("T")


def builder(cls: type[T]) -> Callable[..., T]:
    """Return a function that makes instances of a frozen, slotted dataclass from all its fields, by position.

    The ``__init__`` of a frozen class sets each field through ``object.__setattr__``: 5.4 µs for the 27 fields of a
    link, half a millisecond for a page of a hundred. A twin with the same slots that is not frozen takes 1.4 µs; then
    the instance changes its class, which Python allows between classes of one layout, and is frozen from there on.
    """
    twin = make_dataclass(cls.__name__, [field.name for field in fields(cls)], slots=True)  # type: ignore[arg-type]

    def build(*values: object) -> T:
        made = twin(*values)
        made.__class__ = cls
        return made  # type: ignore[no-any-return]

    try:
        build(*[None for _ in fields(cls)])  # type: ignore[arg-type]
    except TypeError:  # another layout (a class without slots, another interpreter): the usual way
        return cls
    return build
