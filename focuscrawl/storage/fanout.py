"""Several stores behind one; one that fails costs its own copy only."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from focuscrawl.errors import StoreError
from focuscrawl.storage.base import PageRecord, Store

logger = logging.getLogger(__name__)


class FanOutStore:
    """Hands each batch to every store.

    `failures` counts failed calls and `lost` the records that were in them, both by the store's name; `last_error`
    has the newest message. Each (store, exception type) is logged once. A store that cannot be opened is left out.
    """

    def __init__(self, stores: Mapping[str, Store]) -> None:
        self.stores = dict(stores)
        self.failures: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.last_error: dict[str, str] = {}
        self._open: dict[str, Store] = {}
        self._logged: set[tuple[str, type[Exception]]] = set()

    def open(self) -> None:
        """Open all stores.

        Raises
        ------
        StoreError
            If not one of them can be opened.
        """
        for name, store in self.stores.items():
            if self._try(name, store.open) is not None:
                self._open[name] = store
        if self.stores and not self._open:
            raise StoreError("No store can be opened. " + " ".join(self.last_error.values()))

    def put(self, records: Sequence[PageRecord]) -> int:
        """Give `records` to every store; return the largest number that one of them wrote."""
        most = 0
        for name, store in self._open.items():
            written = self._try(name, lambda store=store: store.put(records), records=len(records))  # type: ignore[misc]
            most = max(most, written or 0)
        return most

    def complete(self, pages: Callable[..., Iterator[PageRecord]]) -> None:
        """Let those stores that can do so add what they lack of an earlier run's pages (`CrawlDb.pages`)."""
        for name, store in self._open.items():
            completing = getattr(store, "complete", None)
            if completing is not None:
                self._try(name, lambda completing=completing: completing(pages))  # type: ignore[misc]

    def flush(self) -> None:
        """Flush every store."""
        for name, store in self._open.items():
            self._try(name, store.flush)

    def close(self) -> None:
        """Close every store that was opened."""
        for name, store in self._open.items():
            self._try(name, store.close)
        self._open.clear()

    def _try(self, name: str, call: Callable[[], int | None], *, records: int = 0) -> int | None:
        """Return what `call` returned, 0 for nothing, and None when it failed."""
        try:
            return call() or 0
        except MemoryError:
            raise
        except Exception as error:
            self.failures[name] += 1
            self.lost[name] += records
            self.last_error[name] = str(error)
            if (name, type(error)) not in self._logged:
                self._logged.add((name, type(error)))
                # Our own errors are sentences for people; of others the place they came from is needed.
                logger.error("store %s: %s", name, error, exc_info=None if isinstance(error, StoreError) else error)
            return None
