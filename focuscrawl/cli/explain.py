"""``focuscrawl explain``: why a URL has its score, why it was fetched when it was, what was made of it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import takewhile
from urllib.parse import urlsplit

from focuscrawl.cli import console
from focuscrawl.cli.console import one_line
from focuscrawl.cli.readers import open_run
from focuscrawl.cli.sums import facts_lines, sum_lines
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
    page: PageRecord | None = None
    number: int = 0  # of the page in the order of settling, from 1; 0 for one that waits
    ahead: int | None = None  # links that wait with a higher priority, for one that waits
    attempts: int = 0
    duplicate_url: str = ""
    counts: tuple[GroupCount, ...] = ()  # behind the offset of the group, as last saved
    called_by: str = ""  # order that called it up, where one did
    shares: Mapping[str, float] = field(default_factory=dict)  # of the fetches, by order, as last saved
    also_known_as: str = ""  # the address asked for, when it led to this page under another


def show_explanation(reference: str, url: str, *, as_json: bool) -> None:
    """Print what the run knows of `url`.

    Raises
    ------
    StoreError
        If the run does not know it; the sentence names the most similar URL it knows.
    """
    with open_run(reference) as (_, db):
        found = explain_url(db, url)
    if as_json:
        console.print_json(explanation_json(found))
    else:
        console.write_text("".join(f"{line}\n" for line in explanation_lines(found)))


def explain_url(db: CrawlDb, url: str) -> Explanation:
    """Return what the run in `db` knows of `url`, in any spelling.

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
    normal = normalize_url(url, url)
    if normal is None:
        raise StoreError(f"{url}: not an http or https address, so no crawl can have met it.")
    weights = RunSettings.load(db).weights
    key = url_key(normal)
    with db.reading():
        page = db.page(key) or _page_at(db, normal)
    if page is not None:
        entry = db.entry(page.key)
        return _of_page(db, page, entry, weights, asked=normal)
    entry = db.entry(key)
    if entry is None:
        raise StoreError(_unknown(db, url, normal))
    if not entry.entry.url:
        raise StoreError(f"{url}: another address of a page that was fetched; ask for the one it led to.")
    return _of_entry(db, entry, weights)


def _page_at(db: CrawlDb, url: str) -> PageRecord | None:
    """Return the page an address led to that is another than the one it was queued under."""
    with db.reading() as connection:
        row = connection.execute(
            "SELECT key FROM pages WHERE host = ? AND final_url = ? LIMIT 1", (host_of(url), url)
        ).fetchone()
    return db.page(to_unsigned(row[0])) if row else None


def _of_page(
    db: CrawlDb, page: PageRecord, entry: StoredEntry | None, weights: Mapping[str, float], *, asked: str
) -> Explanation:
    with db.reading() as connection:
        number = connection.execute(
            "SELECT count(*) FROM pages WHERE number <= (SELECT number FROM pages WHERE key = ?)",
            (to_signed(page.key),),
        ).fetchone()[0]
    parent = parent_url(db, page.parent, entry)
    twin = db.page(page.duplicate_of) if page.duplicate_of is not None else None
    reason = entry.entry.origin.reason if entry is not None else ""
    return Explanation(
        url=page.url,
        key=page.key,
        state="fetched" if page.outcome == "done" else page.outcome,
        priority=break_down(
            page.parts,
            weights,
            score=page.score,
            offset=page.priority - page.score,
            reason=reason,
            without_anchor=_without_anchor(entry),
        ),
        group=page.group or page.host,
        depth=page.depth,
        tunnel=page.tunnel,
        anchor=page.anchor,
        parent_url=parent,
        seed=page.parent is None,
        page=page,
        number=number,
        attempts=entry.attempts if entry is not None else 0,
        duplicate_url=twin.final_url if twin is not None else "",
        also_known_as=asked if asked != page.url else "",
    )


def _of_entry(db: CrawlDb, stored: StoredEntry, weights: Mapping[str, float]) -> Explanation:
    entry = stored.entry
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
            weights,
            score=entry.score,
            offset=stored.offset,
            reason=entry.origin.reason,
            without_anchor=_without_anchor(stored),
        ),
        group=entry.group or entry.host,
        depth=entry.depth,
        tunnel=entry.tunnel,
        anchor=entry.origin.anchor,
        parent_url=entry.origin.parent_url,
        seed=entry.origin.parent is None,
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
        }
    return out


def explanation_lines(found: Explanation) -> list[str]:
    """Return the explanation for people."""
    page = found.page
    lines = [one_line(found.url)]
    if found.also_known_as and page is not None:
        lines.append(f"  (asked for as {one_line(found.also_known_as)})")
    if page is not None:
        lines += _fetch_lines(found, page)
    elif found.state == "queued":
        ahead = counted(found.ahead, "link") + " before it" if found.ahead else "first of all"
        lines.append(f"  waits in the queue, {ahead}; it may be on its way right now")
    else:
        lines.append(f"  {found.state}")
    lines += ["", "Why it was fetched then" if page is not None else "Why it has its place"]
    lines += sum_lines(found.priority, group=found.group)
    if found.called_by:
        lines.append(f"  called up by {found.called_by}")
    if found.shares:
        told = ", ".join(f"{name} {share:.0%}" for name, share in found.shares.items())
        lines.append(f"  shares of the fetches, as last saved: {told}")
    lines += _count_lines(found.counts)
    lines.append(f"  {_origin(found)}")
    if page is not None:
        lines += ["", "What was made of it", *_judgement_lines(found, page)]
    return lines


