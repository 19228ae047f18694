"""Every regular expression of the package, and the inputs that are worst for it.

Patterns that modules compile when they are imported are recorded as they are compiled; those that functions use are
read from the source. The inputs come from the parsed pattern: each repeat is pumped, behind what leads to it and
before what makes it fail.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import focuscrawl

PACKAGE = Path(focuscrawl.__file__).parent
_CALLS = frozenset({"compile", "sub", "subn", "match", "search", "fullmatch", "findall", "finditer", "split"})
_ANCHORED = frozenset({"match", "fullmatch"})
_ALPHABET = " \n\ta1Z-_.:;/<>\"'!=&%#[](){}|,?@\\+*~^$\x00\x7f\xff中字。あé\u0301"
_MANY = 15  # a repeat that may go on longer than this is pumped
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


class Found(NamedTuple):
    """A pattern, where it stands, and whether it is only ever tried at one position."""

    where: str
    pattern: re.Pattern[Any]
    anchored: bool


def package_patterns() -> list[Found]:
    """Return all patterns of the package; one that cannot be read from the source raises `LookupError`."""
    sources = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in _modules()}
    methods = _methods(sources)
    found: dict[tuple[str, Any, int], Found] = {}
    compiled = _compiled_at_import(list(sources))
    for module, name, pattern in compiled:
        used = methods.get((module, name), {"search"})
        found[module, pattern.pattern, pattern.flags] = Found(f"{module}.{name}", pattern, used <= _ANCHORED)
    for module, tree in sources.items():
        for call, function in _calls(tree):
            if not function:
                continue
            pattern = _evaluated(call, module)
            used = {call.func.attr} if call.func.attr != "compile" else {"search"}  # type: ignore[attr-defined]
            found[module, pattern.pattern, pattern.flags] = Found(f"{module}:{call.lineno}", pattern, used <= _ANCHORED)
    return sorted(found.values(), key=lambda one: (one.where, str(one.pattern.pattern)))


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str, str]]:
    """Return the inputs that may be worst for a pattern: a head, a piece to be repeated, and a tail."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    parsed = sre_parser.parse(text, flags)
    heads: dict[str, None] = {"": None}
    pumps: dict[str, None] = {}
    for head, bodies in _repeats(list(parsed), ""):
        heads[head] = None
        for body in bodies:
            pumps[body] = None
            pumps[head + body] = None
    for whole in _examples(list(parsed)):
        pumps[whole] = None
    for item in _literals(list(parsed)):
        pumps[item] = None
    kept = [pump for pump in pumps if pump][:20]
    return [(head, pump, tail) for head in list(heads)[:3] for pump in kept for tail in ("", "\x00!\n")]


def _modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _compiled_at_import(modules: list[str]) -> list[tuple[str, str, re.Pattern[Any]]]:
    """Return module, name and pattern of what is compiled at import: of the modules' values, however deep."""
    found = []
    for module in modules:
        namespace = vars(importlib.import_module(module))
        for name, value in list(namespace.items()):
            own = name if isinstance(value, re.Pattern) else ""
            found += [(module, own, pattern) for pattern in _patterns_in(value, 0)]
    return found


def _patterns_in(value: object, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth < 4 and len(value) < 1000:
        for inner in value.values():
            yield from _patterns_in(inner, depth + 1)
    elif isinstance(value, (list, tuple, set, frozenset)) and depth < 4 and len(value) < 1000:
        for inner in value:
            yield from _patterns_in(inner, depth + 1)
    elif isinstance(value, type) and value.__module__.startswith("focuscrawl") and depth < 2:
        yield from _patterns_in(dict(vars(value)), depth + 1)


def _methods(sources: dict[str, ast.Module]) -> dict[tuple[str, str], set[str]]:
    """Return for each name of a module the methods that are called on it; anything else counts as a search."""
    methods: dict[tuple[str, str], set[str]] = {}
    for module, tree in sources.items():
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _CALLS:
                methods.setdefault((module, node.value.id), set()).add(node.attr)
                called.add(node.value)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
                methods.setdefault((module, node.id), set()).add("handed on")
    return methods


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, bool]]:
    """Yield each call of the module `re` with a pattern, and whether it stands in a function."""
    inside = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CALLS):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            yield node, id(node) in inside


