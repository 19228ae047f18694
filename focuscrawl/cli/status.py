"""``focuscrawl status`` and ``focuscrawl report``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import time

from focuscrawl.cli import console
from focuscrawl.report.data import HTML_TYPES, RunData
from focuscrawl.report.read import read_run
from focuscrawl.report.sentences import wordless_warning
from focuscrawl.report.tables import percent
from focuscrawl.report.times import span, when
from focuscrawl.report.write import write_report
from focuscrawl.storage.open_run import OpenPages, open_pages
from focuscrawl.wording.base import Choice, Say, speaker
from focuscrawl.wording.endings import counted_reasons
from focuscrawl.wording.report import WRITTEN

_HOSTS = 10  # shown to people; --json and the report have more
_REASONS = 5


def show_status(references: Sequence[str], *, as_json: bool) -> None:
    """Print where a run stands, or those of several workers together."""
    with open_pages(*references) as pages:
        run = read_run(pages.reader, best=0, queue=0, results=0)
    if as_json:
        console.print_json(status_json(pages, run))
        return
    console.print_facts(status_facts(pages, run))
    if run.hosts:
        rows = [
            (h.host, f"{h.fetched:,}", f"{h.relevant:,}", percent(h.harvest), "–" if run.frontier else f"{h.queued:,}")
            for h in run.hosts[:_HOSTS]
        ]
        console.write_text("\n")
        console.print_table(("host", ">fetched", ">relevant", ">harvest", ">queued"), rows)
        if run.n_hosts > len(rows):
            more = run.n_hosts - len(rows)
            console.print_line(f"and {more:,} more host{'s' if more > 1 else ''}")


def status_facts(pages: OpenPages, run: RunData) -> list[tuple[str, str]]:
    """Return the lines of the status for people."""
    recent = f"{percent(run.recent)} of the last {run.recent_pages:,}" if run.pages else "–"
    facts = [
        ("run" if len(pages.folders) < 2 else "runs", pages.name),
        ("topic", f"{run.title} ({run.topic})" if run.title and run.title != run.topic else run.topic),
        ("strategy", run.strategy),
        ("pages", f"{run.pages:,} fetched"),
        ("relevant", f"{run.found:,}"),
        (
            "stored",
            f"{run.stored:,}" + (f"; not stored: {counted_reasons(run.not_stored, Say())}" if run.not_stored else ""),
        ),
        ("warning", wordless_warning(run.wordless, run.stored, Say())),
        ("harvest", f"{percent(run.harvest)}; {recent} (relevant of fetched)"),
        ("hosts", f"{run.n_hosts:,}, {run.n_relevant_hosts:,} with a relevant page"),
        ("kinds", _kinds(run)),
        ("queue", _queue(run)),
        ("no page", _reasons(run)),
        ("threshold", "–" if run.last_threshold is None else f"{run.last_threshold:.3f}"),
    ]
    if run.started_at is not None:
        facts.append(("started", when(run.started_at)))
        if run.worked_s is not None:
            took = span(run.worked_s, Say()) + _after(run)
            facts.append(("last page" if run.ended_at is None else "took", took))
    facts.append(("stopped", run.stop_sentence(Say()) or _not_stopped(pages)))
    return [(name, value) for name, value in facts if value]


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
        "wordless": dict(run.wordless),
        "media_types": dict(run.media_types),
        "rendered": run.rendered,
        "needs_javascript": run.needs_javascript,
        "failed": run.failed,
        "refused": run.refused,
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
        "last_page_at": run.last_at,
        "stop_reason": run.stop_reason or None,
        "process": None if run.stop_reason or pages.folder is None else pages.folder.process,
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
    references: Sequence[str], *, out: Path | None, compare: Sequence[str], lang: Choice, as_json: bool
) -> None:
    """Write the report of a run, or of those of several workers together, beside the curves of others."""
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
        write_report(pages.reader, target, compare=curves, now=time(), say=speaker(lang))
    if as_json:
        console.print_json({"report": str(target)})
    else:
        console.print_line(speaker(lang)(WRITTEN, file=target))


def _reasons(run: RunData) -> str:
    total = run.failed + run.refused
    if not total:
        return ""
    ordered = sorted(run.reasons.items(), key=lambda item: (-item[1], item[0]))[:_REASONS]
    told = ", ".join(f"{count:,} × {reason or 'no reason recorded'}" for reason, count in ordered)
    return told if len(run.reasons) == 1 else f"{total:,}: {told}"


def _kinds(run: RunData) -> str:
    """Return what was read beside plain HTML, '' when there was nothing else."""
    other = sorted(
        ((name, count) for name, count in run.media_types.items() if name and name not in HTML_TYPES),
        key=lambda item: (-item[1], item[0]),
    )[:_REASONS]
    told = [f"{count:,} × {name}" for name, count in other]
    if run.rendered:
        told.append(f"{run.rendered:,} rendered by a browser")
    if run.needs_javascript:
        told.append(f"{run.needs_javascript:,} without text, for it needs JavaScript")
    return ", ".join(told)


def _queue(run: RunData) -> str:
    if run.frontier:
        return f"not kept with these pages: it is in {run.frontier}"
    return f"{run.queued:,} links" + (f", {run.in_flight:,} being fetched" if run.in_flight else "")


def _not_stopped(pages: OpenPages) -> str:
    if pages.folder is None:
        return "no: a worker is running, or was killed and not resumed yet"
    process = pages.folder.process
    if process is not None:
        return f"no: it is running as process {process}"
    return f"no end is recorded: it was killed, or runs elsewhere; resume it with -a run={pages.folder.path}"


def _after(run: RunData) -> str:
    return " after the start" if run.ended_at is None else ""
