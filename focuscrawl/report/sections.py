"""The sections of the report, each a function from the run's data to HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.report.charts import FULL, HALF, Axis, Bar, Point, Series, bar_chart, legend, line_chart
from focuscrawl.report.data import BestPage, HostLine, RunData
from focuscrawl.report.markup import Html, element, join, link
from focuscrawl.report.metrics import (
    RECENT,
    calibration_bins,
    calibration_error,
    cumulative,
    harvest_rate,
    moving_harvest,
    ranking_auc,
)
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import counted_reasons

_BINS = 20  # of the relevance histogram: steps of 0.05, fine enough to see a threshold in
_COMPARE_STYLES = ("s2", "s3")
_MANY = 30  # rows of a table for people


def tiles(run: RunData) -> Html:
    """Headline numbers."""
    first = f"{run.failed + run.refused:,} more gave no page" if run.failed or run.refused else "and judged"
    third = f"not stored: {counted_reasons(run.not_stored, Say())}" if run.not_stored else "all relevant ones"
    threshold = run.last_threshold
    facts = [
        (f"{run.pages:,}", "pages fetched", first),
        (f"{run.found:,}", "relevant pages", "by the judge's verdict"),
        (f"{run.stored:,}", "pages stored", third),
        (percent(run.harvest), "harvest rate", "relevant / fetched"),
        (percent(run.recent), "recent harvest", f"of the last {run.recent_pages:,} pages"),
        (f"{run.n_hosts:,}", "hosts", f"{run.n_relevant_hosts:,} with a relevant page"),
        ("–", "links queued", "not kept with the pages")
        if run.frontier
        else (
            f"{run.queued:,}",
            "links queued",
            f"{run.in_flight:,} being fetched" if run.in_flight else "not yet fetched",
        ),
        ("–" if threshold is None else f"{threshold:.3f}", "threshold", "of relevance, last in force"),
    ]
    return element(
        "div",
        [
            element("div", element("b", n), element("span", what), element("span", note), class_="tile")
            for n, what, note in facts
        ],
        class_="tiles",
    )


def harvest(run: RunData, compare: Mapping[str, Sequence[bool]]) -> Html:
    """Relevant pages against fetched pages, beside the diagonal and other crawls."""
    others = _others(compare)
    longest = max([run.pages, *(len(hits) for _, hits, _ in others)])
    highest = max([run.found, *(sum(hits) for _, hits, _ in others), 1])
    top = min(longest, highest * 1.08)
    name = run.strategy or "this crawl"
    series = [Series(name, _curve(run.relevant), "s1")]
    series += [Series(label, _curve(hits), css) for label, hits, css in others]
    series.append(Series("every page relevant", [(0, 0), (top, top)], "guide"))
    chart = line_chart(
        "Relevant pages against fetched pages",
        series,
        x=Axis("pages fetched", 0, longest, whole=True),
        y=Axis("relevant pages", 0, max(top, 1), whole=True),
        sizes=FULL,
    )
    notes = [f"{name}: {run.found:,} relevant of {run.pages:,}, {percent(run.harvest)}."]
    for label, hits, _ in others:
        same = min(len(hits), run.pages)
        notes.append(
            f"After {same:,} pages: {name} {sum(run.relevant[:same]):,} relevant, {label} {sum(hits[:same]):,}."
        )
    return _section(
        "Harvest curve", legend([(s.css, s.name) for s in series]), chart, element("p", " ".join(notes), class_="note")
    )


def recent(run: RunData, compare: Mapping[str, Sequence[bool]]) -> Html:
    """Harvest of the last pages over the crawl."""
    others = _others(compare)
    series = [Series(run.strategy or "this crawl", _recent_points(run.relevant), "s1")]
    series += [Series(label, _recent_points(hits), css) for label, hits, css in others]
    longest = max([run.pages, *(len(hits) for _, hits, _ in others), 2])
    chart = line_chart(
        f"Harvest of the last {RECENT} pages",
        series,
        x=Axis("pages fetched", 1, longest, whole=True),
        y=Axis(f"relevant among the last {RECENT}", 0, 1, percent=True),
        sizes=HALF,
    )
    note = f"The first {RECENT} points rest on fewer pages, as many as there were."
    return _section(
        f"Harvest of the last {RECENT}",
        legend([(s.css, s.name) for s in series]) if others else None,
        chart,
        element("p", note, class_="note"),
    )


def histogram(run: RunData) -> Html:
    """How relevant the fetched pages are."""
    yes, no = [0] * _BINS, [0] * _BINS
    for score, hit in zip(run.relevance, run.relevant, strict=True):
        (yes if hit else no)[min(int(score * _BINS), _BINS - 1)] += 1
    bars = [
        Bar(
            i / _BINS,
            (i + 1) / _BINS,
            (yes[i], no[i]),
            f"{i / _BINS:.2f} to {(i + 1) / _BINS:.2f}: {yes[i]:,} relevant, {no[i]:,} not",
        )
        for i in range(_BINS)
    ]
    threshold = run.last_threshold or 0.0
    chart = bar_chart(
        "Relevance of the fetched pages",
        bars,
        ("s1", "off"),
        x=Axis("relevance of the page", 0, 1),
        y=Axis("pages", 0, max(a + b for a, b in zip(yes, no, strict=True)) * 1.12 or 1, whole=True),
        marker=(threshold, f"threshold {threshold:.3f}"),
    )
    key = legend([("box s1", "judged relevant"), ("box off", "judged not relevant"), ("mark", "last threshold")])
    return _section("Relevance of the pages", key, chart)


def thresholds(run: RunData) -> Html:
    """The threshold that was in force at each page."""
    # Feeds are read, not judged: they have no threshold.
    points = [(i + 1.0, t) for i, t in enumerate(run.threshold) if t > 0.0] or [(1.0, 0.0)]
    low, high = min(t for _, t in points), max(t for _, t in points)
    chart = line_chart(
        "Threshold of relevance over the crawl",
        [Series("threshold", points, "s1")],
        x=Axis("pages fetched", 1, max(run.pages, 2), whole=True),
        y=Axis("threshold of relevance", 0, min(1.0, max(high * 1.25, 0.1))),
        sizes=HALF,
    )
    note = f"It stayed at {high:.3f}." if low == high else f"It moved between {low:.3f} and {high:.3f}."
    return _section("Threshold over time", chart, element("p", note, class_="note"))


def depths(run: RunData) -> Html:
    """Pages by their distance from a seed."""
    deepest = max(run.depth)
    last = min(deepest, 19)  # more bars than that cannot be told apart on a phone
    yes, no = [0] * (last + 1), [0] * (last + 1)
    for depth, hit in zip(run.depth, run.relevant, strict=True):
        (yes if hit else no)[min(depth, last)] += 1
    bars = [
        Bar(i - 0.5, i + 0.5, (yes[i], no[i]), f"{i} links from a seed: {yes[i]:,} relevant, {no[i]:,} not")
        for i in range(last + 1)
    ]
    label = "links from a seed" if deepest == last else f"links from a seed ({last}: {last} and more)"
    chart = bar_chart(
        "Pages by distance from a seed",
        bars,
        ("s1", "off"),
        x=Axis(label, -0.5, last + 0.5, whole=True),
        y=Axis("pages", 0, max(a + b for a, b in zip(yes, no, strict=True)) * 1.08, whole=True),
    )
    return _section(
        "Distance from the seeds", legend([("box s1", "judged relevant"), ("box off", "judged not relevant")]), chart
    )


def best(run: RunData) -> Html:
    """The most relevant pages."""
    if not run.best:
        return _section("Best pages", element("p", "No page was judged relevant."))
    items = [_best(page) for page in run.best]
    note = f"The {len(items):,} most relevant of {run.found:,}; duplicates are left out."
    return _section("Best pages", element("p", note, class_="note"), element("ol", items, class_="best"))


def hosts(run: RunData) -> Html | None:
    """What each host gave."""
    if not run.hosts:
        return None
    shown = run.hosts[:_MANY]
    rows = [_host(line, queue=not run.frontier) for line in shown]
    more = element("p", f"{run.n_hosts - len(shown):,} more hosts are not shown.", class_="note")
    return _section(
        "Hosts",
        _table(
            ("host", "fetched:n", "relevant:n", "harvest:n", "no page:n", "queued:n")[: 5 if run.frontier else 6], rows
        ),
        more if run.n_hosts > len(shown) else None,
    )


def calibration(run: RunData) -> Html | None:
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
        Series("observed", [(b.predicted, b.observed) for b in bins], "s1", dots=True),
        Series("perfectly calibrated", [(0, 0), (1, 1)], "guide"),
    ]
    chart = line_chart(
        "Observed harvest against predicted probability",
        series,
        x=Axis("predicted probability of being relevant", 0, 1),
        y=Axis("share found relevant", 0, 1, percent=True),
        sizes=HALF,
    )
    rows = [
        _row(f"{b.low:.1f} – {b.high:.1f}", n(f"{b.pages:,}"), n(f"{b.predicted:.3f}"), n(f"{b.observed:.3f}"))
        for b in bins
    ]
    base = harvest_rate(relevant)
    told = (
        f"Expected calibration error {error:.3f}: predicted and observed differ by so much on average, over"
        f" {len(pairs):,} pages other than seeds."
    )
    if auc is not None:
        told += (
            f" In {percent(auc)} of the pairs of a relevant and an irrelevant page the relevant one had the higher"
            f" probability (50% is chance)."
        )
    caution = (
        f" {percent(base)} of these pages were relevant. A prediction is made before the page is judged, from its"
        " priority and what pages of such a priority had turned out to be until then; relevant means relevant to the"
        " crawl's own judge, and only links good enough to be fetched are seen here."
    )
    return _section(
        "Predicted and observed",
        element(
            "div",
            element("div", legend([(s.css, s.name) for s in series]), chart),
            element(
                "div",
                _table(("probability", "pages:n", "predicted:n", "observed:n"), rows),
            ),
            class_="pair",
        ),
        element("p", told + caution, class_="note"),
    )


def failures(run: RunData) -> Html | None:
    """Why fetches gave no page."""
    total = sum(run.reasons.values())
    if not total:
        return None
    ordered = sorted(run.reasons.items(), key=lambda item: (-item[1], item[0]))
    rows = [
        _row(reason or "no reason recorded", n(f"{count:,}"), n(percent(count / total)))
        for reason, count in ordered[:_MANY]
    ]
    told = f"{total:,} fetches gave no page. They are settled and not counted as fetched pages."
    return _section(
        "What could not be fetched", element("p", told, class_="note"), _table(("reason", "links:n", "share:n"), rows)
    )


def queue(run: RunData) -> Html | None:
    """The best links that wait."""
    if run.frontier:
        told = f"The links that wait are not kept with these pages: they are in {run.frontier}."
        return _section("Next links", element("p", told, class_="note"))
    if not run.queue:
        return None
    rows = [
        _row(
            n(f"{item.priority:.3f}"),
            element(
                "td",
                link(item.url),
                element("div", "“", element("bdi", item.anchor), "”", class_="soft") if item.anchor else None,
                class_="url",
            ),
            n(str(item.depth)),
        )
        for item in run.queue
    ]
    told = f"The first {len(rows):,} of {run.queued:,}. More pages would have been fetched in about this order."
    return _section(
        "Next links",
        element("p", told, class_="note"),
        _table(("priority:n", "link", "depth:n"), rows),
    )


def how(run: RunData) -> Html:
    """What the words mean."""
    weights = ", ".join(f"{name} {value:g}" for name, value in run.weights.items())
    lines = [
        "A page counts as fetched when an answer came that could be judged, and as relevant when its relevance reached"
        " the threshold in force at that moment. Nobody checked these judgements by hand: the harvest is as good as the"
        " topic's judge.",
        "Harvest rate: relevant pages / fetched pages. Priority of a link: its own score plus the offset of its group"
        " of links.",
    ]
    if weights:
        lines.append(f"Weights of the strategy: {weights}.")
    settings = [_row(key, value) for key, value in run.settings.items()]
    return _section(
        "How to read this",
        [element("p", line) for line in lines],
        _table(("setting", "value"), settings) if settings else None,
    )


def percent(value: float) -> str:
    """Return a share in [0, 1] as people write it.

    >>> percent(0.3333), percent(0.004), percent(1.0)
    ('33.3%', '0.4%', '100.0%')
    """
    return f"{value:.1%}"


def n(value: str) -> Html:
    """Return a table cell with a number."""
    return element("td", value, class_="n")


def _section(title: str, *content: Html | list[Html] | None) -> Html:
    return element("section", element("h2", title), *content)


def _table(columns: Sequence[str], rows: Sequence[Html]) -> Html:
    heads = [element("th", name.removesuffix(":n"), class_="n" if name.endswith(":n") else None) for name in columns]
    table = element("table", element("thead", element("tr", heads)), element("tbody", rows))
    return element("div", table, class_="scroll")


def _row(*cells: Html | str) -> Html:
    return element("tr", [c if isinstance(c, Html) else element("td", element("bdi", c), class_="url") for c in cells])


def _host(line: HostLine, *, queue: bool) -> Html:
    meter = element("span", element("i", "", style=f"width:{line.harvest * 100:.0f}%"), class_="meter")
    return _row(
        line.host,
        n(f"{line.fetched:,}"),
        n(f"{line.relevant:,}"),
        element("td", percent(line.harvest), meter, class_="n"),
        n(f"{line.failed:,}"),
        *([n(f"{line.queued:,}")] if queue else []),
    )


def _best(page: BestPage) -> Html:
    parts = ", ".join(f"{name} {value:.2f}" for name, value in page.judged.items())
    away = "a seed" if not page.depth else f"{page.depth} link{'s' if page.depth > 1 else ''} from a seed"
    if page.tunnel:
        away += f", through {page.tunnel} off-topic page{'s' if page.tunnel > 1 else ''}"
    why: list[Html | str] = [f"Relevance {page.relevance:.3f} (threshold {page.threshold:.3f})"]
    if parts:
        why.append(f": {parts}")
    why.append(f". {away[0].upper()}{away[1:]}")
    if page.parent_url:
        why += [", found on ", link(page.parent_url)]
    if page.anchor:
        why += [" as “", element("bdi", page.anchor), "”"]
    if page.depth:
        why.append(f", expected to be relevant with a probability of {page.predicted:.0%}")
    return element(
        "li",
        element("div", f"{page.relevance:.2f}", class_="score"),
        element(
            "div",
            element("h3", link(page.url, page.title or page.url), lang=page.language or None),
            element("div", element("bdi", page.url), class_="url"),
            element("p", element("bdi", page.snippet), class_="snippet", lang=page.language or None)
            if page.snippet
            else None,
            element("p", join(*why), ".", class_="why"),
        ),
    )


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
