"""Several stores behind one; one that fails costs its own copy only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from focuscrawl.errors import PLUGIN_FAULTS, StoreError
from focuscrawl.plugins import faults_told
from focuscrawl.records import PageRecord
from focuscrawl.storage.base import Answer, Store
from focuscrawl.storage.reading import Notes, Pages

logger = logging.getLogger(__name__)


class FanOutStore:
    """Hands each batch to every store.

    `last_error` has the newest message of each store that failed, by its name. Each (store, exception type) is logged
    once. A store that cannot be opened, and is not ``required``, is left out.

    Raises
    ------
    StoreError
        If one of `stores` is none.
    """

    def __init__(self, stores: Mapping[str, Store]) -> None:
        for name, store in stores.items():
            if not isinstance(store, Store):
                raise StoreError(
                    f'store "{name}": expected a subclass of focuscrawl.storage.base.Store, found'
                    f" {type(store).__module__}.{type(store).__qualname__}."
                )
        self.stores = dict(stores)
        self.last_error: dict[str, str] = {}
        self._open: dict[str, Store] = {}
        self._logged: set[tuple[str, type[BaseException]]] = set()

    def open(self) -> None:
        """Open all stores.

        Raises
        ------
        StoreError
            If a store that says it is ``required`` cannot be opened, or not one of all.
        """
        for name, store in self.stores.items():
            if store.required:
                try:
                    with faults_told("stores", name, "cannot be opened", error=StoreError):
                        store.open()
                except BaseException:
                    self.close()
                    raise
                self._open[name] = store
            elif self._try(name, store.open) is not None:
                self._open[name] = store
        if self.stores and not self._open:
            raise StoreError("No store can be opened. " + " ".join(self.last_error.values()))

    def wants(self, records: Sequence[PageRecord]) -> bool:
        """Tell whether any store takes one of `records`: relevant ones all do, others those with ``all_pages``."""
        return any(r.relevant for r in records) or any(store.all_pages for store in self._open.values())

    def put(self, records: Sequence[PageRecord], *, before_settling: bool | None = None) -> int:
        """Give every store what it takes of `records`; return the largest number that one of them wrote.

        Parameters
        ----------
        before_settling
            Only the stores that say they want records before the frontier forgets the pages (True), or only the
            others (False); None for all.
        """
        most = 0
        relevant = [record for record in records if record.relevant]
        for name, store in self._open.items():
            if before_settling is not None and store.before_settling is not before_settling:
                continue
            batch = records if store.all_pages else relevant
            if batch:
                written = self._try(name, lambda s=store, b=batch: s.put(b))  # type: ignore[misc]
                most = max(most, written or 0)
        return most

    def revise(self, records: Sequence[PageRecord]) -> None:
        """Let every store take note of records whose verdict is another now."""
        for name, store in self._open.items():
            self._try(name, lambda store=store: store.revise(records))  # type: ignore[misc]

    def refreshed(self, pages: Pages) -> None:
        """Tell all stores that pages were visited again."""
        for name, store in self._open.items():
            self._try(name, lambda store=store: store.refreshed(pages))  # type: ignore[misc]

    def archives(self, record: PageRecord) -> bool:
        """Tell whether any store archives the answer of a page."""
        return any(self._try(name, partial(store.wants, record)) for name, store in self._open.items())

    def archive(self, answers: Sequence[Answer]) -> None:
        """Give answers to the stores that archive them."""
        for name, store in self._open.items():
            self._try(name, lambda store=store: store.archive(answers))  # type: ignore[misc]

    def note(self, write: Callable[[Notes], None]) -> None:
        """Let `write` keep settings or events in every store that has a place for them."""
        for name, store in self._open.items():
            self._try(name, lambda store=store: write(store))  # type: ignore[misc]

    def complete(self, pages: Pages) -> None:
        """Let every store add what it lacks of an earlier run's pages (`CrawlDb.pages`)."""
        for name, store in self._open.items():
            self._try(name, lambda store=store: store.complete(pages))  # type: ignore[misc]

    def flush(self) -> None:
        """Flush every store."""
        for name, store in self._open.items():
            self._try(name, store.flush)

    def close(self) -> None:
        """Close every store that was opened."""
        for name, store in self._open.items():
            self._try(name, store.close)
        self._open.clear()

    def _try(self, name: str, call: Callable[[], int | None]) -> int | None:
        """Return what `call` returned, 0 for nothing, and None when it failed."""
        try:
            return int(call() or 0)
        except MemoryError:
            raise
        except PLUGIN_FAULTS as error:
            self.last_error[name] = str(error)
            if (name, type(error)) not in self._logged:
                self._logged.add((name, type(error)))
                # Our own errors are sentences for people; of others the place they came from is needed.
                logger.error("store %s: %s", name, error, exc_info=None if isinstance(error, StoreError) else error)
            return None
