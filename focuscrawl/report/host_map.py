"""Map of the hosts of a run: which lead to which, how many pages each has, and where the relevant ones are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focuscrawl.errors import StoreError
from focuscrawl.graph.spring_layout import link_weights, spring_layout
from focuscrawl.report.charts import FULL, Size, legend
from focuscrawl.report.link_graph import host_links
from focuscrawl.report.markup import Html, element, join
from focuscrawl.report.tables import note, section
from focuscrawl.wording import report as wording
from focuscrawl.wording.base import Say

if TYPE_CHECKING:
    from focuscrawl.storage.reading import RunReader

_HOSTS = 40
_LABELS = {"wide": 24, "narrow": 10}
_MOST_PAGES = 200_000  # their keys and hosts are held meanwhile, some 200 bytes each
_MARGIN = 44.0
_LABEL_CHARS = 26


@dataclass(frozen=True, slots=True)
class HostDot:
    """A host on the map, in the unit square."""

    name: str
    pages: int
    relevant: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class HostMap:
    """Hosts with most relevant pages, and the links between them: pair of hosts -> number of links."""

    hosts: Sequence[HostDot]
    links: Mapping[tuple[str, str], int]
    others: int = 0  # hosts left out


def read_host_map(run: RunReader, *, pages: int) -> HostMap | None:
    """Return the map of a run; None for one host, for a run of too many pages, or one whose links are not here.

    Parameters
    ----------
    pages
        Pages of the run.
    """
    if pages > _MOST_PAGES:
        return None
    try:
        hosts, counts = host_links(run, lambda _: True)
    except StoreError:
        return None  # as of a crawl in PostgreSQL
    order = sorted(hosts.items(), key=lambda item: (-item[1].relevant, -item[1].pages, item[0]))
    chosen = dict(order[:_HOSTS])
    if len(chosen) < 2:
        return None
    links: dict[tuple[str, str], int] = {}
    for (source, target), weight in counts.items():
        if source != target and source in chosen and target in chosen:
            pair = min(source, target), max(source, target)
            links[pair] = links.get(pair, 0) + weight
    places = _places(list(chosen), links)
    dots = [HostDot(name, data.pages, data.relevant, *places[name]) for name, data in chosen.items()]
    return HostMap(dots, links, len(order) - len(dots))


def host_map(hosts: HostMap | None, say: Say) -> Html | None:
    """Return the section with the map."""
    if hosts is None:
        return None
    title = say(wording.HOST_MAP)
    key = legend([("box s1", say(wording.HOST_WITH)), ("box off", say(wording.HOST_WITHOUT))])
    told = say(wording.HOST_MAP_NOTE, n=len(hosts.hosts)) + (
        say(wording.HOST_MAP_MORE, n=hosts.others) if hosts.others else ""
    )
    return section(title, key, join(_drawing(hosts, size, title) for size in FULL), note(told))


def _drawing(hosts: HostMap, size: Size, title: str) -> Html:
    width, height = size.width - 2 * _MARGIN, size.height - 2 * _MARGIN
    at = {dot.name: (_MARGIN + dot.x * width, _MARGIN + dot.y * height) for dot in hosts.hosts}
    most = max(dot.pages for dot in hosts.hosts)
    heaviest = max([20, *hosts.links.values()])
    shapes = []
    for (one, other), weight in sorted(hosts.links.items()):
        (x1, y1), (x2, y2) = at[one], at[other]
        thick = 0.6 + 3.0 * math.log1p(weight) / math.log1p(heaviest)
        shapes.append(
            element(
                "line",
                element("title", f"{one} – {other}: {weight:,}"),
                class_="edge",
                x1=f"{x1:.1f}",
                y1=f"{y1:.1f}",
                x2=f"{x2:.1f}",
                y2=f"{y2:.1f}",
                stroke_width=f"{thick:.1f}",
            )
        )
    labels = []
    for number, dot in enumerate(hosts.hosts):
        x, y = at[dot.name]
        radius = 4.0 + 14.0 * math.sqrt(dot.pages / most)
        hint = f"{dot.name}: {dot.relevant:,} / {dot.pages:,}"
        css = f"node bar {'s1' if dot.relevant else 'off'}"
        shapes.append(
            element("circle", element("title", hint), class_=css, cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{radius:.1f}")
        )
        if number < _LABELS[size.css]:
            name = dot.name if len(dot.name) <= _LABEL_CHARS else dot.name[: _LABEL_CHARS - 1] + "…"
            end = "start" if x < size.width * 0.25 else "end" if x > size.width * 0.75 else "middle"
            labels.append(
                element("text", name, class_="tick host", x=f"{x:.1f}", y=f"{y - radius - 4:.1f}", text_anchor=end)
            )
    return element(
        "svg",
        element("title", title),
        shapes,
        labels,
        class_=f"chart {size.css}",
        viewBox=f"0 0 {size.width} {size.height}",
        role="img",
        aria_label=title,
    )


def _places(names: Sequence[str], links: Mapping[tuple[str, str], int]) -> dict[str, tuple[float, float]]:
    """Return a place in the unit square for each host: linked ones near each other, the same on each call."""
    weights = link_weights(names, ((one, other, math.log1p(weight)) for (one, other), weight in links.items()))
    found = spring_layout(weights, distance=2.2 / math.sqrt(len(names)), steps=80)
    axes = []
    for axis in (0, 1):
        # By rank for the most part: hosts without a link would else drive all others into one heap.
        values = found[:, axis].tolist()
        low, span = min(values), (max(values) - min(values)) or 1.0
        ranks = {at: rank for rank, at in enumerate(sorted(range(len(names)), key=lambda at: values[at]))}
        top = max(len(names) - 1, 1)
        axes.append([0.35 * (value - low) / span + 0.65 * ranks[at] / top for at, value in enumerate(values)])
    return {name: (axes[0][at], axes[1][at]) for at, name in enumerate(names)}
