"""The orders of a crawl of one process: ``control.jsonl`` in its run folder, one a line."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from focuscrawl.errors import StoreError
from focuscrawl.fleet.board import Polled
from focuscrawl.fleet.orders import MAX_ORDERS, STOP, Order
from focuscrawl.records import Entry

NAME = "control.jsonl"
_DONE = "done"


def give(folder: Path, order: Order) -> int:
    """Append an order; return its number.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    if len(read(folder)[0]) >= MAX_ORDERS and order.kind != STOP:
        raise StoreError(
            f"{folder / NAME}: {MAX_ORDERS:,} orders are in it; no more are taken but stop. While no crawl runs here,"
            " take out those that have had their day."
        )
    _append(folder, order.to_json())
    return len(read(folder)[0])


def read(folder: Path) -> tuple[list[Order], int]:
    """Return all orders, and the number of the last change of the topic that was carried out."""
    try:
        data = (folder / NAME).read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise StoreError(f"{folder / NAME}: cannot be read: {error.strerror}.") from error
    return _parse(data.split(b"\n")[:-1])


def _parse(lines: Sequence[bytes]) -> tuple[list[Order], int]:
    orders, done = [], 0
    for line in lines:
        order = Order.from_json(line)
        if order is not None:
            orders.append(order)
            continue
        try:
            mark = json.loads(line).get(_DONE)
        except (ValueError, AttributeError):
            continue
        done = mark if isinstance(mark, int) else done
    return orders, done


def _append(folder: Path, line: str) -> None:
    try:
        # One write at the end of the file: two commands at once do not mix.
        handle = os.open(folder / NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            os.write(handle, line.encode("utf-8", "surrogatepass") + b"\n")
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(f"{folder / NAME}: cannot be written: {error.strerror}.") from error


class FolderBoard:
    """`Board` over the run folder; while nothing is new, a look costs the size of one file."""

    shared = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._size = -1
        self._last = Polled()

    async def open(self) -> None:
        """Do nothing: the file is made with the first order."""

    async def close(self) -> None:
        """Do nothing."""

    async def poll(
        self,
        facts: Mapping[str, Any],
        *,
        seen: int,
        events: Sequence[bytes] = (),
        cursor: str = "",
        learns: bool = False,
        run: str = "",
    ) -> Polled:
        """Return new orders; there is nobody to report to."""
        del facts, events, cursor, learns, run
        try:
            size = (self._folder / NAME).stat().st_size
        except OSError:
            size = 0
        if size == self._size:
            return Polled(number=seen, done=self._last.done)
        orders, done = read(self._folder)
        self._size = size
        self._last = Polled(orders[seen:], len(orders), done)
        return self._last

    async def publish(self, model: bytes) -> int:
        """Do nothing."""
        del model
        return 0

    async def model(self) -> bytes | None:
        """Return None."""
        return None

    async def mark_done(self, number: int) -> None:
        """Append the mark."""
        _append(self._folder, json.dumps({_DONE: number}))

    def queued(self) -> AsyncIterator[list[Entry]] | None:
        """Return None: the frontier is this process's own."""
        return None
