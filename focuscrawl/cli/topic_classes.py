"""Classes of the taxonomy as ``focuscrawl topic list`` and ``show`` print them."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.cli.console import print_line, print_table
from focuscrawl.topic.taxonomy import PREFIX, FoundNode, TaxonomyNode, is_reference, library_classification
from focuscrawl.wording import topics as wording
from focuscrawl.wording.base import Say, Text

_FOUND_SHOWN = 20


def list_classes(wanted: str) -> list[dict[str, object]]:
    """Return rows of the classes below ``clc:`` or ``clc:R``, or of those that a search word finds.

    Raises
    ------
    TopicError
        If there is no such class.
    """
    taxonomy = library_classification()
    if not is_reference(wanted):
        return [_row(found.node, found=found) for found in taxonomy.search(wanted)]
    if wanted.lower() == PREFIX:
        return [_row(root) for root in taxonomy.roots()]
    return [_row(node) for node in taxonomy.node(wanted).walk()]


def print_classes(rows: list[dict[str, object]], *, searched: bool, say: Say) -> None:
    """Print the rows; of a search the best ones, with the word that was found."""
    shown = rows[:_FOUND_SHOWN] if searched else rows
    counts = f">{say(wording.CLASSES)}", f">{say(wording.OF_SAMPLES)}"
    found = (say(wording.FOUND),) if searched else ()
    heads = (say(wording.CLASS_CODE), "中文", say(wording.IN_ENGLISH), *counts, *found)
    keys = ("name", "zh", "en", "classes", "samples", *(("found",) if searched else ()))
    print_table(heads, [[str(row[key]) for key in keys] for row in shown])
    if len(rows) > len(shown):
        print_line(say(wording.MORE, n=len(rows) - len(shown)))


def class_facts(reference: str) -> list[tuple[Text, str]]:
    """Return what ``topic show`` says of a topic's class: the way to it, and what is below it."""
    taxonomy = library_classification()
    node = taxonomy.node(reference)
    path = " › ".join(f"{step.code} {step.title}" for step in taxonomy.path(node))
    below = ", ".join(f"{child.code} {child.zh}" for child in node.children)
    return [(wording.CLASS, path), *([(wording.BELOW, below)] if below else [])]


def class_data(reference: str) -> dict[str, object]:
    """Return the same for programs."""
    taxonomy = library_classification()
    node = taxonomy.node(reference)
    return {
        **_row(node),
        "path": [step.reference for step in taxonomy.path(node)],
        "children": [child.reference for child in node.children],
    }


def _row(node: TaxonomyNode, *, found: FoundNode | None = None) -> dict[str, object]:
    return {
        "name": node.reference,
        "zh": node.zh,
        "en": node.en,
        "classes": _count(node.walk()) - 1,
        "samples": sum(len(below.samples) for below in node.walk()),
        **({"found": found.word} if found is not None else {}),
    }


def _count(items: Iterable[object]) -> int:
    return sum(1 for _ in items)
