from __future__ import annotations

import numpy as np

from focuscrawl.extraction.segments import Segments, segment
from focuscrawl.extraction.table_rows import with_whole_rows
from focuscrawl.page.tree import parse

HEAD = "<thead><tr><th>Pin</th><th>Use</th></tr></thead>"


def taken(html: str, judged: dict[str, float]) -> list[str]:
    """Return the lines taken when those `judged` at 0.6 or more are, all others being judged at 0.3."""
    tree = parse(f"<body>{html}</body>")
    assert tree is not None
    found: Segments = segment(tree.root)
    p = np.array([judged.get(line.text, 0.3) for line in found.lines], np.float32)
    return [found.lines[at].text for at in np.flatnonzero(with_whole_rows(found, p >= 0.6, p))]


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<table>{HEAD}<tbody>{''.join(f'<tr>{row}</tr>' for row in cells)}</tbody></table>"


def test_a_row_with_a_cell_taken_is_taken_whole() -> None:
    rows = table(("PA9", "clock"), ("PA8", "data"), ("12", "5"), ("13", "6"), ("14", "7"))

    assert taken(rows, {"clock": 0.7}) == ["PA9", "clock"]


def test_a_table_with_most_rows_taken_is_taken_whole_with_its_head() -> None:
    rows = table(("PA9", "clock"), ("PA8", "data"), ("12", "5"))

    assert taken(rows, {"clock": 0.7, "data": 0.7, "12": 0.7}) == [
        "Pin",
        "Use",
        "PA9",
        "clock",
        "PA8",
        "data",
        "12",
        "5",
    ]


def test_controls_in_a_row_are_not_taken() -> None:
    rows = table(("PA9", "clock", "edit"), ("PA8", "data", "edit"))

    assert taken(rows, {"clock": 0.7, "edit": 0.0}) == ["PA9", "clock"]


def test_rows_of_a_layout_are_not_completed() -> None:
    text = "The lower gate is closed. " * 20
    beside = table(("Menu", text), ("Links", text))
    paragraphs = table(("Ann<br>joined 2009", "a post"), ("Bo<br>joined 2010", "an answer"))

    assert taken(beside, {text.strip(): 0.9}) == [text.strip()] * 2
    assert taken(paragraphs, {"a post": 0.9, "an answer": 0.9}) == ["a post", "an answer"]


def test_a_single_row_is_no_table_of_data() -> None:
    assert taken("<table><tr><td>Home</td><td>The gate</td></tr></table>", {"The gate": 0.9}) == ["The gate"]
