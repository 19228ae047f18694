"""From a run's database to what a report shows."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from focuscrawl.report.data import BestPage, HostLine, QueuedLink, RunData
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.run_settings import RunSettings, RunTimes
from focuscrawl.types import UrlKey

if TYPE_CHECKING:
    import sqlite3

    from focuscrawl.storage.crawldb import CrawlDb, StoredEntry

_TELLING = frozenset({"CONCURRENT_REQUESTS", "DOWNLOAD_DELAY", "ROBOTSTXT_OBEY", "USER_AGENT"})
_HOSTS = 200  # lines kept of the table of hosts
_SNIPPET_COLUMNS = 200


def read_run(db: CrawlDb, *, best: int = 15, queue: int = 20) -> RunData:
    """Return the run in `db` as of this moment; a crawl may be writing to it.

    Parameters
    ----------
    best, queue
        How many of the best pages and of the next links to read. Sorting a queue of 10^6 links takes about a second.

    Raises
    ------
    StoreError
        If the database cannot be read.
    """
    with db.reading() as connection:
        # One read transaction, so that all numbers are of the same moment.
        connection.execute("BEGIN")
        try:
            return _read(db, connection, best=best, queue=queue)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _read(db: CrawlDb, connection: sqlite3.Connection, *, best: int, queue: int) -> RunData:
    settings, times = RunSettings.load(db), RunTimes.load(db)
    # Arrays: lists of floats would take 32 bytes a number on crawls of a million pages.
    relevance, threshold, predicted, depth = array("d"), array("d"), array("d"), array("l")
    relevant: list[bool] = []
    duplicates = 0
    first_at = last_at = None
    for score, limit, hit, forecast, deep, at, twin in connection.execute(
        "SELECT relevance, threshold, relevant, predicted, depth, fetched_at, duplicate_of IS NOT NULL"
        " FROM pages WHERE outcome = 'done' ORDER BY number"
    ):
        relevance.append(score)
        threshold.append(limit)
        relevant.append(bool(hit))
        predicted.append(forecast)
        depth.append(deep)
        duplicates += twin
        first_at = at if first_at is None else min(first_at, at)
        last_at = at if last_at is None else max(last_at, at)
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for outcome, reason, count in connection.execute(
        "SELECT outcome, reason, count(*) FROM pages WHERE outcome <> 'done' GROUP BY outcome, reason"
    ):
        outcomes[outcome] += count
        reasons[reason] += count
    hosts = _hosts(connection)
    queued_by_host = sum(line.queued for line in hosts)
    counts = db.counts()
    return RunData(
        topic=settings.topic,
        title=settings.title,
        strategy=settings.strategy,
        started_at=times.started_at if times.started_at is not None else first_at,
        ended_at=times.stopped_at,
        stop_reason=times.stop_reason,
        last_at=last_at,
        relevant=relevant,
        relevance=relevance,
        threshold=threshold,
        predicted=predicted,
        depth=depth,
        duplicates=duplicates,
        failed=outcomes["failed"],
        refused=outcomes["refused"],
        reasons=reasons,
        # Entries in flight are queued ones to the database; what the last transaction counted as leased tells them.
        queued=max(0, queued_by_host - counts["leased"]),
        in_flight=min(counts["leased"], queued_by_host),
        hosts=hosts[:_HOSTS],
        n_hosts=sum(1 for line in hosts if line.fetched),
        n_relevant_hosts=sum(1 for line in hosts if line.relevant),
        best=_best(db, connection, best) if best else (),
        queue=[_queued(stored) for stored in db.queue(limit=queue)] if queue else (),
        weights=settings.weights,
        settings=_shown(settings),
    )


def parent_url(db: CrawlDb, connection: sqlite3.Connection, parent: UrlKey | None, entry: StoredEntry | None) -> str:
    """Return the address of the page that linked to a URL, '' when there is none or only its key is known."""
    if entry is not None and isinstance(told := entry.entry.data.get("parent_url"), str):
        return told
    if parent is None:
        return ""
    row = connection.execute("SELECT final_url FROM pages WHERE key = ?", (to_signed(parent),)).fetchone()
    if row is not None:
        return str(row[0])
    stored = db.entry(parent)
    return stored.entry.url if stored is not None else ""


def snippet(text: str, *, columns: int = _SNIPPET_COLUMNS) -> str:
    """Return the beginning of a text on one line, cut at a word where there are words.

    A Chinese character takes two columns: it says about as much as a short word, and is as wide as two letters.
    """
    line = " ".join(text[: columns * 4].split())
    used = 0
    for i, char in enumerate(line):
        used += 2 if east_asian_width(char) in "WF" else 1
        if used > columns:
            cut = line[:i]
            space = cut.rfind(" ")
            # Chinese has no spaces: there a cut anywhere is as good as any other
            return (cut[:space] if space > i * 0.7 else cut) + " …"
    return line + (" …" if len(text) > columns * 4 else "")


def _hosts(connection: sqlite3.Connection) -> list[HostLine]:
    """Return all hosts, those with most relevant pages first."""
    names = dict(connection.execute("SELECT id, host FROM buckets").fetchall())
    queued: Counter[str] = Counter()
    for where in ("state = 0", "state = 1"):  # apart, so that each is counted on its own partial index
        for bucket, count in connection.execute(
            f"SELECT bucket, count(*) FROM entries WHERE {where} GROUP BY bucket"  # noqa: S608 - the two above
        ):
            queued[names.get(bucket, "")] += count
    lines = [
        HostLine(host, done, relevant, other, queued.pop(host, 0))
        for host, done, relevant, other in connection.execute(
            "SELECT host, sum(outcome = 'done'), sum(outcome = 'done' AND relevant), sum(outcome <> 'done')"
            " FROM pages GROUP BY host"
        )
    ]
    lines += [HostLine(host, queued=count) for host, count in queued.items()]
    return sorted(lines, key=lambda line: (-line.relevant, -line.fetched, -line.queued, line.host))


def _best(db: CrawlDb, connection: sqlite3.Connection, limit: int) -> list[BestPage]:
    keys = connection.execute(
        "SELECT number FROM pages WHERE outcome = 'done' AND relevant AND duplicate_of IS NULL"
        " ORDER BY relevance DESC, number LIMIT ?",
        (limit,),
    ).fetchall()
    pages: list[BestPage] = []
    for (number,) in keys:
        page = next(db.pages(after=number - 1, limit=1))
        pages.append(
            BestPage(
                url=page.final_url,
                title=" ".join(page.title.split()),
                snippet=snippet(page.text),
                language=page.language,
                relevance=page.relevance,
                threshold=page.threshold,
                depth=page.depth,
                tunnel=page.tunnel,
                anchor=" ".join(page.anchor.split()),
                parent_url=parent_url(db, connection, page.parent, db.entry(page.key)),
                predicted=page.predicted,
                judged=page.judged,
            )
        )
    return pages


def _queued(stored: StoredEntry) -> QueuedLink:
    entry = stored.entry
    anchor, parent = entry.data.get("anchor", ""), entry.data.get("parent_url", "")
    return QueuedLink(entry.url, stored.priority, entry.score, entry.depth, str(anchor), str(parent))


def _shown(settings: RunSettings) -> dict[str, str]:
    """Return the settings worth a line in a report."""
    shown = {
        "topic file": settings.topic_file,
        "topic version": settings.topic_version,
        "strategy": settings.strategy,
        "random seed": str(settings.seed),
        "extractor": settings.extractor,
        "focuscrawl": settings.version,
    }
    shown |= {name: str(value) for name, value in settings.arguments.items() if value}
    # Overrides hold all that is not Scrapy's default; these change what a crawl finds.
    shown |= {
        name: str(value)
        for name, value in sorted(settings.overrides.items())
        if name.startswith("FOCUSCRAWL_") or name in _TELLING
    }
    return {name: value for name, value in shown.items() if value}
