"""The answer of a page as a store archives it, with the redirects that led to it."""

from __future__ import annotations

from focuscrawl.crawler.fetched import Fetched
from focuscrawl.records import PageRecord
from focuscrawl.storage.base import Answer


def archived_answer(fetched: Fetched, record: PageRecord) -> Answer:
    """Return what an archive keeps of a fetch; redirects have no bodies there."""
    redirects = tuple(
        Answer(record, passed.url, passed.status, passed.headers, b"", passed.request)
        for passed in fetched.redirected_by
    )
    return Answer(record, fetched.url, fetched.status, fetched.headers, fetched.received, fetched.request, redirects)
