"""The parsers of scripts, made anew from their source: a script may import what a test has not."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

_NUMBERS: dict[str, Callable[[str], object]] = {"int": int, "float": float}
_KEPT = ("action", "nargs", "required")


class UnknownWordsError(ValueError):
    """A command line that its script would refuse."""


class ScriptParser(argparse.ArgumentParser):
    """A parser that raises, and takes no option cut short."""

    def __init__(self) -> None:
        super().__init__(allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise what a script would print."""
        raise UnknownWordsError(message)


def is_started(script: Path) -> bool:
    """Tell whether a file is a script, not a module of other scripts."""
    return '__name__ == "__main__"' in script.read_text(encoding="utf-8")


def parser_of(script: Path) -> ScriptParser:
    """Return a parser that takes what a script takes; one without a parser takes any words that are no options."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    made = ScriptParser()
    calls = list(_calls(tree, script.parent))
    if not calls:
        made.add_argument("words", nargs="*")
    for call in calls:
        words = [ast.literal_eval(word) for word in call.args]
        made.add_argument(*words, **dict(_keywords(call, tree)))
    return made


def _calls(tree: ast.Module, folder: Path) -> Iterator[ast.Call]:
    """Return the calls of `add_argument` of a script, and those of the functions it takes from another beside it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (other := folder / f"{node.module}.py").is_file():
            names = {one.name for one in node.names}
            parts = ast.parse(other.read_text(encoding="utf-8")).body
            for part in parts:
                if isinstance(part, ast.FunctionDef) and part.name in names:
                    yield from _added(part)
    yield from _added(tree)


def _added(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            yield node


def _keywords(call: ast.Call, tree: ast.Module) -> Iterator[tuple[str, Any]]:
    for keyword in call.keywords:
        if keyword.arg in _KEPT:
            yield keyword.arg, ast.literal_eval(keyword.value)
        elif keyword.arg == "type" and isinstance(keyword.value, ast.Name) and keyword.value.id in _NUMBERS:
            yield "type", _number(_NUMBERS[keyword.value.id])
        elif keyword.arg == "choices" and (choices := _literal(keyword.value, tree)):
            yield "choices", [*choices, "…"]


def _number(convert: Callable[[str], object]) -> Callable[[str], object]:
    """Return a type of numbers that takes a word in capitals or an ellipsis, which stand for one, too."""

    def number(word: str) -> object:
        return word if re.fullmatch(r"[A-Z]+|…", word) else convert(word)

    return number


def _literal(value: ast.expr, tree: ast.Module) -> Any:
    """Return a value that the script itself holds; None for one that it imports or computes."""
    if isinstance(value, ast.Name):
        given = [one.value for one in tree.body if isinstance(one, ast.Assign) and _names(one) == [value.id]]
        return _literal(given[0], tree) if given else None
    try:
        return ast.literal_eval(value)
    except ValueError:
        return None


def _names(one: ast.Assign) -> list[str]:
    return [target.id for target in one.targets if isinstance(target, ast.Name)]
