"""From a run's database, ``crawl.db`` or PostgreSQL, to what a report shows."""

from __future__ import annotations

from array import array
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from focuscrawl.page.readable_url import readable_anchor
from focuscrawl.page.scripted import has_needed_javascript
from focuscrawl.page.urls import registered_domain
from focuscrawl.ranking.base import BEHIND
from focuscrawl.report.data import BestPage, HeldBack, HostLine, QueuedLink, RunData, VisitRound
from focuscrawl.report.found import read_border, read_results, with_curves
from focuscrawl.report.metrics import thresholds_in_force
from focuscrawl.row_reasons import DUPLICATE
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.link_metadata import LinkMetadata
from focuscrawl.storage.reading import RESULT, SHAPES, PageQuery
from focuscrawl.storage.run_settings import RunSettings, RunTimes
from focuscrawl.storage.visits import RECRAWL, seen_since
from focuscrawl.topic.corpus_words import INDEX_PARTS, CorpusWordCounts, CorpusWords
from focuscrawl.topic.evidence import Evidence
from focuscrawl.types import UrlKey
from focuscrawl.visits import REPLACED

if TYPE_CHECKING:
    from focuscrawl.storage.reading import RunReader, StoredEntry

_TELLING = frozenset({"CONCURRENT_REQUESTS", "DOWNLOAD_DELAY", "ROBOTSTXT_OBEY", "USER_AGENT"})
_HOSTS = 200  # lines kept of the table of hosts
_CURVES = 30  # hosts with a curve of their own: as many as the report shows
_BORDER = 10  # pages shown on each side of the threshold
_SNIPPET_COLUMNS = 200


def read_run(db: RunReader, *, best: int = 15, queue: int = 20, results: int = 5_000) -> RunData:
    """Return the run in `db` as of this moment; a crawl may be writing to it.

    Parameters
    ----------
    best, queue
        How many of the best pages and of the next links to read. Sorting a queue of 10^6 links takes about a second.
    results
        How many of the stored pages to list; 0 leaves out the pages near the threshold and the hosts' curves, too.

    Raises
    ------
    StoreError
        If the database cannot be read.
    """
    with db.snapshot():  # all numbers are of the same moment
        return _read(db, best=best, queue=queue, results=results)


def _read(db: RunReader, *, best: int, queue: int, results: int) -> RunData:
    settings, times = RunSettings.load(db), RunTimes.load(db)
    pages = _Pages.read(db)
    outcomes, reasons = _failures(db)
    media_types, rendered = _media_types(db)
    hosts = _hosts(db)
    queued_by_host = sum(line.queued for line in hosts)
    accepted, rejected = read_border(db, most=_BORDER) if results else ((), ())
    counts = db.counts()
    rounds = VisitRound.of(db.events(RECRAWL))
    frontier = _frontier(settings) or db.frontier_elsewhere
    return RunData(
        topic=settings.topic,
        title=settings.title,
        strategy=settings.strategy,
        archived=settings.from_archives,
        started_at=times.started_at if times.started_at is not None else pages.first_at,
        ended_at=times.stopped_at,
        idle_s=times.idle_s,
        resumed_at=times.resumed_at,
        paused_since=times.paused_since,
        stop_reason=times.stop_reason,
        last_at=pages.last_at,
        relevant=pages.relevant,
        relevance=pages.relevance,
        threshold=thresholds_in_force(pages.threshold, pages.judged_later),
        predicted=pages.predicted,
        depth=pages.depth,
        not_stored=pages.not_stored,
        words=_words(db),
        media_types=media_types,
        rendered=rendered,
        needs_javascript=pages.needs_javascript,
        failed=outcomes["failed"],
        refused=outcomes["refused"],
        reasons=reasons,
        # Entries in flight are queued ones to the database; what the last transaction counted as leased tells them.
        queued=max(0, queued_by_host - counts["leased"]),
        in_flight=min(counts["leased"], queued_by_host),
        hosts=with_curves(db, hosts[:_HOSTS], most=_CURVES if results else 0),
        held_back=_held_back(db, hosts),
        n_hosts=sum(1 for line in hosts if line.fetched),
        n_relevant_hosts=sum(1 for line in hosts if line.relevant),
        best=_best(db, best, archived=settings.from_archives) if best else (),
        results=read_results(db, most=results) if results else (),
        accepted=accepted,
        rejected=rejected,
        queue=[_queued(stored) for stored in db.queue(limit=queue)] if queue else (),
        weights=settings.weights,
        rounds=rounds,
        visits=seen_since(db, rounds[-1].at if rounds else 0.0) if isinstance(db, CrawlDb) else {},
        metadata=LinkMetadata.load(db),
        settings=_shown(settings),
        source=db.place,
        frontier=frontier,
    )