def _evaluated(call: ast.Call, module: str) -> re.Pattern[Any]:
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    at = {"sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)  # type: ignore[attr-defined]
    at = 1 if call.func.attr == "compile" else at  # type: ignore[attr-defined]
    flags += call.args[at : at + 1]
    namespace = vars(sys.modules[module])
    try:
        values = [eval(compile(ast.Expression(node), module, "eval"), namespace) for node in (call.args[0], *flags)]
    except NameError as error:
        raise LookupError(f"{module}:{call.lineno}: a pattern that is made while running ({error})") from None
    return re.compile(values[0], *values[1:])


def _repeats(items: list[Any], head: str) -> Iterator[tuple[str, list[str]]]:
    """Yield for each long repeat what leads to it, and what it may repeat."""
    for operator, argument in items:
        if operator in _REPEATS:
            _, most, body = argument
            inner = list(body)
            if most >= _MANY:
                yield head, _examples(inner)
            yield from _repeats(inner, head)
        elif operator is sre.BRANCH:
            for alternative in argument[1]:
                yield from _repeats(list(alternative), head)
        elif operator is sre.SUBPATTERN:
            yield from _repeats(list(argument[3]), head)
        elif operator is sre.ATOMIC_GROUP:
            yield from _repeats(list(argument), head)
        elif operator in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _repeats(list(argument[1]), head)
        head += next(iter(_examples([(operator, argument)])), "")


def _examples(items: list[Any]) -> list[str]:
    """Return a few short texts that match a sequence."""
    texts = [""]
    for operator, argument in items:
        texts = [text + more for text in texts[:6] for more in (_choices(operator, argument) or [""])[:8]]
    return list(dict.fromkeys(texts))


def _choices(operator: Any, argument: Any) -> list[str]:
    if operator is sre.LITERAL:
        return [chr(argument)]
    if operator is sre.NOT_LITERAL:
        return [c for c in _ALPHABET if ord(c) != argument][:2]
    if operator is sre.ANY:
        return ["x", " "]
    if operator is sre.IN:
        return _members(argument)[:6]
    if operator is sre.BRANCH:
        return [text for alternative in argument[1] for text in _examples(list(alternative))[:2]]
    if operator is sre.SUBPATTERN:
        return _examples(list(argument[3]))
    if operator is sre.ATOMIC_GROUP:
        return _examples(list(argument))
    if operator in _REPEATS:
        least, _, body = argument
        return [text * max(least, 1) for text in _examples(list(body))] if least else ["", *_examples(list(body))[:2]]
    return [""]


def _members(items: list[Any]) -> list[str]:
    negated = bool(items) and items[0][0] is sre.NEGATE
    own = [chr(argument) for operator, argument in items if operator is sre.LITERAL]
    own += [chr(argument[0]) for operator, argument in items if operator is sre.RANGE]
    return [c for c in dict.fromkeys((*_ALPHABET, *own)) if _is_member(c, items) is not negated]


def _is_member(char: str, items: list[Any]) -> bool:
    for operator, argument in items:
        if operator is sre.LITERAL and ord(char) == argument:
            return True
        if operator is sre.RANGE and argument[0] <= ord(char) <= argument[1]:
            return True
        if operator is sre.CATEGORY and re.match(_CATEGORIES[argument], char):
            return True
    return False


_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def _literals(items: list[Any]) -> Iterator[str]:
    for operator, argument in items:
        if operator is sre.LITERAL:
            yield chr(argument)
        elif operator is sre.IN:
            yield from _members(argument)[:3]
        elif operator in _REPEATS:
            yield from _literals(list(argument[2]))
        elif operator is sre.BRANCH:
            for alternative in argument[1]:
                yield from _literals(list(alternative))
        elif operator is sre.SUBPATTERN:
            yield from _literals(list(argument[3]))
