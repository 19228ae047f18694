"""The best hosts of an earlier run: the *interest file* of the sources, from which the next crawl starts."""

from __future__ import annotations

from focuscrawl.seeding.candidates import Candidate, candidate
from focuscrawl.storage.reading import RunReader

LEAST_RELEVANT = 2
"""A host with a single find may have been luck."""


def best_hosts(run: RunReader, *, most: int = 50) -> list[Candidate]:
    """Return of each host with two or more finds the page that led to most of them, richest hosts first.

    Parameters
    ----------
    run
        A run, for reading.
    most
        Hosts at most.
    """
    hosts = list(
        run.select(
            "SELECT host, count(*), sum(CASE WHEN relevant THEN 1 ELSE 0 END) AS found FROM pages"
            " WHERE outcome = 'done' AND duplicate_of IS NULL GROUP BY host"
            " HAVING sum(CASE WHEN relevant THEN 1 ELSE 0 END) >= ? ORDER BY found DESC, count(*), host",
            (LEAST_RELEVANT,),
        )
    )[:most]
    found = []
    for host, fetched, relevant in hosts:
        rows = run.select(
            "SELECT hub.url, hub.title FROM pages AS page JOIN pages AS hub ON hub.key = page.parent"
            " WHERE page.host = ? AND hub.host = ? AND page.relevant AND page.outcome = 'done'"
            " GROUP BY hub.url, hub.title ORDER BY count(*) DESC, hub.url",
            (host, host),
        )
        best = next(rows, None) or next(
            run.select(
                "SELECT url, title FROM pages WHERE host = ? AND relevant ORDER BY relevance DESC, number", (host,)
            )
        )
        made = candidate(
            best[0], title=best[1], source=run.place, snippet=f"{relevant} of {fetched} fetched pages were relevant"
        )
        if made is not None:
            found.append(made)
    return found