@dataclass(slots=True)
class _Pages:
    """The pages of a run in the order of fetching, by column, and what is counted of them."""

    # Arrays: lists of floats would take 32 bytes a number on crawls of a million pages.
    relevance: array[float] = field(default_factory=lambda: array("d"))
    threshold: array[float] = field(default_factory=lambda: array("d"))
    predicted: array[float] = field(default_factory=lambda: array("d"))
    depth: array[int] = field(default_factory=lambda: array("l"))
    relevant: list[bool] = field(default_factory=list)
    judged_later: list[bool] = field(default_factory=list)  # than they were fetched first
    not_stored: Counter[str] = field(default_factory=Counter)  # why a relevant page is no result -> how many
    needs_javascript: int = 0
    first_at: float | None = None  # Unix time
    last_at: float | None = None

    @classmethod
    def read(cls, db: RunReader) -> _Pages:
        pages = cls()
        for score, limit, hit, forecast, deep, at, twin, reason, withheld, again, revisit in db.select(
            "SELECT relevance, threshold, relevant, predicted, depth, fetched_at, duplicate_of IS NOT NULL, reason,"
            " withheld, judged_again, revisit FROM pages WHERE outcome = 'done' ORDER BY number"
        ):
            pages.relevance.append(score)
            pages.threshold.append(limit)
            pages.judged_later.append(bool(again) or revisit in REPLACED)
            pages.relevant.append(bool(hit))
            pages.predicted.append(forecast)
            pages.depth.append(deep)
            pages.needs_javascript += has_needed_javascript(reason)
            if hit and (why := DUPLICATE if twin else withheld):
                pages.not_stored[why] += 1
            pages.first_at = at if pages.first_at is None else min(pages.first_at, at)
            pages.last_at = at if pages.last_at is None else max(pages.last_at, at)
        return pages


def _failures(db: RunReader) -> tuple[Counter[str], Counter[str]]:
    """Return how many fetches gave no page, by outcome and by reason."""
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for outcome, reason, count in db.select(
        "SELECT outcome, reason, count(*) FROM pages WHERE outcome <> 'done' GROUP BY outcome, reason"
    ):
        outcomes[outcome] += count
        reasons[reason] += count
    return outcomes, reasons


def _words(db: RunReader) -> CorpusWords:
    """Return what topic words the results have, and the pages that are not relevant."""
    words = CorpusWordCounts()
    query = (
        f"SELECT url, host, evidence, own_terms, relevant, {RESULT}, judged FROM pages"  # noqa: S608
        " WHERE outcome = 'done' AND own_terms IS NOT NULL"
    )
    with closing(db.select(query)) as rows:
        for url, host, evidence, own_terms, relevant, stored, judged in rows:
            found = evidence_in(db, url, evidence) if own_terms else {}
            index = told_index(judged)
            words.add(host, found, own_terms, relevant=bool(relevant), stored=bool(stored), index=index)
    return words.look()


def told_index(judged: str) -> bool:
    """Tell whether the judge's parts, as a row has them, are those of an index or a stub.

    They are JSON, and those of all pages of a run: only the names are looked for.

    >>> told_index('{"topicality": 0.8, "listing": 0.1}'), told_index('{"term:listing": 1.0}')
    (True, False)
    """
    return any(f'"{part}":' in judged for part in INDEX_PARTS)


