"""Sections of the report that are charts, each a function from the run's data to HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.report.charts import FULL, HALF, Axis, Bar, Point, Series, bar_chart, legend, line_chart
from focuscrawl.report.data import RunData
from focuscrawl.report.markup import Html, element
from focuscrawl.report.metrics import (
    RECENT,
    calibration_bins,
    calibration_error,
    cumulative,
    harvest_rate,
    moving_harvest,
    ranking_auc,
)
from focuscrawl.report.tables import note, number, percent, row, section, table
from focuscrawl.wording import report as wording
from focuscrawl.wording.base import Say

_BINS = 20  # of the relevance histogram: steps of 0.05, fine enough to see a threshold in
_COMPARE_STYLES = ("s2", "s3")


def harvest(run: RunData, compare: Mapping[str, Sequence[bool]], say: Say) -> Html:
    """Relevant pages against fetched pages, beside the diagonal and other crawls."""
    others = _others(compare)
    longest = max([run.pages, *(len(hits) for _, hits, _ in others)])
    highest = max([run.found, *(sum(hits) for _, hits, _ in others), 1])
    top = min(longest, highest * 1.08)
    name = run.strategy or say(wording.THIS_CRAWL)
    series = [Series(name, _curve(run.relevant), "s1")]
    series += [Series(label, _curve(hits), css) for label, hits, css in others]
    series.append(Series(say(wording.EVERY_RELEVANT), [(0, 0), (top, top)], "guide"))
    chart = line_chart(
        say(wording.HARVEST_CHART),
        series,
        x=Axis(say(wording.PAGES_FETCHED), 0, longest, whole=True),
        y=Axis(say(wording.RELEVANT_PAGES), 0, max(top, 1), whole=True),
        sizes=FULL,
    )
    told = say(wording.HARVEST_NOTE, name=name, found=run.found, pages=run.pages, harvest=percent(run.harvest))
    beside: dict[int, str] = {}
    for label, hits, _ in others:
        same = min(len(hits), run.pages)
        beside[same] = beside.get(same, "") + say(wording.BESIDE, name=label, found=sum(hits[:same]))
    for pages, counts in beside.items():
        told += say(wording.COMPARED, pages=pages, name=name, found=sum(run.relevant[:pages]), others=counts)
    return section(say(wording.HARVEST_CURVE), legend([(s.css, s.name) for s in series]), chart, note(told))


def recent(run: RunData, compare: Mapping[str, Sequence[bool]], say: Say) -> Html:
    """Harvest of the last pages over the crawl."""
    others = _others(compare)
    series = [Series(run.strategy or say(wording.THIS_CRAWL), _recent_points(run.relevant), "s1")]
    series += [Series(label, _recent_points(hits), css) for label, hits, css in others]
    longest = max([run.pages, *(len(hits) for _, hits, _ in others), 2])
    chart = line_chart(
        say(wording.RECENT_CHART, n=RECENT),
        series,
        x=Axis(say(wording.PAGES_FETCHED), 1, longest, whole=True),
        y=Axis(say(wording.RECENT_AXIS, n=RECENT), 0, 1, percent=True),
        sizes=HALF,
    )
    return section(
        say(wording.RECENT_TITLE, n=RECENT),
        legend([(s.css, s.name) for s in series]) if others else None,
        chart,
        note(say(wording.RECENT_NOTE, n=RECENT)),
    )


def histogram(run: RunData, say: Say) -> Html:
    """How relevant the fetched pages are."""
    yes, no = [0] * _BINS, [0] * _BINS
    for score, hit in zip(run.relevance, run.relevant, strict=True):
        (yes if hit else no)[min(int(score * _BINS), _BINS - 1)] += 1
    bars = [
        Bar(
            i / _BINS,
            (i + 1) / _BINS,
            (yes[i], no[i]),
            say(wording.BIN, low=i / _BINS, high=(i + 1) / _BINS, yes=yes[i], no=no[i]),
        )
        for i in range(_BINS)
    ]
    threshold = run.last_threshold or 0.0
    chart = bar_chart(
        say(wording.RELEVANCE_CHART),
        bars,
        ("s1", "off"),
        x=Axis(say(wording.RELEVANCE_AXIS), 0, 1),
        y=Axis(say(wording.PAGES), 0, max(a + b for a, b in zip(yes, no, strict=True)) * 1.12 or 1, whole=True),
        marker=(threshold, say(wording.THRESHOLD_AT, threshold=threshold)),
    )
    key = legend([*_judged(say), ("mark", say(wording.LAST_THRESHOLD))])
    return section(say(wording.RELEVANCE_TITLE), key, chart)


def thresholds(run: RunData, say: Say) -> Html:
    """The threshold that was in force at each page."""
    # Feeds are read, not judged: they have no threshold.
    points = [(i + 1.0, t) for i, t in enumerate(run.threshold) if t > 0.0] or [(1.0, 0.0)]
    low, high = min(t for _, t in points), max(t for _, t in points)
    chart = line_chart(
        say(wording.THRESHOLD_CHART),
        [Series(say(wording.THRESHOLD), points, "s1")],
        x=Axis(say(wording.PAGES_FETCHED), 1, max(run.pages, 2), whole=True),
        y=Axis(say(wording.THRESHOLD_AXIS), 0, min(1.0, max(high * 1.25, 0.1))),
        sizes=HALF,
    )
    told = say(wording.STAYED, threshold=high) if low == high else say(wording.MOVED, low=low, high=high)
    return section(say(wording.THRESHOLD_TITLE), chart, note(told))


def depths(run: RunData, say: Say) -> Html | None:
    """Pages by their distance from a seed; those of archives were found by no link."""
    if run.archived:
        return None
    deepest = max(run.depth)
    last = min(deepest, 19)  # more bars than that cannot be told apart on a phone
    yes, no = [0] * (last + 1), [0] * (last + 1)
    for depth, hit in zip(run.depth, run.relevant, strict=True):
        (yes if hit else no)[min(depth, last)] += 1
    bars = [
        Bar(i - 0.5, i + 0.5, (yes[i], no[i]), say(wording.DEPTH_BIN, depth=i, yes=yes[i], no=no[i]))
        for i in range(last + 1)
    ]
    label = say(wording.DEPTH_AXIS) if deepest == last else say(wording.DEPTH_AXIS_MORE, last=last)
    chart = bar_chart(
        say(wording.DEPTH_CHART),
        bars,
        ("s1", "off"),
        x=Axis(label, -0.5, last + 0.5, whole=True),
        y=Axis(say(wording.PAGES), 0, max(a + b for a, b in zip(yes, no, strict=True)) * 1.08, whole=True),
    )
    return section(say(wording.DEPTH_TITLE), legend(_judged(say)), chart)


def calibration(run: RunData, say: Say) -> Html | None:
    """Predicted probabilities beside what the pages turned out to be."""
    pairs = [
        (p, hit) for p, hit, depth in zip(run.predicted, run.relevant, run.depth, strict=True) if depth and 0 <= p <= 1
    ]
    if len(pairs) < 2:
        return None
    predicted, relevant = [p for p, _ in pairs], [hit for _, hit in pairs]
    bins = calibration_bins(predicted, relevant)
    error, auc = calibration_error(bins), ranking_auc(predicted, relevant)
    series = [
        Series(say(wording.OBSERVED), [(b.predicted, b.observed) for b in bins], "s1", dots=True),
        Series(say(wording.PERFECT), [(0, 0), (1, 1)], "guide"),
    ]
    chart = line_chart(
        say(wording.CALIBRATION_CHART),
        series,
        x=Axis(say(wording.PREDICTED_AXIS), 0, 1),
        y=Axis(say(wording.OBSERVED_AXIS), 0, 1, percent=True),
        sizes=HALF,
    )
    rows = [
        row(
            f"{b.low:.1f} – {b.high:.1f}",
            number(f"{b.pages:,}"),
            number(f"{b.predicted:.3f}"),
            number(f"{b.observed:.3f}"),
        )
        for b in bins
    ]
    columns = (
        say(wording.PROBABILITY),
        *(f">{say(name)}" for name in (wording.PAGES, wording.PREDICTED, wording.OBSERVED)),
    )
    told = say(wording.ERROR, error=error, n=len(pairs))
    if auc is not None:
        told += say(wording.PAIRS, auc=percent(auc))
    told += say(wording.CAUTION, base=percent(harvest_rate(relevant)))
    return section(
        say(wording.CALIBRATION_TITLE),
        element(
            "div",
            element("div", legend([(s.css, s.name) for s in series]), chart),
            element("div", table(columns, rows)),
            class_="pair",
        ),
        note(told),
    )


def _judged(say: Say) -> list[tuple[str, str]]:
    return [("box s1", say(wording.JUDGED_YES)), ("box off", say(wording.JUDGED_NO))]


def _others(compare: Mapping[str, Sequence[bool]]) -> list[tuple[str, Sequence[bool], str]]:
    return [
        (name, hits, _COMPARE_STYLES[i % len(_COMPARE_STYLES)])
        for i, (name, hits) in enumerate(compare.items())
        if hits
    ]


def _curve(relevant: Sequence[bool]) -> list[Point]:
    return [(0.0, 0.0), *((i + 1.0, float(found)) for i, found in enumerate(cumulative(relevant)))]


def _recent_points(relevant: Sequence[bool]) -> list[Point]:
    return [(i + 1.0, share) for i, share in enumerate(moving_harvest(relevant))]
