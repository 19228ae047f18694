"""Look-up of plug-ins by kind and name, through entry points.

Built-ins are registered the same way as anyone else's (``[project.entry-points."focuscrawl.<kind>"]``), so that
there is one list, one spelling rule, and one place where clashes are found.
"""

from __future__ import annotations

import difflib
import inspect
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

from focuscrawl.errors import PLUGIN_FAULTS, FocusCrawlError, PluginError, PluginFaultError, os_reason
from focuscrawl.options import BUNDLE, options_of, shown

# What people call them, where that is another word.
_SPOKEN = {"rankers": "strategy"}
_SECRETIVE = ("stores", "frontiers")
KINDS = ("scorers", "extractors", "judges", "rankers", "frontiers", "stores", "tokenizers")


@cache
def _points() -> dict[str, EntryPoints]:
    """Return the entry points of each kind; they are read once, as one kind takes as long as all."""
    installed = entry_points()
    return {kind: installed.select(group=f"focuscrawl.{kind}") for kind in KINDS}


@cache
def _registered(kind: str) -> dict[str, tuple[EntryPoint, ...]]:
    found: dict[str, dict[str, EntryPoint]] = {}
    for point in _points()[kind]:
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
    except PLUGIN_FAULTS as error:  # of its module: a syntax error, or whatever it does when it is imported
        said = f"{type(error).__name__}: {error}"
        raise PluginError(f'{_one(kind)} "{name}" ({points[0].value}) cannot be loaded: {said}') from error
    return factory


def build(
    kind: str,
    name: str,
    *args: Any,
    options: Mapping[str, Any] | None = None,
    chosen_beside: Collection[str] = (),
    **given: Any,
) -> Any:
    """Return the plug-in `name`, built.

    Parameters
    ----------
    args, given
        What the program passes to every plug-in of the kind.
    options
        What the user chose for this one.
    chosen_beside
        Names among `given` that the user writes beside the options: a message says that they are known.

    Raises
    ------
    PluginError
        If the plug-in is unknown, has no option of that name, or an option has a value of the wrong type or out of the
        range that the factory's signature declares (see `focuscrawl.options`), or if its factory raises, or returns
        nothing.
    """
    factory = load(kind, name)
    plug_in = f'{_one(kind)} "{name}"'
    declared = options_of(factory, positional=len(args))
    chosen = dict(options or {})
    for option, value in {**given, **chosen}.items():
        if (option in chosen and option in given) or (option not in declared.annotations and not declared.open):
            raise PluginError(f"{plug_in}: {_unknown(option, declared.names - (given.keys() - set(chosen_beside)))}")
        expected = declared.fault(option, value)
        if expected:
            # Stores and frontiers are given addresses with passwords in them.
            text = option if kind in _SECRETIVE else f"{option} = {shown(value)}"
            raise PluginError(f"{plug_in}: option {text}: expected {expected}.")
    if declared.bundle is not None:
        names = declared.bundle.__dataclass_fields__
        bundled = {option: chosen.pop(option) for option in list(chosen) if option in names}
        given[BUNDLE] = declared.bundle(**bundled)
    keywords = {**given, **chosen}
    try:
        inspect.signature(factory).bind(*args, **keywords)
    except TypeError as error:
        raise PluginError(f"{plug_in}: {error}") from error
    with faults_told(kind, name, "cannot be built", error=PluginError):
        made = factory(*args, **keywords)
    if made is None:
        raise PluginError(f"{plug_in} cannot be built: its factory returns nothing.")
    return made


def name_of(plug_in: object) -> str:
    """Return the name by which messages speak of a plug-in: its own, or that of its class."""
    return str(getattr(plug_in, "name", "") or type(plug_in).__name__)


@contextmanager
def faults_told(kind: str, name: str, what: str, *, error: type[FocusCrawlError] = PluginFaultError) -> Iterator[None]:
    """Have what a plug-in raises told in a sentence that names it; errors of ours are sentences already.

    Parameters
    ----------
    what
        It does not do, such as "cannot be opened".
    error
        Class of the error that is raised.
    """
    try:
        yield
    except (FocusCrawlError, MemoryError):
        raise
    except PLUGIN_FAULTS as fault:
        raise error(f'{_one(kind)} "{name}" {what}: {_of(fault, kind)}') from fault


def _of(error: BaseException, kind: str) -> str:
    """Return what an error of a plug-in says, where that cannot hold a password, and the line it comes from."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {os_reason(error)}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = "" if kind in _SECRETIVE else f": {error}"
    return f"{type(error).__name__}{text} ({last.filename}, line {last.lineno})"


def _unknown(option: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = difflib.get_close_matches(option, names, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    return f'unknown option "{option}"' + (f"; known: {', '.join(names)}.{hint}" if names else "; it has none.")


def _one(kind: str) -> str:
    return _SPOKEN.get(kind, kind[:-1])


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise PluginError(f'"{kind}": unknown kind of plug-in; known: {", ".join(KINDS)}.')
