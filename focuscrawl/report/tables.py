"""Sections and tables of the report's page."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.report.markup import Html, element


def section(title: str, *content: Html | Sequence[Html] | None, name: str | None = None) -> Html:
    """Return a section with its heading; `name` is what a link can point to."""
    return element("section", element("h2", title), *content, id=name)


def note(text: str) -> Html:
    """Return a sentence about what is shown."""
    return element("p", text, class_="note")


def table(columns: Sequence[str], rows: Sequence[Html]) -> Html:
    """Return a table; a column named with a leading ``>`` holds numbers."""
    heads = [element("th", name.removeprefix(">"), class_="n" if name.startswith(">") else None) for name in columns]
    whole = element("table", element("thead", element("tr", heads)), element("tbody", rows))
    return element("div", whole, class_="scroll")


def row(*cells: Html | str) -> Html:
    """Return a line of a table."""
    return element("tr", [c if isinstance(c, Html) else element("td", element("bdi", c), class_="url") for c in cells])


def number(value: str) -> Html:
    """Return a table cell with a number."""
    return element("td", value, class_="n")


def percent(value: float) -> str:
    """Return a share in [0, 1] as people write it.

    >>> percent(0.3333), percent(0.004), percent(1.0)
    ('33.3%', '0.4%', '100.0%')
    """
    return f"{value:.1%}"
