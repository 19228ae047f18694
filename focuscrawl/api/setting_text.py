"""Settings of a Python caller as the text that follows ``-s``, for the crawl's own process."""

from __future__ import annotations

import inspect
import json
from pathlib import PurePath

from focuscrawl.errors import ConfigError


def setting_text(name: str, value: object) -> str:
    """Return a setting's value as it is typed on a command line; None is as if it were empty.

    >>> setting_text("EXTENSIONS", {"library.Clock": None})
    '{"library.Clock": null}'

    Parameters
    ----------
    name
        The setting, for messages.
    value
        Text, number, path, class or function of a module, None, or lists, sets and mappings of them.

    Raises
    ------
    ConfigError
        If another process cannot have it.
    """
    if value is None:
        return ""
    plain = _plain(name, value)
    return json.dumps(plain) if isinstance(plain, list | dict) else str(plain)


def _plain(name: str, value: object) -> object:
    if isinstance(value, dict):
        return {_plain(name, key): _plain(name, one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain(name, one) for one in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(name, one) for one in value]
    if isinstance(value, PurePath):
        return str(value)
    if inspect.isclass(value) or inspect.isfunction(value):
        return _import_path(name, value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise ConfigError(
        f"setting {name}: {value!r} cannot be handed to the crawl, which runs in a process of its own;"
        " expected texts, numbers, paths, classes of modules, and lists or dicts of them."
    )


def _import_path(name: str, thing: type | object) -> str:
    module, path = str(thing.__module__), str(getattr(thing, "__qualname__", ""))
    if module == "__main__" or not path.isidentifier():
        raise ConfigError(
            f"setting {name}: the crawl runs in a process of its own, which cannot import {path} from"
            " here; put it at the top of a module that is installed or on PYTHONPATH."
        )
    return f"{module}.{path}"
