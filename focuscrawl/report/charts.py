"""Line and bar charts as inline SVG, coloured by the style sheet of the page that holds them.

Each chart is drawn twice, for a wide and for a narrow window, since a scaled-down chart has text nobody can read; the
style sheet shows the one that fits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from focuscrawl.report.markup import Html, element, join

Point = tuple[float, float]

# A curve of more points than the chart has pixels only makes the file longer.
_MAX_POINTS = 400
_CHAR_PX = 7.2  # width of a digit at 12 px, generously


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a drawing, in user units that are CSS pixels at its natural width."""

    css: str
    width: int
    height: int
    ticks_x: int
    ticks_y: int


FULL = (Size("wide", 1080, 380, 10, 6), Size("narrow", 360, 290, 4, 5))
HALF = (Size("wide", 520, 290, 6, 5), Size("narrow", 360, 270, 4, 5))


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high`; `label` says what it shows and in which unit."""

    label: str
    low: float
    high: float
    percent: bool = False
    whole: bool = False  # counts: no tick between two numbers

    def ticks(self, count: int) -> list[float]:
        """Return where to put about `count` ticks."""
        ticks = nice_ticks(self.low, self.high, count)
        return [t for t in ticks if t == int(t)] if self.whole else ticks

    def text(self, value: float) -> str:
        """Return a tick's label."""
        if self.percent:
            return f"{value * 100:g}%"
        return f"{value:,.0f}" if self.high - self.low >= 5 else f"{value:.4g}"


@dataclass(frozen=True, slots=True)
class Series:
    """A named line; `css` is its class in the style sheet."""

    name: str
    points: Sequence[Point]
    css: str
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """A stacked bar over [low, high) of the horizontal axis: one height for each of the chart's classes."""

    low: float
    high: float
    heights: Sequence[float]
    hint: str


def nice_ticks(low: float, high: float, count: int) -> list[float]:
    """Return at most ``count + 1`` round numbers (1, 2 or 5 times a power of ten apart) in [low, high].

    >>> nice_ticks(0, 870, 5)
    [0.0, 200.0, 400.0, 600.0, 800.0]
    """
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return [low]
    raw = span / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def thinned(points: Sequence[Point], *, limit: int = _MAX_POINTS) -> list[Point]:
    """Return at most `limit` of `points`, evenly spread, first and last among them."""
    if len(points) <= limit:
        return list(points)
    step = (len(points) - 1) / (limit - 1)
    return [points[round(i * step)] for i in range(limit)]


def line_chart(title: str, series: Sequence[Series], *, x: Axis, y: Axis, sizes: Sequence[Size] = FULL) -> Html:
    """Return a chart of lines over common axes; the first series is drawn last, on top."""

    def draw(px: Callable[[float], float], py: Callable[[float], float]) -> Html:
        return join(_line(s, px, py) for s in reversed(series))

    return join(_frame(title, x, y, size, draw) for size in sizes)


def bar_chart(
    title: str,
    bars: Sequence[Bar],
    classes: Sequence[str],
    *,
    x: Axis,
    y: Axis,
    marker: tuple[float, str] | None = None,
) -> Html:
    """Return a chart of stacked bars; `marker` is a vertical line at a value, with its label."""

    def draw(px: Callable[[float], float], py: Callable[[float], float]) -> Html:
        shapes = [shape for bar in bars for shape in _bar(bar, classes, px, py)]
        if marker is not None:
            at, label = marker
            end = at > (x.low + x.high) * 0.6
            shapes.append(_rule("mark", px(at), py(y.low), px(at), py(y.high)))
            shapes.append(
                element(
                    "text",
                    label,
                    class_="mark-text",
                    x=_n(px(at) + (-5 if end else 5)),
                    y=_n(py(y.high) + 11),
                    text_anchor="end" if end else "start",
                )
            )
        return join(shapes)

    return join(_frame(title, x, y, size, draw) for size in HALF)


def sparkline(hits: Sequence[bool], title: str) -> Html:
    """Return a small curve without axes: relevant pages against fetched ones, below the diagonal of all relevant."""
    width, height = 96, 28
    points = thinned([(0.0, 0.0), *((i + 1.0, float(found)) for i, found in enumerate(accumulate(hits)))], limit=48)
    last = len(hits) or 1
    path = " ".join(f"{_n(a / last * width)},{_n(height - 1 - b / last * (height - 2))}" for a, b in points)
    return element(
        "svg",
        element("title", title),
        _rule("guide line", 0, height - 1, width, 1),
        element("polyline", points=path, class_="line s1"),
        class_="spark",
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=title,
    )


def legend(series: Sequence[tuple[str, str]]) -> Html:
    """Return the key of a chart for (class, name) pairs; outside the drawing, so that long names wrap."""
    keys = [element("li", element("span", class_=f"key {css}"), name) for css, name in series]
    return element("ul", keys, class_="legend")


def _frame(
    title: str, x: Axis, y: Axis, size: Size, draw: Callable[[Callable[[float], float], Callable[[float], float]], Html]
) -> Html:
    ticks_x, ticks_y = x.ticks(size.ticks_x), y.ticks(size.ticks_y)
    left = 30 + _CHAR_PX * max(len(y.text(t)) for t in ticks_y)
    right, top, bottom = size.width - 18.0, 10.0, size.height - 46.0
    if ticks_x:
        # a wide last label (“10,000”) must not run out of the picture
        right = min(right, size.width - _CHAR_PX * len(x.text(ticks_x[-1])) / 2 - 2)

    def px(value: float) -> float:
        return left + (value - x.low) / ((x.high - x.low) or 1.0) * (right - left)

    def py(value: float) -> float:
        return bottom - (value - y.low) / ((y.high - y.low) or 1.0) * (bottom - top)

    grid = [_rule("grid", left, py(t), right, py(t)) for t in ticks_y]
    labels = [
        element("text", y.text(t), class_="tick", x=_n(left - 7), y=_n(py(t) + 4), text_anchor="end") for t in ticks_y
    ]
    labels += [
        element("text", x.text(t), class_="tick", x=_n(px(t)), y=_n(bottom + 18), text_anchor="middle") for t in ticks_x
    ]
    labels += [_rule("axis", px(t), bottom, px(t), bottom + 4) for t in ticks_x]
    middle_y = (top + bottom) / 2
    titles = [
        element("text", x.label, class_="label", x=_n((left + right) / 2), y=_n(size.height - 8), text_anchor="middle"),
        element(
            "text",
            y.label,
            class_="label",
            x="13",
            y=_n(middle_y),
            text_anchor="middle",
            transform=f"rotate(-90 13 {_n(middle_y)})",
        ),
    ]
    return element(
        "svg",
        element("title", title),
        grid,
        draw(px, py),
        _rule("axis", left, bottom, right, bottom),
        labels,
        titles,
        class_=f"chart {size.css}",
        viewBox=f"0 0 {size.width} {size.height}",
        role="img",
        aria_label=title,
    )


def _line(series: Series, px: Callable[[float], float], py: Callable[[float], float]) -> Html:
    points = thinned(series.points)
    if not points:
        return Html("")
    path = " ".join(f"{_n(px(a))},{_n(py(b))}" for a, b in points)
    shapes = [
        element(
            "polyline", element("title", series.name), points=path, class_=f"line {series.css}", stroke_linejoin="round"
        )
    ]
    if series.dots or len(points) == 1:
        shapes += [
            element(
                "circle",
                element("title", f"{series.name}: {a:.3g}, {b:.3g}"),
                cx=_n(px(a)),
                cy=_n(py(b)),
                r="4",
                class_=f"dot {series.css}",
            )
            for a, b in points
        ]
    return join(shapes)


def _bar(bar: Bar, classes: Sequence[str], px: Callable[[float], float], py: Callable[[float], float]) -> list[Html]:
    shapes: list[Html] = []
    base = 0.0
    left, right = px(bar.low) + 1.0, px(bar.high) - 1.0
    for css, height in zip(classes, bar.heights, strict=True):
        if height > 0:
            shapes.append(
                element(
                    "rect",
                    element("title", bar.hint),
                    class_=f"bar {css}",
                    x=_n(left),
                    y=_n(py(base + height)),
                    width=_n(max(right - left, 0.5)),
                    height=_n(py(base) - py(base + height)),
                )
            )
        base += height
    return shapes


def _rule(css: str, x1: float, y1: float, x2: float, y2: float) -> Html:
    return element("line", class_=css, x1=_n(x1), y1=_n(y1), x2=_n(x2), y2=_n(y2))


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
