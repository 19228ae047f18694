"""What the page asks for by a click: an explanation, pages by words, the neighbourhood of a page, hosts as a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from focuscrawl.dashboard.finds import page_line
from focuscrawl.dashboard.source import Source
from focuscrawl.errors import StoreError
from focuscrawl.graph.spring_layout import link_weights, spring_layout
from focuscrawl.page.readable_url import readable_anchor, readable_url
from focuscrawl.records import PageRecord
from focuscrawl.report.explanation import explain_url, explanation_json
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import hex_key, parse_hex_key, to_unsigned
from focuscrawl.storage.open_run import OpenPages
from focuscrawl.storage.reading import RunReader
from focuscrawl.teaching.candidates import kept_text

FOUND = 50
_WORDS = 8
_BORDER = 12
_IN, _OUT, _WAITING = 10, 14, 6
_HOSTS = 30
_LOOKED = 400  # links of a page that are looked up


def explained(source: Source, url: str) -> dict[str, Any]:
    """Return all the run knows of a URL.

    Raises
    ------
    StoreError
        If it does not know it, or has no frontier to look into.
    """
    unknown: StoreError | None = None
    with source.readers() as readers:
        for db in (reader for reader in readers if isinstance(reader, CrawlDb)):
            try:
                found = explain_url(db, url)
            except StoreError as error:
                unknown = unknown or error
                continue
            page = found.page
            return {
                **explanation_json(found),
                "shown": readable_url(found.url),
                "parent_shown": readable_url(found.parent_url),
                "line": page_line(page) if page is not None else None,
            }
    raise unknown or StoreError(f"{url}: explanations are read from a run folder; open the dashboard with one.")


def searched(source: Source, query: str) -> dict[str, Any]:
    """Return pages that have all words of a query in title, address or text, the most relevant first."""
    words = query.split()[:_WORDS]
    if not words:
        return {"pages": [], "more": False}
    form = "lower(title) LIKE ? ESCAPE '!' OR lower(final_url) LIKE ? ESCAPE '!' OR lower(text) LIKE ? ESCAPE '!'"
    forms = [_forms(word) for word in words]
    where = " AND ".join(f"({' OR '.join([form] * len(each))})" for each in forms)
    values: list[object] = [f"%{_escaped(one)}%" for each in forms for one in each for _ in range(3)]
    found: list[PageRecord] = []
    more = False
    with source.readers() as readers:
        for reader in readers:
            keys = [
                key
                for (key,) in reader.select(
                    f"SELECT key FROM pages WHERE outcome = 'done' AND {where}"  # noqa: S608 - made of constants
                    " ORDER BY relevance DESC, number LIMIT ?",
                    [*values, FOUND + 1],
                )
            ]
            more = more or len(keys) > FOUND
            found += _records(reader, keys[:FOUND])
    found.sort(key=lambda record: -record.relevance)
    return {"pages": [page_line(record) for record in found[:FOUND]], "more": more or len(found) > FOUND}


def borderline(source: Source) -> dict[str, Any]:
    """Return the pages nearest to the threshold whose text was kept: answers about them teach most."""
    with source.readers() as readers:
        found = []
        for reader in readers:
            keys = [
                key
                for (key,) in reader.select(
                    "SELECT key FROM pages WHERE outcome = 'done' AND duplicate_of IS NULL AND relevance > 0"
                    " ORDER BY abs(relevance - threshold), number LIMIT ?",
                    (_BORDER * 4,),
                )
            ]
            found += [record for record in _records(reader, keys) if kept_text(record)]
    found.sort(key=lambda record: abs(record.relevance - record.threshold))
    return {"pages": [page_line(record) for record in found[:_BORDER]]}


def neighbourhood(source: Source, key: str) -> dict[str, Any]:
    """Return a page, pages that link to it and pages it links to, the most relevant of each.

    Raises
    ------
    StoreError
        If there is no such page, or its links are not kept here.
    """
    try:
        wanted = parse_hex_key(key)
    except ValueError:
        raise StoreError(f'"{key}": expected the key of a page, 16 hex digits.') from None
    with source.readers() as readers:
        for reader in readers:
            page = reader.page(wanted)
            if page is None:
                continue
            before = [reader.page(source_key) for source_key in reader.linking_to(wanted, limit=_LOOKED)]
            after: list[PageRecord] = []
            waiting: list[dict[str, Any]] = []
            links = [link for link in dict.fromkeys(reader.links_of(wanted)) if link != wanted]
            for link in links[:_LOOKED]:
                record = reader.page(link)
                if record is not None:
                    after.append(record)
                elif (stored := reader.entry(link)) is not None and stored.state == "queued":
                    waiting.append(
                        {
                            "key": hex_key(link),
                            "url": stored.entry.url,
                            "shown": readable_url(stored.entry.url),
                            "label": readable_anchor(stored.entry.origin.anchor),
                            "priority": round(stored.priority, 4),
                        }
                    )
            incoming = [record for record in before if record is not None and record.key != wanted]
            waiting.sort(key=lambda link: -link["priority"])
            return {
                "page": _node(page),
                "from": [_node(record) for record in _best(incoming, _IN)],
                "to": [_node(record) for record in _best(after, _OUT)],
                "waiting": waiting[:_WAITING],
                "counts": {"from": len(incoming), "to": len(after), "waiting": len(waiting), "links": len(links)},
            }
    raise StoreError(f"{key}: no fetched page of this run has this key.")


def host_paths(source: Source) -> dict[str, Any]:
    """Return the hosts with most relevant pages, how many pages of one led the crawl to pages of another, and places.

    Places are in [0, 1], of a spring layout with a fixed seed.
    """
    with source.merged() as pages:
        hosts, steps = _host_steps(pages)
    chosen = sorted(hosts, key=lambda host: (-hosts[host][1], -hosts[host][0], host))[:_HOSTS]
    edges = [(a, b, count) for (a, b), count in steps.most_common() if a in chosen and b in chosen and a != b]
    places = _layout(chosen, edges)
    return {
        "hosts": [
            {
                "host": host,
                "shown": readable_url(f"http://{host}").removeprefix("http://"),
                "pages": hosts[host][0],
                "relevant": hosts[host][1],
                "x": round(places[host][0], 4),
                "y": round(places[host][1], 4),
            }
            for host in chosen
        ],
        "edges": [{"from": a, "to": b, "count": count} for a, b, count in edges],
        "all": len(hosts),
    }


def _host_steps(pages: OpenPages) -> tuple[dict[str, tuple[int, int]], Counter[tuple[str, str]]]:
    reader = pages.reader
    hosts = {
        host: (fetched, relevant)
        for host, fetched, relevant in reader.select(
            "SELECT host, count(*), count(*) FILTER (WHERE relevant) FROM pages WHERE outcome = 'done' GROUP BY host"
        )
    }
    steps: Counter[tuple[str, str]] = Counter()
    for before, after, count in reader.select(
        "SELECT a.host, b.host, count(*) FROM pages AS b JOIN pages AS a ON b.parent = a.key"
        " WHERE b.outcome = 'done' AND a.host <> b.host GROUP BY 1, 2"
    ):
        steps[before, after] += count
    return hosts, steps


def _layout(hosts: list[str], edges: list[tuple[str, str, int]]) -> dict[str, tuple[float, float]]:
    if not hosts:
        return {}
    weights = link_weights(hosts, ((one, other, 1.0 + count**0.5) for one, other, count in edges))
    # What nothing leads to or from would be driven out of the picture: a weak tie to the first keeps it near
    weights[0, 1:] = weights[1:, 0] = np.maximum(weights[0, 1:], 1.0)
    places = spring_layout(weights, distance=3.0 / len(hosts) ** 0.5, steps=120)
    xs, ys = places.T.tolist()
    width, height = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    return {host: ((x - min(xs)) / width, (y - min(ys)) / height) for host, x, y in zip(hosts, xs, ys, strict=True)}


def _records(reader: RunReader, keys: list[int]) -> Iterator[PageRecord]:
    for key in keys:
        record = reader.page(to_unsigned(key))
        if record is not None:
            yield record


def _best(records: list[PageRecord], most: int) -> list[PageRecord]:
    done = [record for record in records if record.outcome == "done"]
    return sorted(done, key=lambda record: (-record.relevance, record.final_url))[:most]


def _node(record: PageRecord) -> dict[str, Any]:
    return {
        "key": hex_key(record.key),
        "url": record.final_url,
        "shown": readable_url(record.final_url),
        "label": " ".join(record.title.split()) or readable_url(record.final_url),
        "relevance": round(record.relevance, 4),
        "relevant": record.relevant,
    }


def _forms(word: str) -> list[str]:
    """Return the spellings of a word to look for: SQLite knows of ASCII alone what is small and what is capital.

    >>> _forms("Tea"), _forms("москва"), _forms("茶")
    (['tea'], ['москва', 'Москва', 'МОСКВА'], ['茶'])
    """
    small = word.lower()
    return [small] if small.isascii() else list(dict.fromkeys((small, small.capitalize(), small.upper())))


def _escaped(word: str) -> str:
    return "".join(f"!{char}" if char in "!%_" else char for char in word)
