"""All a run knows of a URL: why it has its score, why it was fetched when it was, what was made of it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from urllib.parse import urlsplit

from focuscrawl.errors import StoreError
from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.ranking.base import CALLED
from focuscrawl.ranking.evidence import GroupCount, caller, group_counts, order_shares
from focuscrawl.ranking.explain import Breakdown
from focuscrawl.ranking.explain import explain as break_down
from focuscrawl.records import PageRecord
from focuscrawl.report.read import parent_url
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import hex_key, to_signed, to_unsigned
from focuscrawl.storage.reading import StoredEntry
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.types import UrlKey

# URLs of the host that are compared with an unknown one; more would keep a person waiting.
_COMPARED = 5_000
# A host and what follows it, as browsers show addresses: without a scheme.
_HOST = re.compile(r"\A(?:[^\s/?#@:.]++(?:\.++[^\s/?#@:.]++)++\.?|localhost)(?::\d++)?(?:[/?#]|$)")


@dataclass(frozen=True, slots=True)
class Explanation:
    """All a run knows of a URL."""

    url: str
    key: UrlKey
    state: str  # fetched, failed, refused, queued
    priority: Breakdown
    group: str
    depth: int
    tunnel: int
    anchor: str
    parent_url: str
    seed: bool
    archived: bool  # read from an archive file, not found by a link
    page: PageRecord | None = None
    number: int = 0  # of the page in the order of settling, from 1; 0 for one that waits
    ahead: int | None = None  # links that wait with a higher priority, for one that waits
    attempts: int = 0
    duplicate_url: str = ""
    counts: tuple[GroupCount, ...] = ()  # behind the offset of the group, as last saved
    called_by: str = ""  # order that called it up, where one did
    shares: Mapping[str, float] = field(default_factory=dict)  # of the fetches, by order, as last saved
    also_known_as: str = ""  # the address asked for, when it led to this page under another


def explain_url(db: CrawlDb, url: str) -> Explanation:
    """Return what the run in `db` knows of `url`, in any spelling; without a scheme, as https first, then as http.

    Raises
    ------
    StoreError
        If it does not know it.
    """
    found = _found(db, url)
    state = db.state("ranker") or {}
    called_by = ""
    if any(term.part == CALLED for term in found.priority.terms):
        called_by = caller(state, found.key) or "a look at its host"
    counts = tuple(group_counts(state, found.group))
    return replace(found, counts=counts, called_by=called_by, shares=order_shares(state))


def _found(db: CrawlDb, url: str) -> Explanation:
    settings = RunSettings.load(db)
    ftp = bool(settings.overrides.get("FOCUSCRAWL_FTP"))
    spellings = [f"{scheme}://{url.strip()}" for scheme in ("https", "http")] if _HOST.match(url.strip()) else [url]
    addresses = [normal for text in spellings if (normal := normalize_url(text, text, ftp=ftp)) is not None]
    if not addresses:
        raise StoreError(f"{url}: not an http or https address, so no crawl can have seen it.")
    for normal in addresses:
        key = url_key(normal)
        with db.reading():
            page = db.page(key) or _page_at(db, normal)
        if page is not None:
            return _of_page(db, page, db.entry(page.key), settings, asked=normal)
        entry = db.entry(key)
        if entry is not None and not entry.entry.url:
            raise StoreError(f"{url}: another address of a page that was fetched; ask for the one it led to.")
        if entry is not None:
            return _of_entry(db, entry, settings)
    raise StoreError(_unknown(db, url, addresses[0]))


def _page_at(db: CrawlDb, url: str) -> PageRecord | None:
    """Return the page an address led to that is another than the one it was queued under."""
    with db.reading() as connection:
        row = connection.execute(
            "SELECT key FROM pages WHERE host = ? AND final_url = ? LIMIT 1", (host_of(url), url)
        ).fetchone()
    return db.page(to_unsigned(row[0])) if row else None


def _of_page(
    db: CrawlDb, page: PageRecord, entry: StoredEntry | None, settings: RunSettings, *, asked: str
) -> Explanation:
    with db.reading() as connection:
        number = connection.execute(
            "SELECT count(*) FROM pages WHERE number <= (SELECT number FROM pages WHERE key = ?)",
            (to_signed(page.key),),
        ).fetchone()[0]
    parent = parent_url(db, page.parent, entry)
    twin = db.page(page.duplicate_of) if page.duplicate_of is not None else None
    archived = settings.from_archives
    reason = entry.entry.origin.reason if entry is not None else ""
    return Explanation(
        url=page.url,
        key=page.key,
        state="fetched" if page.outcome == "done" else page.outcome,
        priority=break_down(
            page.parts,
            settings.weights,
            score=page.score,
            offset=page.priority - page.score,
            reason="" if archived else reason,
            without_anchor=_without_anchor(entry),
        ),
        group=page.group or page.host,
        depth=page.depth,
        tunnel=page.tunnel,
        anchor=page.anchor,
        parent_url=parent,
        seed=page.parent is None and not archived,
        archived=archived,
        page=page,
        number=number,
        attempts=entry.attempts if entry is not None else 0,
        duplicate_url=twin.final_url if twin is not None else "",
        also_known_as=asked if asked != page.url else "",
    )


def _of_entry(db: CrawlDb, stored: StoredEntry, settings: RunSettings) -> Explanation:
    entry, archived = stored.entry, settings.from_archives
    with db.reading() as connection:
        ahead = connection.execute(
            "SELECT count(*) FROM entries AS e LEFT JOIN buckets AS b ON b.id = e.bucket"
            " LEFT JOIN groups AS g ON g.grp = CASE b.grp WHEN '' THEN b.host ELSE b.grp END"
            " WHERE e.state IN (0, 1) AND (coalesce(g.offset, 0.0) + e.score > ?"
            " OR (coalesce(g.offset, 0.0) + e.score = ? AND e.seq < ?))",
            (stored.priority, stored.priority, stored.seq),
        ).fetchone()[0]
    return Explanation(
        url=entry.url,
        key=entry.key,
        state=stored.state,
        priority=break_down(
            entry.origin.parts,
            settings.weights,
            score=entry.score,
            offset=stored.offset,
            reason="" if archived else entry.origin.reason,
            without_anchor=_without_anchor(stored),
        ),
        group=entry.group or entry.host,
        depth=entry.depth,
        tunnel=entry.tunnel,
        anchor=entry.origin.anchor,
        parent_url=entry.origin.parent_url,
        seed=entry.origin.parent is None and not archived,
        archived=archived,
        ahead=ahead if stored.state == "queued" else None,
        attempts=stored.attempts,
    )


def _without_anchor(stored: StoredEntry | None) -> float | None:
    return stored.entry.origin.without_anchor if stored is not None else None


def explanation_json(found: Explanation) -> dict[str, object]:
    """Return the explanation for programs, with full numbers."""
    page = found.page
    out: dict[str, object] = {
        "url": found.url,
        "key": hex_key(found.key),
        "state": found.state,
        **found.priority.as_json(),
        "group": found.group,
        "called_by": found.called_by or None,
        "shares": dict(found.shares),
        "counts": [asdict(count) for count in found.counts],
        "depth": found.depth,
        "tunnel": found.tunnel,
        "seed": found.seed,
        "archived": found.archived,
        "parent_url": found.parent_url or None,
        "anchor": found.anchor,
        "attempts": found.attempts,
    }
    if found.ahead is not None:
        out["ahead"] = found.ahead
    if page is not None:
        out["page"] = {
            "number": found.number,
            "final_url": page.final_url,
            "fetched_at": page.fetched_at,
            "status": page.status,
            "title": page.title,
            "predicted": page.predicted,
            "relevance": page.relevance,
            "threshold": page.threshold,
            "relevant": page.relevant,
            "topic": page.topic,
            "judged": dict(page.judged),
            "evidence": {place: dict(words) for place, words in page.evidence.items()},
            "duplicate_of": found.duplicate_url or None,
            "reason": page.reason,
            "extractor": page.extractor,
            "encoding": page.encoding,
            "undecodable": page.undecodable,
            "content_type": page.content_type,
            "rendered": page.rendered,
            "visited_at": page.visited_at or None,
            "revisit": page.revisit or None,
        }
    return out


def _unknown(db: CrawlDb, url: str, normal: str) -> str:
    near = _nearest(db, normal)
    hint = f" The most similar one it knows: {near}" if near else ""
    return f"{url}: this run has not seen this URL.{hint}"


def _nearest(db: CrawlDb, url: str) -> str:
    """Return the known URL most similar to `url`: of its host, else of the host with the most similar name."""
    host = host_of(url)
    with db.reading() as connection:
        hosts = [row[0] for row in connection.execute("SELECT DISTINCT host FROM buckets")]
        if host not in hosts:
            close = difflib.get_close_matches(host, hosts, n=1, cutoff=0.7)
            if not close:
                return ""
            host = close[0]
        known: list[str] = [
            row[0]
            for row in connection.execute(
                "SELECT e.url FROM entries AS e JOIN buckets AS b ON b.id = e.bucket WHERE b.host = ? LIMIT ?",
                (host, _COMPARED),
            )
        ]
    wanted = _rest(url)
    if not known:
        return ""
    by_rest = {_rest(one): one for one in known}
    close = difflib.get_close_matches(wanted, by_rest, n=1, cutoff=0.6)
    return by_rest[close[0] if close else max(by_rest, key=lambda rest: _alike(rest, wanted))]


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _rest(url: str) -> str:
    """Return what tells the URLs of one host apart."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
