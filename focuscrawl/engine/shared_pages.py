"""What every worker of a fleet hears of the pages the others have fetched.

Budgets against endless spaces and duplicates are those of the whole crawl only if each worker knows all pages. So it
tells of each page it has settled what these need: the address, whether it was a find, and of a stored text the digest
and the MinHash signature. That is told when page and settlement are written, not before: nobody leaves out a text as a
repetition of one that was lost with its worker.

Not to be confused with what all learn from (`focuscrawl.engine.shared_learning`), which a publication of the trainer
can stand in for: its cursor goes into the publication.

A fact is a line of JSON. Facts of another version, and broken ones, are left out.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from focuscrawl.dedupe.near import SIGNATURE_BYTES
from focuscrawl.engine.step import PageStep
from focuscrawl.records import Outcome, Settlement
from focuscrawl.types import UrlKey

VERSION = 1
"""Of the facts, signatures included."""


@dataclass(frozen=True, slots=True)
class _Fact:
    worker: str
    number: int  # of the worker's facts, from 1 on
    url: str
    host: str
    found: bool
    parent_url: str
    key: UrlKey
    digest: str  # of a stored text, '' otherwise
    signature: bytes | None  # None for a short text


class SharedPages:
    """One worker's ears and mouth for them.

    Parameters
    ----------
    step
        The page step whose budgets and texts are told of and hear of the others'.
    worker
        Name of this process.
    """

    def __init__(self, step: PageStep, worker: str) -> None:
        self.step = step
        self.worker = worker
        self.place = ""  # of the last fact heard
        self.heard = 0
        self._number = 0
        self._to_send: list[bytes] = []
        self._last: dict[str, int] = {}  # worker -> number of its last fact heard

    def settled(self, settlements: Iterable[Settlement]) -> None:
        """Take note of pages, and of fetches that gave none, which this worker has settled."""
        for settlement in settlements:
            if settlement.record is not None:
                self._to_send.append(self._packed(settlement))

    def take(self) -> list[bytes]:
        """Return the facts since the last call, to be sent."""
        sent, self._to_send = self._to_send, []
        return sent

    def hear(self, facts: Iterable[bytes]) -> None:
        """Count pages of other workers, and know their texts."""
        budgets, texts = self.step.budgets, self.step.texts
        for packed in facts:
            fact = _fact(packed)
            # One told twice is the repetition of a call whose answer was lost.
            if fact is None or fact.worker == self.worker or fact.number <= self._last.get(fact.worker, 0):
                continue
            self._last[fact.worker] = fact.number
            self.heard += 1
            budgets.fetched(fact.url, fact.host, found=fact.found, parent_url=fact.parent_url)
            if fact.digest:
                texts.hear(fact.key, fact.digest, fact.signature)

    def _packed(self, settlement: Settlement) -> bytes:
        record = settlement.record
        assert record is not None
        self._number += 1
        fact: dict[str, object] = {"v": VERSION, "w": self.worker, "n": self._number}
        if record.outcome != Outcome.DONE:
            fact |= {"url": record.url, "host": settlement.lease.entry.host, "found": False}
            return json.dumps(fact).encode("ascii")
        fact |= {"url": record.final_url, "host": record.host, "found": record.relevant}
        if record.relevant:
            fact["parent"] = settlement.lease.entry.origin.parent_url
        if record.content_digest and record.duplicate_of is None:
            fact |= {"key": record.key, "digest": record.content_digest}
            signature = self.step.texts.near.signature(record.key)
            if signature is not None:
                fact["near"] = b64encode(signature).decode("ascii")
        return json.dumps(fact).encode("ascii")


def _fact(packed: bytes) -> _Fact | None:
    """Return a fact with everything in it that is looked at, None for another version's."""
    try:
        data = json.loads(packed)
        if data["v"] != VERSION:
            return None
        near = data.get("near")
        fact = _Fact(
            data["w"],
            data["n"],
            data["url"],
            data["host"],
            data["found"],
            data.get("parent", ""),
            data.get("key", 0),
            data.get("digest", ""),
            None if near is None else b64decode(near, validate=True),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return fact if _fine(fact) else None


def _fine(fact: _Fact) -> bool:
    texts: Sequence[object] = (fact.worker, fact.url, fact.host, fact.parent_url, fact.digest)
    return (
        all(isinstance(text, str) for text in texts)
        and type(fact.number) is int
        and type(fact.key) is int
        and 0 <= fact.key < 1 << 64
        and isinstance(fact.found, bool)
        and (fact.signature is None or len(fact.signature) == SIGNATURE_BYTES)
    )
