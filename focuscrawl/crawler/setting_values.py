"""Values of settings and arguments as Python and command lines write them."""

from __future__ import annotations

import json
from ipaddress import ip_network
from typing import Annotated

from pydantic import BeforeValidator

from focuscrawl.errors import ConfigError

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})


def as_bool(value: object) -> object:
    """Take the spellings of Scrapy's ``-s NAME=1``."""
    if isinstance(value, str):
        word = value.strip().lower()
        return True if word in _TRUE else False if word in _FALSE else value
    return bool(value) if isinstance(value, int) and value in (0, 1) else value


def as_names(value: object) -> object:
    """Take a list, or a text with commas or in JSON, as the command line can give it."""
    if not isinstance(value, str):
        return tuple(value) if isinstance(value, list) else value
    text = value.strip()
    if text.startswith("["):
        try:
            return tuple(json.loads(text))
        except ValueError:
            return value
    return tuple(name.strip() for name in text.split(",") if name.strip())


def as_private(value: object) -> object:
    """Take True, False, or hosts and networks."""
    if isinstance(value, str) and value.strip().lower() in _TRUE | _FALSE:
        return as_bool(value)
    if isinstance(value, bool | int):
        return bool(value)
    names = as_names(value)
    if isinstance(names, tuple):
        for name in names:
            if "/" in str(name):
                ip_network(str(name), strict=False)  # a ValueError here is a fault of the setting
    return names


def as_port(value: object) -> object:
    """Take True and False, 1 and 0 as they are spelled on a command line, or a port."""
    known = as_bool(value)
    return int(known) if isinstance(known, bool) else known


Switch = Annotated[bool, BeforeValidator(as_bool)]
Names = Annotated[tuple[str, ...], BeforeValidator(as_names)]
Private = Annotated[bool | tuple[str, ...], BeforeValidator(as_private)]
Port = Annotated[int, BeforeValidator(as_port)]


def whole_number(name: str, value: object, *, at_least: int = 0) -> int:
    """Return an argument of the command line as a number.

    Raises
    ------
    ConfigError
        If it is none, or too small.
    """
    try:
        number = int(str(value).strip().replace("_", ""))
    except ValueError:
        number = at_least - 1
    if number < at_least:
        raise ConfigError(f"{name} = {value}: expected a whole number, {at_least} or more.")
    return number