def _fetch_lines(found: Explanation, page: PageRecord) -> list[str]:
    at = f"{datetime.fromtimestamp(page.fetched_at, UTC):%Y-%m-%d %H:%M:%S} UTC " if page.fetched_at else ""
    lines = [f"  {found.state} {at}as number {found.number:,}" + (f", HTTP {page.status}" if page.status else "")]
    if page.final_url != page.url:
        lines.append(f"  led to {one_line(page.final_url)}")
    if page.title:
        lines.append(f"  title: {one_line(page.title)}")
    return lines


def _count_lines(counts: Sequence[GroupCount]) -> list[str]:
    """Return the counts behind the offset, one level a line; pages near the threshold count in part."""
    if not counts:
        return []
    lines = ["  behind the offset, as last saved (a page near the threshold counts in part):"]
    for c in counts:
        name = {
            "group": "links like this one",
            "section": f"to {one_line(c.name)}",
            "place": "from this place of the template",
            "host": f"to {one_line(c.name)}, all sections",
            "crawl": "the whole crawl",
        }[c.level]
        told = f"{c.relevant:.1f} of {c.pages:.1f} relevant"
        if c.led_to:
            told += f"; their links: {c.led_to_relevant:.1f} of {c.led_to:.1f}"
        if c.opens:
            told += f"; open up {c.opens:.2f}"
        lines.append(f"    {name}: {told}")
    return lines


def _judgement_lines(found: Explanation, page: PageRecord) -> list[str]:
    if page.outcome != "done":
        return [f"  no page: {one_line(page.reason) or 'no reason recorded'}"]
    sign, word = ("≥", "relevant") if page.relevant else ("<", "not relevant")
    # Two numbers that differ must not look alike
    places = next((p for p in range(4, 17) if round(page.relevance, p) != round(page.threshold, p)), 4)
    lines = [f"  relevance {page.relevance:.{places}f} {sign} threshold {page.threshold:.{places}f}: {word}"]
    if page.topic:
        lines.append(f"  judged by {one_line(page.topic)}")
    if not found.seed:
        lines.append(f"  expected, by its priority, to be relevant with a probability of {page.predicted:.0%}")
    lines += [line.replace(" " * 11, "  ", 1) for line in facts_lines(page.judged, title="the judge's parts")]
    lines += _evidence_lines(page)
    if page.duplicate_of is not None:
        lines.append(f"  not kept: it says the same as {one_line(found.duplicate_url) or 'an earlier page'}")
    elif page.reason:
        lines.append(f"  {one_line(page.reason)}")
    elif page.relevant:
        lines.append(f"  kept as a result, text by {page.extractor or 'no extractor'}, {len(page.text):,} characters")
    if page.undecodable:
        lines.append(f"  some of its bytes stand for nothing in {one_line(page.encoding)}, the encoding it was read in")
    return lines


_PLACE_NAMES = {
    "title": "in the title",
    "headings": "in headings",
    "text": "in the text",
    "links": "in links and tags of its own",
    "url": "in the address",
    "site": "repeated by the site, hardly counted",
}


def _evidence_lines(page: PageRecord) -> list[str]:
    """Return where the topic's words stand, a place a line."""
    if not page.evidence:
        return []
    lines = ["  where the topic's words stand:"]
    for place, name in _PLACE_NAMES.items():
        words = sorted(page.evidence.get(place, {}).items(), key=lambda item: (-item[1], item[0]))
        if words:
            told = ", ".join(f"{one_line(word)} × {count:,}" for word, count in words)
            lines.append(f"    {name}: {told}")
    return lines


def _origin(found: Explanation) -> str:
    if found.seed:
        return "a seed: no page linked to it"
    as_ = f' as "{one_line(found.anchor)}"' if found.anchor else ""
    steps = f"{found.depth} link{'s' if found.depth != 1 else ''} from a seed"
    through = (
        f", after {found.tunnel} off-topic page{'s' if found.tunnel != 1 else ''} in a row" if found.tunnel else ""
    )
    return f"found on {one_line(found.parent_url) or 'a page'}{as_}, {steps}{through}"


def counted(number: int, thing: str) -> str:
    """Return a number of things.

    >>> counted(1, "link"), counted(1200, "link")
    ('1 link', '1,200 links')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _unknown(db: CrawlDb, url: str, normal: str) -> str:
    near = _nearest(db, normal)
    hint = f" The most similar one it knows: {near}" if near else ""
    return f"{url}: this run has not met this URL.{hint}"


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
