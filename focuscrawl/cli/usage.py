"""Values of options that are not what is expected, in a sentence: what was found, and what was expected."""

from __future__ import annotations

from typing import Any

import typer

_EXPECTED = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "greater_than_equal": "{ge:g} or more",
    "greater_than": "more than {gt:g}",
    "less_than_equal": "{le:g} or less",
    "less_than": "less than {lt:g}",
}
EXPECTED_SOURCE = "expected a file, or an address that begins with http:// or https://"
_SHOWN = 80  # characters of a value


def say_what_was_expected(fault: typer.BadParameter) -> None:
    """Put our sentence in the place of the one of pydantic, by which typer reads values since version 0.29.

    What it has no name for here keeps its own sentence, without the prefix of Python's exceptions.
    """
    from pydantic import ValidationError

    if not isinstance(fault.__cause__, ValidationError):
        return
    error: Any = fault.__cause__.errors()[0]
    context = error.get("ctx", {})
    expected = _EXPECTED.get(error["type"])
    if expected is not None:
        value = str(error["input"])
        found = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
        fault.message = f'expected {expected.format(**context)}, found "{found}"'
    elif error["type"] == "value_error":
        fault.message = str(context["error"])
