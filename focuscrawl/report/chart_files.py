"""Charts of a run as files of their own: SVG for the web and for print, PNG through the extra ``charts``."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from lxml import html

from focuscrawl.atomic_file import replacement
from focuscrawl.errors import InputError, StoreError, os_reason
from focuscrawl.report import curves
from focuscrawl.report.data import RunData
from focuscrawl.report.host_map import HostMap, host_map
from focuscrawl.report.markup import Html, element
from focuscrawl.wording.base import Say

SVG, PNG = "svg", "png"
_HEAD, _LINE = 34, 22  # height of the title, and of a line of the key
_END = "</svg>"
_SCALE = 2.0  # of PNG, for print and for screens of many points
# A file has no style sheet beside it, and many programs know no variables: the light colours of the page, as they are.
_FONT = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"


def chart_files(run: RunData, hosts: HostMap | None, say: Say) -> dict[str, str]:
    """Return the charts there are of a run: name -> SVG."""
    sections: dict[str, Html | None] = {"hosts": host_map(hosts, say)}
    if run.pages:
        sections |= {
            "harvest": curves.harvest(run, {}, say),
            "recent": curves.recent(run, {}, say),
            "relevance": curves.histogram(run, say),
            "threshold": curves.thresholds(run, say),
            "depth": curves.depths(run, say),
            "calibration": curves.calibration(run, say),
        }
    return {name: standalone(section) for name, section in sections.items() if section is not None}


def write_charts(run: RunData, hosts: HostMap | None, folder: Path, *, format_: str, say: Say) -> list[Path]:
    """Write the charts of a run into a folder, which is made when it is missing; return the files.

    Raises
    ------
    ConfigError
        If the format is PNG and what draws it is not installed.
    StoreError
        If they cannot be written.
    """
    draw = _png() if format_ == PNG else str.encode
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, svg in chart_files(run, hosts, say).items():
            path = folder / f"{name}.{format_}"
            with replacement(path) as file:
                file.write(draw(svg))
            written.append(path)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {os_reason(error)}.") from error
    return written


def standalone(section: Html) -> str:
    """Return the first chart of a section of the report as a file of its own, below its title and key."""
    start = section.index("<svg")
    chart = section[start : section.index(_END, start)]
    tree = html.fragment_fromstring(section)
    title = tree.xpath("string(.//h2)")
    keys = [(item.find("span").get("class"), item.text_content()) for item in tree.xpath(".//ul[@class='legend']/li")]
    width, height = map(float, chart.partition('viewBox="')[2].partition('"')[0].split()[2:])
    top = _HEAD + _LINE * len(keys)
    inner = chart[chart.index(">") + 1 :]
    head = [element("text", title, class_="title", x="14", y="24")]
    for number, (css, name) in enumerate(keys):
        y = _HEAD + _LINE * number + 12
        kind = css.removeprefix("key ").split()
        if "box" in kind:
            shape = element("rect", class_=f"bar {' '.join(kind)}", x="14", y=str(y - 6), width="12", height="12")
        else:
            line = kind[0] if kind[0] == "mark" else f"line {kind[0]}"
            shape = element("line", class_=line, x1="14", x2="36", y1=str(y), y2=str(y))
        head += [shape, element("text", name, class_="label", x="44", y=str(y + 4))]
    whole, tall = f"{width:g} {height + top:g}", f"{height + top:g}"
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole}" width="{width:g}" height="{tall}">',
            f"<style>{_style()}</style>",
            '<rect class="back" width="100%" height="100%"/>',
            *head,
            f'<g transform="translate(0 {top})">{inner}</g>',
            _END,
        ]
    )


def _style() -> str:
    """Return the rules of charts from the report's style sheet, with colours in the place of their names."""
    sheet = files("focuscrawl.report").joinpath("report.css").read_text(encoding="utf-8")
    light = sheet.partition("}")[0]
    pairs = (rule.partition(":") for rule in light.replace("\n", ";").split(";"))
    colours = {name.strip(): value.strip() for name, _, value in pairs if name.strip().startswith("--")}
    wanted = (".grid ", ".axis ", ".tick ", ".tick.", ".label ", ".line", ".dot", ".bar", ".mark", ".edge", ".node")
    rules = [line for line in sheet.splitlines() if line.startswith(wanted)]
    rules += [f"text {{ font: 12px {_FONT}; }}", ".title { font-size: 16px; font-weight: 600; fill: var(--ink); }"]
    rules += [".back { fill: var(--card); }"]
    text = "\n".join(rules)
    for name, colour in colours.items():
        text = text.replace(f"var({name})", colour)
    return text


def _png() -> Callable[[str], bytes]:
    try:
        draw_svg: Any = import_module("resvg_py").svg_to_bytes  # types are there only where it is installed
    except ImportError as error:
        raise InputError(
            "--chart-format png: needs the package resvg-py: pip install 'focuscrawl[charts]'; or take svg."
        ) from error

    def draw(svg: str) -> bytes:
        return bytes(draw_svg(svg_string=svg, zoom=int(_SCALE)))

    return draw
