"""Results of a crawl in an index of OpenSearch or Elasticsearch: a store while it runs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.base import Store
from focuscrawl.storage.page_index import PageIndex, RefusedPagesError, parse_index
from focuscrawl.storage.reading import EVERY_PAGE, JUDGED_OFF

if TYPE_CHECKING:
    from focuscrawl.storage.reading import Pages
    from focuscrawl.storage.run import RunFolder

logger = logging.getLogger(__name__)

OPENSEARCH = "opensearch"
"""Name of the store."""
_MAX_PENDING = 5000
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0  # until a server that was away is asked again


class OpenSearchStore(Store):
    """Puts results into an index while a crawl runs (the plug-in ``opensearch``)."""

    before_settling = True

    def __init__(self, url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = PageIndex(parse_index(url))
        self._pending: list[PageRecord] = []  # for a server that is away
        self._clock = clock
        self._retry_at = 0.0
        self._wait_s = _FIRST_WAIT_S

    def open(self) -> None:
        """Open the index."""
        self._index.open()

    def put(self, records: Sequence[PageRecord]) -> int:
        """Put the results among `records`, and those that a server was not there for.

        A server that was away is asked again after 1 s, 2 s, and so on up to a minute: a crawl waits for its stores.
        """
        self._pending += [record for record in records if record.is_result]
        try:
            return self._send() if self._clock() >= self._retry_at else 0
        finally:
            self._drop_oldest()

    def flush(self) -> None:
        """Put what is left; what the index lacks of this run then is told."""
        try:
            self._send()
        finally:
            self.dropped += len(self._pending)
            self._pending.clear()
            if self.dropped:
                logger.warning(
                    "%s: %s results were not sent; they are when the run goes on, or with focuscrawl export RUN --to",
                    self._index.place.shown,
                    f"{self.dropped:,}",
                )

    def complete(self, pages: Pages) -> int:
        """Put those results of an earlier run that the index lacks, and take out what is none since, as by examples."""
        self._index.delete(self._index.outdated(pages(JUDGED_OFF)))
        return self._index.put(self._index.missing(record for record in pages(EVERY_PAGE) if record.is_result))

    def revise(self, records: Sequence[PageRecord]) -> int:
        """Put pages that are results now, and take out those that are none any more."""
        sent = self.put(records)  # first: what a server is not there for waits
        return sent + self._index.delete(record for record in records if not record.is_result)

    def close(self) -> None:
        """Close the connection."""
        self._index.close()

    def _drop_oldest(self) -> None:
        if (excess := len(self._pending) - _MAX_PENDING) > 0:
            if not self.dropped:
                logger.warning(
                    "%s: %s results wait for the server, no more can; the oldest are sent when the run goes on",
                    self._index.place.shown,
                    f"{_MAX_PENDING:,}",
                )
            self.dropped += excess
            del self._pending[:excess]

    def _send(self) -> int:
        if not self._pending:
            return 0
        try:
            count = self._index.put(self._pending)
        except RefusedPagesError:
            self._pending.clear()
            raise
        except StoreError:
            self._retry_at = self._clock() + self._wait_s
            self._wait_s = min(2.0 * self._wait_s, _LONGEST_WAIT_S)
            raise
        self._pending.clear()
        self._wait_s = _FIRST_WAIT_S
        return count


def opensearch_store(run: RunFolder, *, url: str = "") -> OpenSearchStore:  # noqa: ARG001 - every store has its run
    """Return the store of a run's results in an index.

    Raises
    ------
    StoreError
        If `url` is not that of an index.
    """
    return OpenSearchStore(url)
