"""Values of settings and arguments as Python and command lines write them."""

from __future__ import annotations

import json
from ipaddress import ip_network
from typing import Annotated, Any

from pydantic import BeforeValidator

from focuscrawl.errors import ConfigError

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})
_WITH_SECRETS = "_URL"  # end of the names of settings whose values may have a password
# What pydantic calls the fault -> what was expected.
_EXPECTED = {
    "int_parsing": "expected a whole number",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_parsing": "expected a number",
    "float_type": "expected a number",
    "finite_number": "expected a finite number",
    "string_type": "expected a text",
    "tuple_type": "expected names, with commas between them or as a list",
    "greater_than_equal": "expected {ge} or more",
    "greater_than": "expected more than {gt}",
    "less_than_equal": "expected {le} or less",
    "literal_error": "expected {expected}",
    "bool_parsing": "expected True or False",
    "bool_type": "expected True or False",
}


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


def sentence_of(name: str, fault: Any) -> str:
    """Return what is wrong with the setting `name` by an error of pydantic: what was found, and what was expected."""
    expected = _EXPECTED.get(fault["type"], "").format(**fault.get("ctx", {}))
    if name.endswith("_ALLOW_PRIVATE"):
        expected = "expected True, False, or a list of host names, addresses and networks"
    if name.endswith(_WITH_SECRETS):
        found = f" is a {type(fault['input']).__name__}"
    else:
        found = f" = {json.dumps(fault['input'], ensure_ascii=False, default=str)}"
    return f"{name}{found}: {expected or fault['msg']}."
