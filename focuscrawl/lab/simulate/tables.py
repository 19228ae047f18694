"""Results as tables of plain text, for terminals and for documents."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from focuscrawl.lab.simulate.cases import ORACLE, CaseResult
from focuscrawl.lab.simulate.comparison import ALL_STARTS, Difference, means, per_topic

Row = Sequence[str]
BY_START = ("vs_oracle", "recall_at_2r")


def text_table(head: Row, rows: Sequence[Row]) -> str:
    """Return an aligned table; the first column is flush left, the others right. Chinese characters count double."""
    widths = [max(_width(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [_pad(cell, width, left=i == 0) for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def starts_of(results: Sequence[CaseResult]) -> list[str]:
    """Return the starts in order of first use, and "all" when there are several."""
    starts = list(dict.fromkeys(r.start for r in results))
    return [*starts, ALL_STARTS] if len(starts) > 1 else starts


def summary_table(results: Sequence[CaseResult], metrics: Sequence[str] = BY_START) -> str:
    """Return `start_rows`, `spread_rows` where cases were run in several orders, and `figure_rows` as text."""
    tables = [start_rows(results, metrics), figure_rows(results)]
    if any(r.seed for r in results):
        tables.insert(1, spread_rows(results))
    return "\n\n".join(text_table(*table) for table in tables)


def start_rows(results: Sequence[CaseResult], metrics: Sequence[str] = BY_START) -> tuple[Row, Sequence[Row]]:
    """Return the means over topics (of means over seeds) by start: heading, and a row a strategy, best first."""
    starts = starts_of(results)
    figures = {metric: means(results, metric) for metric in metrics}
    head = ["strategy"] + [f"{m} {s}" for m in metrics for s in starts]
    names = _best_first(results, metrics[0])
    return head, [[n] + [_figure(figures[m].get((n, s))) for m in metrics for s in starts] for n in names]


def spread_rows(results: Sequence[CaseResult], metric: str = BY_START[0]) -> tuple[Row, Sequence[Row]]:
    """Return how far the orders of a case lie apart: heading, and a row a strategy and start.

    ``sd`` is the standard deviation between the orders of a case and ``worst`` the worst of them, both in the mean over
    cases; ``widest`` is the largest standard deviation of any case, ``least`` the worst single crawl; ``minutes`` is
    the mean duration of a crawl on the replay's clock, with the delays that hosts ask for.
    """
    head = ["strategy", "start", "cases", "mean", "sd", "worst", "widest", "least", "minutes"]
    rows = []
    for name in _best_first(results, metric):
        if name == ORACLE:
            continue
        for start in starts_of(results):
            cases: dict[tuple[str, str, str], list[float]] = defaultdict(list)
            seconds = []
            for r in results:
                if r.strategy == name and start in (r.start, ALL_STARTS):
                    cases[r.web, r.topic, r.start].append(getattr(r, metric))
                    seconds.append(r.seconds)
            if not cases:
                continue
            spreads = [float(np.std(values)) for values in cases.values()]
            rows.append(
                [
                    name,
                    start,
                    str(len(cases)),
                    _figure(_mean([_mean(values) for values in cases.values()])),
                    _figure(_mean(spreads)),
                    _figure(_mean([min(values) for values in cases.values()])),
                    _figure(max(spreads)),
                    _figure(min(min(values) for values in cases.values())),
                    _figure((_mean(seconds) or 0.0) / 60.0, 1),
                ]
            )
    return head, rows


def figure_rows(results: Sequence[CaseResult]) -> tuple[Row, Sequence[Row]]:
    """Return all other figures, means over all crawls: heading, and a row a strategy, in the order of `start_rows`.

    ``hosts`` are those a relevant page was found on, and their share of those that have one; ``CPU ms`` is CPU time a
    page for frontier, judging, scoring and ranking, without reading and analysing pages.
    """
    head = ["strategy", "harvest", "recall", "AUC", "hosts", "of all", "ECE", "judge P", "judge R", "CPU ms", "pages"]
    rows = []
    for name in _best_first(results, BY_START[0]):
        mine = [r for r in results if r.strategy == name]
        rows.append(
            [
                name,
                _figure(_mean([r.harvest for r in mine])),
                _figure(_mean([r.recall for r in mine])),
                _figure(_mean([r.auc for r in mine])),
                _figure(_mean([r.hosts for r in mine]), 1),
                _figure(_mean([r.hosts / r.hosts_relevant for r in mine])),
                _figure(_mean([r.ece for r in mine])),
                _figure(_mean([r.judge_precision for r in mine])),
                _figure(_mean([r.judge_recall for r in mine])),
                _figure(_mean([r.cpu_ms_per_page for r in mine if r.cpu_ms_per_page]), 2),
                _figure(_mean([r.fetched for r in mine]), 0),
            ]
        )
    return head, rows


def _best_first(results: Sequence[CaseResult], metric: str) -> list[str]:
    found, start = means(results, metric), starts_of(results)[-1]
    names = list(dict.fromkeys(r.strategy for r in results))
    return sorted(names, key=lambda n: (n != ORACLE, -found.get((n, start), 0.0)))


def topic_table(results: Sequence[CaseResult], metric: str = "vs_oracle") -> str:
    """Return `topic_rows` as text."""
    return text_table(*topic_rows(results, metric))


def topic_rows(results: Sequence[CaseResult], metric: str = "vs_oracle") -> tuple[Row, Sequence[Row]]:
    """Return the figure of every topic and start, a column a strategy."""
    table = per_topic(results, metric)
    strategies = list(dict.fromkeys(r.strategy for r in results))
    sizes: dict[tuple[str, str, str], tuple[int, int]] = {}
    for r in results:
        sizes[r.web, r.topic, r.start] = (r.relevant, r.budget)
    rows = [
        [f"{web} {topic} {start}", str(relevant), str(budget)]
        + [_figure(table.get((name, start), {}).get((web, topic))) for name in strategies]
        for (web, topic, start), (relevant, budget) in sizes.items()
    ]
    return ["web topic start", "R", "budget", *strategies], rows


def difference_table(differences: Sequence[Difference]) -> str:
    """Return `difference_rows` as text."""
    return text_table(*difference_rows(differences))


def difference_rows(differences: Sequence[Difference]) -> tuple[Row, Sequence[Row]]:
    """Return the paired differences with their intervals; a star marks those whose interval excludes zero."""
    groups: dict[str, list[Difference]] = defaultdict(list)
    for difference in differences:
        groups[difference.start].append(difference)
    rows = []
    for start, items in groups.items():
        for d in sorted(items, key=lambda d: -d.mean):
            interval = f"[{d.low:+.3f}, {d.high:+.3f}]"
            mark = "*" if d.certain else ""
            rows.append(
                [f"{d.strategy} - {d.against}", start, f"{d.mean:+.3f}", interval, mark, f"{d.wins}/{d.topics}"]
            )
    return ["difference", "start", "mean", "95 % interval", "", "ahead on"], rows


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return float(np.mean(known)) if known else None


def _figure(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, *, left: bool) -> str:
    gap = " " * (width - _width(text))
    return text + gap if left else gap + text