def evidence_in(db: RunReader, url: str, evidence: str) -> Evidence:
    """Return where the topic's words stand on a page, as its row tells.

    Raises
    ------
    StoreError
        If the row is damaged.
    """
    found: Evidence = db.value_of(evidence, url, table="pages", shape=dict)
    if not all(isinstance(counts, dict) for counts in found.values()):
        raise db.damaged(url, "pages", SHAPES[dict])
    return found


def _media_types(db: RunReader) -> tuple[Counter[str], int]:
    """Return how many pages were judged of each media type, and how many a browser has run the scripts of."""
    media_types: Counter[str] = Counter()
    rendered = 0
    for media_type, by_browser, count in db.select(
        "SELECT content_type, rendered, count(*) FROM pages WHERE outcome = 'done' GROUP BY content_type, rendered"
    ):
        media_types[media_type] += count
        rendered += count if by_browser else 0
    return media_types, rendered


def parent_url(db: RunReader, parent: UrlKey | None, entry: StoredEntry | None) -> str:
    """Return the address of the page that linked to a URL, '' when there is none or only its key is known."""
    if entry is not None and entry.entry.origin.parent_url:
        return entry.entry.origin.parent_url
    if parent is None:
        return ""
    for (url,) in db.select("SELECT final_url FROM pages WHERE key = ?", (to_signed(parent),)):
        return str(url)
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


def _hosts(db: RunReader) -> list[HostLine]:
    """Return all hosts, those with most relevant pages first."""
    queued = db.queued_by_host()
    lines = [
        HostLine(host, done, relevant, other, queued.pop(host, 0))
        for host, done, relevant, other in db.select(
            "SELECT host, count(*) FILTER (WHERE outcome = 'done'),"
            " count(*) FILTER (WHERE outcome = 'done' AND relevant), count(*) FILTER (WHERE outcome <> 'done')"
            " FROM pages GROUP BY host"
        )
    ]
    lines += [HostLine(host, queued=count) for host, count in queued.items()]
    return sorted(lines, key=lambda line: (-line.relevant, -line.fetched, -line.queued, line.host))


def _held_back(db: RunReader, hosts: list[HostLine]) -> list[HeldBack]:
    links: Counter[str] = Counter()
    for host, count in db.queued_by_host(score_upto=1.0 - BEHIND).items():
        links[registered_domain(host)] += count
    fetched: Counter[str] = Counter()
    relevant: Counter[str] = Counter()
    for line in hosts if links else ():
        domain = registered_domain(line.host)
        fetched[domain] += line.fetched
        relevant[domain] += line.relevant
    lines = [HeldBack(domain, count, fetched[domain], relevant[domain]) for domain, count in links.items()]
    return sorted(lines, key=lambda line: (-line.fetched, -line.links, line.domain))


def _best(db: RunReader, limit: int, *, archived: bool) -> list[BestPage]:
    numbers = db.select(
        "SELECT number FROM pages WHERE outcome = 'done' AND relevant AND duplicate_of IS NULL"
        " ORDER BY relevance DESC, number LIMIT ?",
        (limit,),
    )
    pages: list[BestPage] = []
    for (number,) in list(numbers):
        page = next(db.pages(PageQuery(after=number - 1, limit=1)))
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
                anchor=readable_anchor(page.anchor),
                parent_url=parent_url(db, page.parent, db.entry(page.key)),
                predicted=page.predicted,
                archived=archived,
                judged=page.judged,
            )
        )
    return pages


def _queued(stored: StoredEntry) -> QueuedLink:
    entry = stored.entry
    origin = entry.origin
    return QueuedLink(
        entry.url, stored.priority, entry.score, entry.depth, readable_anchor(origin.anchor), origin.parent_url
    )


def _frontier(settings: RunSettings) -> str:
    """Return where a fleet keeps its frontier, '' for a crawl of one process, whose crawl.db has it."""
    url = str(settings.overrides.get("FOCUSCRAWL_FRONTIER_URL") or "")
    return url or ("Redis" if settings.overrides.get("FOCUSCRAWL_FRONTIER") == "redis" else "")


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
