"""A crawl without pages, for `test_frontier_crash`: leases, settles and pushes until it is killed.

Prints "<key of a page> <number of its links>" once its settlement was acknowledged.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.records import Entry, Origin, Outcome, PageRecord, Settlement
from focuscrawl.types import digest64


def links_of(key: int) -> list[Entry]:
    """Return the links of a page, made from nothing but its key."""
    urls = [f"http://h{(key >> i) % 17}.example/{(key >> i) % 100_003}" for i in range(0, 60, 3)]
    return [
        Entry(url, digest64(url), url.split("/")[2], digest64(url) % 1000 / 1000, origin=Origin(anchor=str(i)))
        for i, url in enumerate(urls)
    ]


async def crawl(path: Path) -> None:
    frontier = SqliteFrontier(path)
    await frontier.open()
    await frontier.push([Entry("http://h0.example/", digest64("http://h0.example/"), "h0.example", 1.0)])
    while True:
        leases = await frontier.lease(4, worker="w", per_host=4, lease_s=600.0)
        settlements = []
        for lease in leases:
            entry, found = lease.entry, links_of(lease.entry.key)
            record = PageRecord(entry.key, entry.url, entry.url, entry.host, 1.0, 200, text="文" * 500)
            edges = [one.key for one in found]
            state = {"ranker": {"last": entry.url}}
            settlements.append(Settlement(lease, Outcome.DONE, found, [], edges, record, state))
        assert all(await frontier.settle(settlements))
        for one in settlements:
            print(one.lease.entry.key, len(one.edges))
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(crawl(Path(sys.argv[1])))
