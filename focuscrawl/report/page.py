"""The report as one HTML page that needs nothing else: no network, and no script but for its search."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files

from focuscrawl import __version__
from focuscrawl.report import curves, listing, sections
from focuscrawl.report.data import RunData
from focuscrawl.report.host_map import HostMap, host_map
from focuscrawl.report.markup import Html, element
from focuscrawl.report.rounds import rounds
from focuscrawl.report.sentences import corpus_warnings
from focuscrawl.report.times import span, when
from focuscrawl.wording import report as wording
from focuscrawl.wording.base import Say

_ENGLISH = Say()
# The page allows itself its own style, and the script of that digest where there is something to search. So even a hole
# in the escaping could load or run nothing else.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; {script}img-src data:; base-uri 'none'; form-action 'none'"


def report_html(
    run: RunData,
    *,
    compare: Mapping[str, Sequence[bool]] | None = None,
    hosts: HostMap | None = None,
    now: float | None = None,
    say: Say = _ENGLISH,
) -> str:
    """Return the report of `run`.

    Parameters
    ----------
    run
        What was read from the run.
    compare
        Other crawls to draw beside it: name -> judgement of each page in the order of fetching.
    hosts
        Map of the hosts; None leaves it out.
    now
        Unix time the report is made at, shown in the footer; left out when None.
    say
        The language of the report.
    """
    name = run.title or run.topic or "crawl"
    style = files("focuscrawl.report").joinpath("report.css").read_text(encoding="utf-8")
    script = files("focuscrawl.report").joinpath("report.js").read_text(encoding="utf-8") if run.results else ""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = _POLICY.format(script=f"script-src 'sha256-{digest}'; " if script else "")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", say(wording.HEAD, name=name)),
        element("style", Html(style)),
    )
    parts = [part for part in _body(run, compare or {}, hosts, say) if part is not None]
    body = element(
        "body", element("main", parts, _footer(run, now, say)), element("script", Html(script)) if script else None
    )
    return f"<!doctype html>\n{element('html', head, body, lang='zh-CN' if say.language == 'zh' else 'en')}\n"


def _body(
    run: RunData, compare: Mapping[str, Sequence[bool]], hosts: HostMap | None, say: Say
) -> Iterable[Html | None]:
    yield _header(run, say)
    yield _stop(run, say)
    yield listing.lead(run, say)
    for warning in corpus_warnings(run.words, run.stored, say):
        yield _warning(warning, say)
    yield sections.tiles(run, say)
    if run.pages:
        yield curves.harvest(run, compare, say)
        yield element("div", curves.recent(run, compare, say), curves.histogram(run, say), class_="pair")
        yield element("div", curves.thresholds(run, say), curves.depths(run, say), class_="pair")
        yield sections.best(run, say)
        yield listing.border(run, say)
    yield sections.hosts(run, say)
    yield host_map(hosts, say)
    yield listing.results(run, say)
    yield sections.held_back(run, say)
    if run.pages:
        yield curves.calibration(run, say)
        yield listing.outcomes(run, say)
    yield rounds(run, say)
    yield sections.other_kinds(run, say)
    yield sections.failures(run, say)
    yield sections.metadata(run, say)
    yield sections.queue(run, say)
    yield sections.how(run, say)


def _header(run: RunData, say: Say) -> Html:
    facts = [say(wording.TOPIC, topic=run.topic) if run.topic and run.title != run.topic else ""]
    facts.append(say(wording.STRATEGY, strategy=run.strategy) if run.strategy else "")
    if run.started_at is not None:
        facts.append(say(wording.STARTED, at=when(run.started_at)))
    if run.worked_s is not None:
        text = wording.TOOK if run.ended_at is not None else wording.LAST_AFTER
        facts.append(say(text, span=span(run.worked_s, say)))
    title = element("h1", element("bdi", run.title or run.topic or say(wording.A_CRAWL)))
    return element("header", title, element("p", " · ".join(fact for fact in facts if fact), class_="soft"))


def _stop(run: RunData, say: Say) -> Html:
    if run.stop_reason:
        why = element("b", run.stop_sentence(say))
        return element("div", element("p", say(wording.WHY_STOPPED), why, say(wording.STOP)), class_="stop")
    return element("div", element("p", say(wording.NO_END)), class_="stop open")


def _warning(told: str, say: Say) -> Html:
    return element("div", element("p", element("b", say(wording.LOOK_AT)), told, say(wording.STOP)), class_="stop open")


def _footer(run: RunData, now: float | None, say: Say) -> Html:
    made = say(wording.FOOTER_AT, at=when(now)) if now is not None else ""
    # A path tells nothing to somebody the file was sent to.
    source = run.source if "://" in run.source else say(wording.FOOTER_DB)
    return element("footer", element("p", say(wording.FOOTER, version=__version__, at=made, source=source)))
