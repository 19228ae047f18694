"""``focuscrawl status`` and ``focuscrawl report``."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from time import time

from focuscrawl.atomic_file import is_standard_output
from focuscrawl.cli import console
from focuscrawl.page.media_types import HTML_TYPES
from focuscrawl.report.chart_files import SVG, write_charts
from focuscrawl.report.data import RunData
from focuscrawl.report.host_map import read_host_map
from focuscrawl.report.read import read_run
from focuscrawl.report.rounds import SAW
from focuscrawl.report.sentences import corpus_warnings
from focuscrawl.report.tables import percent
from focuscrawl.report.times import span, when
from focuscrawl.report.write import write_report
from focuscrawl.storage.open_run import OpenPages, open_pages
from focuscrawl.storage.unasked import unasked
from focuscrawl.wording import recrawl
from focuscrawl.wording import status as wording
from focuscrawl.wording.base import Choice, Say, Text, speaker
from focuscrawl.wording.endings import COMMA, counted_reasons, failure_reason
from focuscrawl.wording.report import CHARTS_WRITTEN, WRITTEN
from focuscrawl.wording.summary import NOT_STORED

_HOSTS = 10  # shown to people; --json and the report have more
_REASONS = 5


def show_status(references: Sequence[str], *, lang: Choice = "auto", as_json: bool) -> None:
    """Print where a run stands, or those of several workers together."""
    with open_pages(*references) as pages:
        run = read_run(pages.reader, best=0, queue=0, results=0)
    if as_json:
        console.print_json(status_json(pages, run))
        return
    say = speaker(lang)
    console.print_facts(status_facts(pages, run, say))
    if run.hosts:
        rows = [
            (h.host, f"{h.fetched:,}", f"{h.relevant:,}", percent(h.harvest), "–" if run.frontier else f"{h.queued:,}")
            for h in run.hosts[:_HOSTS]
            if h.fetched or h.queued  # what the others gave is told with what gave no page
        ]
        console.write_text("\n")
        console.print_table([say(column) for column in wording.HOST_COLUMNS], rows)
        if run.n_hosts > len(rows):
            console.print_line(say(wording.MORE_HOSTS, n=run.n_hosts - len(rows)))


def status_facts(pages: OpenPages, run: RunData, say: Say) -> list[tuple[str, str]]:
    """Return the lines of the status for people."""
    recent = say(wording.RECENT, share=percent(run.recent), n=run.recent_pages) if run.pages else "–"
    not_stored = counted_reasons(run.not_stored, say)
    title = say(wording.WITH_TITLE, title=run.title, name=run.topic)
    facts = [
        (wording.RUN if len(pages.folders) < 2 else wording.RUNS, pages.name),
        (wording.TOPIC, title if run.title and run.title != run.topic else run.topic),
        (wording.STRATEGY, run.strategy),
        (wording.PAGES, say(wording.FETCHED, n=run.pages)),
        (wording.RELEVANT, f"{run.found:,}"),
        (wording.STORED, f"{run.stored:,}" + (say(NOT_STORED, reasons=not_stored) if not_stored else "")),
        *((wording.WARNING, told) for told in corpus_warnings(run.words, run.stored, say)),
        (wording.HARVEST, say(wording.RATES, harvest=percent(run.harvest), recent=recent)),
        (wording.HOSTS, say(wording.OF_HOSTS, n=run.n_hosts, relevant=run.n_relevant_hosts)),
        (wording.KINDS, _kinds(run, say)),
        (wording.QUEUE, _queue(run, say)),
        (wording.NO_PAGE, _reasons(run.no_page, run.reasons.items() - unasked(run.reasons).items(), say)),
        (wording.UNASKED, _reasons(run.unasked, unasked(run.reasons).items(), say)),
        (wording.THRESHOLD, "–" if run.last_threshold is None else f"{run.last_threshold:.3f}"),
    ]
    if run.started_at is not None:
        facts.append((wording.STARTED, when(run.started_at)))
        if run.worked_s is not None:
            took = span(run.worked_s, say)
            ended = run.ended_at is not None
            facts.append((wording.TOOK, took) if ended else (wording.LAST_PAGE, say(wording.AFTER_START, span=took)))
    facts += _visits(run, say)
    facts.append((wording.STOPPED, run.stop_sentence(say) or _not_stopped(pages, run, say)))
    return [(say(name), value) for name, value in facts if value]


def status_json(pages: OpenPages, run: RunData) -> dict[str, object]:
    """Return the status for programs."""
    return {
        "run": pages.name,
        **({"runs": [str(folder.path) for folder in pages.folders]} if len(pages.folders) > 1 else {}),
        "topic": run.topic,
        "title": run.title,
        "strategy": run.strategy,
        "pages": run.pages,
        "relevant": run.found,
        "stored": run.stored,
        "not_stored": dict(run.not_stored),
        **run.words.by_name(),
        "media_types": dict(run.media_types),
        "rendered": run.rendered,
        "needs_javascript": run.needs_javascript,
        "failed": run.failed,
        "refused": run.refused,
        "unasked": run.unasked,
        "reasons": dict(run.reasons),
        "harvest": run.harvest,
        "harvest_recent": run.recent,
        "recent_pages": run.recent_pages,
        "hosts": run.n_hosts,
        "relevant_hosts": run.n_relevant_hosts,
        "queued": None if run.frontier else run.queued,
        "in_flight": None if run.frontier else run.in_flight,
        "threshold": run.last_threshold,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "idle_s": run.idle_s,
        "paused_since": run.paused_since,
        "last_page_at": run.last_at,
        "stop_reason": run.stop_reason or None,
        "process": None if run.stop_reason or pages.folder is None else pages.folder.process,
        "visits": dict(run.visits),
        "rounds": [{"at": one.at, **one.figures} for one in run.rounds],
        "weights": dict(run.weights),
        "by_host": [
            {
                "host": h.host,
                "fetched": h.fetched,
                "relevant": h.relevant,
                "failed": h.failed,
                "queued": None if run.frontier else h.queued,
            }
            for h in run.hosts
        ],
    }


def make_report(
    references: Sequence[str],
    *,
    out: Path | None,
    compare: Sequence[str],
    charts: Path | None = None,
    chart_format: str = SVG,
    lang: Choice,
    as_json: bool,
) -> None:
    """Write the report of a run, or of those of several workers together, beside the curves of others.

    Parameters
    ----------
    charts, chart_format
        Folder for the charts as files of their own, and ``svg`` or ``png``.
    """
    curves: dict[str, Sequence[bool]] = {}
    for other in compare:
        with open_pages(other) as pages:
            data = read_run(pages.reader, best=0, queue=0, results=0)
        name = data.strategy or pages.short
        # two runs of one strategy are told apart by their folders
        curves[name if name not in curves else f"{name} ({pages.short})"] = data.relevant
    with open_pages(*references) as pages:
        # A crawl in PostgreSQL has no folder, a fleet several: its report goes into the working directory.
        target = out or (pages.folder.report if pages.folder is not None else Path("report.html"))
        files: list[Path] = []
        if charts is not None:
            run = read_run(pages.reader, best=0, queue=0, results=0)
            hosts = read_host_map(pages.reader, pages=run.pages)
            files = write_charts(run, hosts, charts, format_=chart_format, say=speaker(lang))
        write_report(pages.reader, target, compare=curves, now=time(), say=speaker(lang))
    if as_json:
        console.print_json({"report": str(target), "charts": [str(file) for file in files]})
    else:
        tell = console.warn if is_standard_output(target) else console.print_line
        tell(speaker(lang)(WRITTEN, file=target))
        if charts is not None:
            tell(speaker(lang)(CHARTS_WRITTEN, n=len(files), folder=charts))


def _visits(run: RunData, say: Say) -> list[tuple[Text, str]]:
    """Return what visits of known pages have seen, in this round and in the last one, and how fresh that left them."""
    facts: list[tuple[Text, str]] = []
    if run.visits:
        counts = {name: run.visits.get(name, 0) for name in SAW}
        facts.append((wording.VISITS, say(recrawl.SO_FAR, n=sum(counts.values()), **counts)))
    if run.rounds:
        last = run.rounds[-1]
        counts = {name: last.count(name) for name in SAW}
        seen = say(recrawl.SEEN, n=sum(counts.values()), links=last.count("new_links"), **counts)
        facts.append((wording.VISITS, say(recrawl.ROUND_OF, at=when(last.at), seen=seen)))
        fresh = say(
            recrawl.FRESHNESS,
            before=last.figure("freshness_before"),
            after=last.figure("freshness"),
            n=last.count("pages"),
            age=span(last.figure("age_s"), say),
        )
        facts.append((wording.FRESH, fresh))
    return facts


def _reasons(total: int, reasons: Collection[tuple[str, int]], say: Say) -> str:
    if not total:
        return ""
    ordered = sorted(reasons, key=lambda item: (-item[1], item[0]))[:_REASONS]
    told = say(COMMA).join(
        say(wording.FAILURE, n=count, reason=failure_reason(reason, say)) for reason, count in ordered
    )
    return told if len(reasons) == 1 else say(wording.FAILURES, n=total, reasons=told)


def _kinds(run: RunData, say: Say) -> str:
    """Return what was read beside plain HTML, '' when there was nothing else."""
    other = sorted(
        ((name, count) for name, count in run.media_types.items() if name and name not in HTML_TYPES),
        key=lambda item: (-item[1], item[0]),
    )[:_REASONS]
    told = [say(wording.FAILURE, n=count, reason=name) for name, count in other]
    if run.rendered:
        told.append(say(wording.RENDERED, n=run.rendered))
    if run.needs_javascript:
        told.append(say(wording.NEEDS_SCRIPTS, n=run.needs_javascript))
    return say(COMMA).join(told)


def _queue(run: RunData, say: Say) -> str:
    if run.frontier:
        return say(wording.KEPT_ELSEWHERE, frontier=run.frontier)
    fetched = say(wording.BEING_FETCHED, n=run.in_flight) if run.in_flight else ""
    return say(wording.N_LINKS, n=run.queued) + fetched


def _not_stopped(pages: OpenPages, run: RunData, say: Say) -> str:
    if pages.folder is None:
        paused = run.paused_since
        return say(wording.NO_WORKER_KNOWN) if paused is None else say(wording.PAUSED_WORKER, at=when(paused))
    process = pages.folder.process
    if process is not None and run.paused_since is not None:
        return say(wording.PAUSED_AS, at=when(run.paused_since), process=process)
    if process is not None:
        return say(wording.RUNNING_AS, process=process)
    return say(wording.NO_END, folder=shlex.quote(str(pages.folder.path)))
