"""What breadth-first could expect of a run: its own verdicts, and for pages nobody fetched what their priority says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Point = tuple[float, float]
_PRIOR = 5.0
"""Pages' worth of the run's mean harvest that each class of priority begins with."""


def tenth(priority: float) -> int:
    """Return the class of a priority: tenths, rounded down.

    >>> tenth(0.37), tenth(-0.05)
    (3, -1)
    """
    return int(priority * 10.0 // 1.0)


def breadth_first_expectation(
    depths: Sequence[int],
    priorities: Sequence[float],
    relevant: Sequence[bool],
    waiting: Mapping[tuple[int, int], int],
    *,
    pages: int,
) -> list[Point]:
    """Return the harvest curve that breadth-first is expected to have had, as corners of a line.

    It would fetch all links of depth 0, then all of depth 1, and so on. A link that was fetched counts by its verdict.
    One that waits counts by the share of relevant pages among those fetched with a priority of its tenth, shrunk
    towards the mean of all; below the lowest tenth that was fetched, by that of the lowest. Breadth-first would also
    have found links that this run never saw, so the line is an estimate, and rather too high.

    Parameters
    ----------
    depths, priorities, relevant
        Of the fetched pages, equally long.
    waiting
        (depth, `tenth` of the priority) -> how many links wait.
    pages
        Where the curve ends.

    Returns
    -------
    list
        (pages fetched, relevant ones expected), from (0, 0) on; empty without pages.
    """
    if not relevant or pages < 1:
        return []
    mean = sum(relevant) / len(relevant)
    tried: Counter[int] = Counter()
    hits: Counter[int] = Counter()
    links: Counter[int] = Counter()
    gain: dict[int, float] = {}
    for depth, priority, hit in zip(depths, priorities, relevant, strict=True):
        tried[tenth(priority)] += 1
        hits[tenth(priority)] += hit
        links[depth] += 1
        gain[depth] = gain.get(depth, 0.0) + hit
    lowest, highest = min(tried), max(tried)
    for (depth, class_), count in waiting.items():
        near = min(max(class_, lowest), highest)
        share = (hits[near] + _PRIOR * mean) / (tried[near] + _PRIOR)
        links[depth] += count
        gain[depth] = gain.get(depth, 0.0) + share * count
    corners: list[Point] = [(0.0, 0.0)]
    for depth in sorted(links):
        at, found = corners[-1]
        room = pages - at
        share = gain[depth] / links[depth]
        step = min(room, links[depth])
        corners.append((at + step, found + step * share))
        if step == room:
            break
    return corners
