"""The report as one HTML page that needs nothing else: no network, no script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files

from focuscrawl import __version__
from focuscrawl.report import sections
from focuscrawl.report.data import RunData
from focuscrawl.report.markup import Html, element
from focuscrawl.report.sentences import wordless_warning
from focuscrawl.wording.base import Say

# The page allows itself its own style and nothing else, so that even a hole in the escaping could load or run nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def report_html(run: RunData, *, compare: Mapping[str, Sequence[bool]] | None = None, now: float | None = None) -> str:
    """Return the report of `run`.

    Parameters
    ----------
    run
        What was read from the run.
    compare
        Other crawls to draw beside it: name -> judgement of each page in the order of fetching.
    now
        Unix time the report is made at, shown in the footer; left out when None.
    """
    name = run.title or run.topic or "crawl"
    style = files("focuscrawl.report").joinpath("report.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{name} – focused crawl"),
        element("style", Html(style)),
    )
    body = element(
        "body", element("main", [part for part in _body(run, compare or {}) if part is not None], _footer(run, now))
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _body(run: RunData, compare: Mapping[str, Sequence[bool]]) -> Iterable[Html | None]:
    yield _header(run)
    yield _stop(run)
    yield _warning(run)
    yield sections.tiles(run)
    if run.pages:
        yield sections.harvest(run, compare)
        yield element("div", sections.recent(run, compare), sections.histogram(run), class_="pair")
        yield element("div", sections.thresholds(run), sections.depths(run), class_="pair")
        yield sections.best(run)
    yield sections.hosts(run)
    if run.pages:
        yield sections.calibration(run)
    yield sections.failures(run)
    yield sections.queue(run)
    yield sections.how(run)


def _header(run: RunData) -> Html:
    facts = [f"strategy {run.strategy}" if run.strategy else ""]
    if run.started_at is not None:
        facts.append(f"started {when(run.started_at)}")
    end = run.ended_at if run.ended_at is not None else run.last_at
    if run.started_at is not None and end is not None:
        facts.append(
            f"{'took' if run.ended_at is not None else 'last page after'} {span(end - run.started_at - run.idle_s)}"
        )
    title = element("h1", element("bdi", run.title or run.topic or "A focused crawl"))
    named = f"topic {run.topic}" if run.topic and run.title != run.topic else ""
    return element("header", title, element("p", " · ".join(f for f in [named, *facts] if f), class_="soft"))


def _stop(run: RunData) -> Html:
    if run.stop_reason:
        return element(
            "div", element("p", "Why it stopped: ", element("b", run.stop_sentence(Say())), "."), class_="stop"
        )
    told = "No end is recorded: the crawl was still running when this was written, or it was killed."
    return element("div", element("p", told), class_="stop open")


def _warning(run: RunData) -> Html | None:
    told = wordless_warning(run.wordless, run.stored, Say())
    return (
        element("div", element("p", element("b", "Look at these: "), told, "."), class_="stop open") if told else None
    )


def _footer(run: RunData, now: float | None) -> Html:
    made = f" on {when(now)}" if now is not None else ""
    # A path tells nothing to somebody the file was sent to.
    source = run.source if "://" in run.source else "the run's crawl.db"
    return element("footer", element("p", f"Written by focuscrawl {__version__}{made} from {source}."))


def when(at: float) -> str:
    """Return a Unix time as people write it, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def span(seconds: float) -> str:
    """Return a duration in its two largest units.

    >>> span(3725), span(42.4), span(180000)
    ('1 h 2 min', '42 s', '50 h 0 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
