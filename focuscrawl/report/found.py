"""Pages of a run as the report lists them: all results, those nearest to the threshold, the course of single hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.report.data import HostLine, PageLine
from focuscrawl.storage.reading import RESULT

if TYPE_CHECKING:
    from focuscrawl.storage.reading import RunReader

_COLUMNS = "final_url, title, host, relevance, threshold"


def read_results(db: RunReader, *, most: int) -> list[PageLine]:
    """Return at most so many stored pages, the most relevant first."""
    query = f"SELECT {_COLUMNS} FROM pages WHERE {RESULT} ORDER BY relevance DESC, number LIMIT ?"  # noqa: S608
    return [_line(*found) for found in db.select(query, (most,))]


def read_border(db: RunReader, *, most: int) -> tuple[list[PageLine], list[PageLine]]:
    """Return the pages that were accepted and those that were rejected by least, nearest to their threshold first.

    Each is compared with the threshold that was in force when it was judged.
    """
    accepted = f"SELECT {_COLUMNS} FROM pages WHERE {RESULT} ORDER BY relevance - threshold, number LIMIT ?"  # noqa: S608
    rejected = (
        f"SELECT {_COLUMNS} FROM pages WHERE outcome = 'done' AND NOT relevant AND threshold > 0"  # noqa: S608
        " ORDER BY relevance - threshold DESC, number LIMIT ?"
    )
    yes, no = ([_line(*found) for found in db.select(query, (most,))] for query in (accepted, rejected))
    return yes, no


def with_curves(db: RunReader, hosts: Sequence[HostLine], *, most: int) -> list[HostLine]:
    """Return the hosts, the first of them with the verdicts on their pages in the order of fetching."""
    names = [line.host for line in hosts[:most] if line.fetched]
    verdicts: dict[str, list[bool]] = defaultdict(list)
    marks = ", ".join("?" * len(names))
    query = f"SELECT host, relevant FROM pages WHERE outcome = 'done' AND host IN ({marks}) ORDER BY number"  # noqa: S608
    if names:
        for host, relevant in db.select(query, names):
            verdicts[host].append(bool(relevant))
    return [replace(line, curve=verdicts.get(line.host, ())) for line in hosts]


def _line(url: str, title: str, host: str, relevance: float, threshold: float) -> PageLine:
    return PageLine(url, " ".join(title.split()), host, relevance, threshold)
