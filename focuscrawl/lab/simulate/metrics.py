"""Quality of an order of fetching, beside breadth-first and a greedy oracle.

Relevant are the pages of the wanted grade that can be reached from the seeds; the budget is
max(5 x relevant, 1500) pages unless another is given; the curve counts relevant pages found after each fetch.
``vs_oracle`` is the area under that curve divided by the oracle's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.errors import InputError
from focuscrawl.lab.simulate.links import LinkGraph

BUDGET_FACTOR = 5.0
BUDGET_FLOOR = 1500
RELEVANT_GRADE = 2


@dataclass(frozen=True, slots=True)
class Scores:
    """Figures of one order of pages; all but `fetched` are in [0, 1] (`vs_oracle` can pass 1 by a hair)."""

    fetched: int  # pages of the order inside the budget
    harvest_at_r: float  # precision after R fetches, R = number of relevant pages
    recall_at_2r: float
    recall_at_5r: float
    auc: float  # area under the curve, 1 = all relevant pages at once
    vs_oracle: float


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Yardsticks for crawls of one topic from one start."""

    relevant: frozenset[str]
    reachable: int
    budget: int
    oracle: tuple[str, ...]
    breadth_first: tuple[str, ...]
    oracle_area: int

    def scores(self, order: Sequence[str]) -> Scores:
        """Return the figures of an order of pages (each at most once)."""
        line = curve(order, self.relevant, self.budget)
        total = len(self.relevant)
        area = sum(line)
        return Scores(
            fetched=min(len(order), self.budget),
            harvest_at_r=_at(line, total) / min(total, self.budget),
            recall_at_2r=_at(line, 2 * total) / total,
            recall_at_5r=_at(line, 5 * total) / total,
            auc=area / (self.budget * total),
            vs_oracle=area / max(1, self.oracle_area),
        )


def yardstick(
    graph: LinkGraph,
    seeds: Iterable[str],
    grades: Mapping[str, int],
    *,
    grade: int = RELEVANT_GRADE,
    budget: int | None = None,
    budget_factor: float = BUDGET_FACTOR,
    budget_floor: int = BUDGET_FLOOR,
    most: int | None = None,
) -> Yardstick:
    """Return the yardstick of a topic and a start.

    Parameters
    ----------
    seeds
        Page identities of the seeds; unknown ones are ignored.
    grades
        Page identity -> grade.
    grade
        From which grade on a page counts.
    budget
        Pages; default ``max(budget_factor × relevant, budget_floor)``, at most `most`.

    Raises
    ------
    ConfigError
        If no relevant page can be reached.
    """
    starts = [graph.index[s] for s in seeds if s in graph.index]
    reachable = breadth_first(graph, starts, None)
    wanted = {graph.index[p] for p, g in grades.items() if g >= grade and p in graph.index}
    relevant = wanted.intersection(reachable)
    if not relevant:
        raise InputError("no relevant page can be reached from the seeds")
    if budget is None:
        budget = max(int(budget_factor * len(relevant)), budget_floor)
        budget = budget if most is None else min(budget, most)
    names = frozenset(graph.pages[n] for n in relevant)
    best = tuple(graph.pages[n] for n in oracle(graph, starts, relevant, budget))
    plain = tuple(graph.pages[n] for n in reachable[:budget])
    return Yardstick(names, len(reachable), budget, best, plain, sum(curve(best, names, budget)))


def curve(order: Sequence[str], relevant: frozenset[str], budget: int) -> list[int]:
    """Return the number of relevant pages found after each of `budget` fetches; a short order stays where it ended."""
    found, line = 0, []
    for page in order[:budget]:
        found += page in relevant
        line.append(found)
    line += [found] * (budget - len(line))
    return line


def breadth_first(graph: LinkGraph, seeds: Sequence[int], budget: int | None) -> list[int]:
    """Return the pages in breadth-first order, at most `budget` of them."""
    order: list[int] = []
    known, queue = set(seeds), deque(seeds)
    while queue and (budget is None or len(order) < budget):
        page = queue.popleft()
        order.append(page)
        for target in graph.targets[page]:
            if target not in known:
                known.add(target)
                queue.append(target)
    return order


def oracle(graph: LinkGraph, seeds: Sequence[int], relevant: set[int], budget: int) -> list[int]:
    """Return the order of a greedy crawler that knows every label and every link.

    It fetches a known relevant page if there is one (first known first), else steps towards the nearest relevant page
    not known yet; among equally near steps the one that opens most relevant pages, then the one known first.
    """
    targets, sources = graph.targets, graph.sources
    seen: set[int] = set()
    ready: deque[int] = deque()
    others: dict[int, None] = {}
    for page in seeds:
        if page not in seen:
            seen.add(page)
            if page in relevant:
                ready.append(page)
            else:
                others[page] = None
    fetched: set[int] = set()
    order: list[int] = []

    def fetch(page: int) -> None:
        order.append(page)
        fetched.add(page)
        for target in targets[page]:
            if target not in seen:
                seen.add(target)
                if target in relevant:
                    ready.append(target)
                else:
                    others[target] = None

    while len(order) < budget:
        if ready:
            fetch(ready.popleft())
            continue
        goal = relevant - seen
        nearest = _nearest(sources, goal, others, fetched) if goal and others else []
        if not nearest:
            break
        rank = {page: place for place, page in enumerate(others)}
        step = min(nearest, key=lambda p: (-sum(t in goal for t in set(targets[p])), rank[p]))
        del others[step]
        fetch(step)
    return order


def _nearest(
    sources: Sequence[Sequence[int]], goal: set[int], others: Mapping[int, None], fetched: set[int]
) -> list[int]:
    """Return the queued pages from which the way to a page of `goal` is shortest."""
    reached = set(goal)
    border: list[int] = list(goal)
    while border:
        further: list[int] = []
        hits: list[int] = []
        for page in border:
            for source in sources[page]:
                if source in reached or source in fetched:
                    continue
                reached.add(source)
                if source in others:
                    hits.append(source)
                else:
                    further.append(source)
        if hits:
            return hits
        border = further
    return []


def calibration_error(predicted: Sequence[float], happened: Sequence[bool], *, bins: int = 10) -> float:
    """Return the expected calibration error (ECE): mean distance of predicted and observed rate, bins of equal width.

    The mean is weighted by the number of predictions in each bin. 0.0 for no predictions.
    """
    sums, hits, counts = [0.0] * bins, [0] * bins, [0] * bins
    for value, hit in zip(predicted, happened, strict=True):
        slot = min(bins - 1, max(0, int(value * bins)))
        sums[slot] += value
        hits[slot] += hit
        counts[slot] += 1
    total = sum(counts)
    return sum(abs(s - h) for s, h in zip(sums, hits, strict=True)) / total if total else 0.0


def _at(line: Sequence[int], n: int) -> int:
    return line[min(n, len(line)) - 1] if n and line else 0
