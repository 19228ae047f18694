"""Learning in a fleet: every worker learns from the pages of all workers.

Every worker learns at once from the pages it fetches, and within a second or two from the events of the others: budgets
and duplicates are those of the whole crawl, and all rank by nearly the same model. One worker is the *trainer*: it
gives the frontier the offsets that others' pages move, and publishes from time to time what all have learned. A worker
that comes later goes on from there. So does one that cannot learn as fast as all others judge: it still counts their
pages and texts, takes up one publication after the other, and learns its own newest pages once more on top.

Events are sent when page and settlement are written, not before: no text counts as a repetition of one that was lost
with its worker. A publication is JSON compressed with zlib: nothing that could be run.
"""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from focuscrawl.crawler.learned_parts import take_up_ranking
from focuscrawl.crawler.step import PageStep
from focuscrawl.dedupe.near import SIGNATURE_BYTES
from focuscrawl.errors import FrontierError
from focuscrawl.page.blank import blank_page
from focuscrawl.ranking.base import Judged
from focuscrawl.ranking.plain_ranks import changed_offsets, changed_scores
from focuscrawl.records import Judgement, PageEvent, Settlement
from focuscrawl.topic.base import Verdict
from focuscrawl.types import Explained, GroupKey, UrlKey

WINDOW = 100
"""Pages of all workers that the harvest of the fleet is over."""
LEARNED_AT_MOST = 200
"""Events learned between two reports by a worker that is not the trainer: about a tenth of its time."""
_MOST_KEPT = 5_000  # own events that no publication has in it yet
_FULL_LOOKS = 5
_NO_CHANGES = "the strategy cannot tell what has changed"
_MOST_BYTES = 256 * 1024 * 1024  # of a publication, unpacked


class FleetLearning:
    """One worker's part in the learning of a fleet.

    Parameters
    ----------
    step
        The page step that learns and ranks.
    worker
        Name of this worker.
    """

    def __init__(self, step: PageStep, worker: str) -> None:
        self.worker = worker
        self.step = step
        self.cursor = ""  # position of the last event read, '' for the beginning
        self.current = False  # the model has all events up to there; else a publication has to be taken up first
        self._trainer = False
        self.events = 0  # taken, of others
        self.learned = 0  # judgements since the last publication
        self._full = 0  # looks in a row that brought more than can be learned
        self._number = 0  # of the last event of this worker
        self._counted: dict[str, int] = {}  # worker -> number of its last event that was counted
        self._seen: dict[str, int] = {}  # worker -> number of its last event that the model has learned
        self._own: deque[PageEvent] = deque(maxlen=_MOST_KEPT)
        self._to_send: list[bytes] = []
        self._recent: deque[bool] = deque(maxlen=WINDOW)
        self._share_looks()

    @property
    def trainer(self) -> bool:
        """Whether this worker publishes what was learned, and makes the looks at hosts for all."""
        return self._trainer

    @trainer.setter
    def trainer(self, trainer: bool) -> None:
        if trainer != self._trainer:
            self._trainer = trainer
            self._share_looks()

    # -------------------------------------------------------------------- own pages

    def numbered(self, settlement: Settlement) -> Settlement:
        """Return the settlement of a page this worker has processed, with its event numbered."""
        if settlement.event is None:
            return settlement
        self._number += 1
        event = replace(settlement.event, worker=self.worker, number=self._number)
        if event.judgement is not None:
            self._own.append(event)
            self._seen[self.worker] = self._number
            self._recent.append(event.relevant)
            self.learned += 1
        return replace(settlement, event=event)

    def settled(self, settlements: Iterable[Settlement]) -> None:
        """Have the events of settlements sent that the frontier has taken."""
        self._to_send += [one.event.to_json() for one in settlements if one.event is not None]

    def take(self) -> list[bytes]:
        """Return the events since the last call, to be sent."""
        sent, self._to_send = self._to_send, []
        return sent

    def take_back(self, events: Iterable[bytes]) -> None:
        """Have events sent the next time of which nobody knows whether they arrived: one counts once."""
        self._to_send[:0] = events

    def changed_topic(self, step: PageStep) -> None:
        """Go on with the step of another topic: what was judged by the old one teaches nothing."""
        self.step = step
        self._share_looks()
        self._own.clear()
        self._recent.clear()
        self.current = False  # others may have judged by the new topic before this one did

    # ------------------------------------------------------------------ pages of others

    def take_events(self, events: Iterable[bytes]) -> tuple[int, dict[GroupKey, float]]:
        """Count pages of others and learn from them; return how many were learned, and the offsets that changed.

        An event counts once: one that comes again is the repetition of a call whose answer was lost, or is read again
        because a publication did not have it. Broken ones, and those of another version, are left out.
        """
        step, learned = self.step, 0
        for packed in events:
            event = PageEvent.from_json(packed)
            if event is None or event.worker == self.worker:
                continue
            if event.signature is not None and len(event.signature) != SIGNATURE_BYTES:
                continue
            if event.number > self._counted.get(event.worker, 0):
                self._counted[event.worker] = event.number
                self.events += 1
                step.budgets.learn(event, gave_page=event.judgement is not None)
                step.texts.learn(event)
                if event.failed:
                    with step.faults.passing_over(_of_another("strategy", event)):
                        step.ranker.missed(event.host, event.key)
            judgement = event.judgement
            if not self.current or judgement is None or judgement.topic != step.topic.version:
                continue
            if event.number > self._seen.get(event.worker, 0):
                self._seen[event.worker] = event.number
                self._learn(event, judgement)
                self._recent.append(event.relevant)
                learned += 1
        self.learned += learned
        with step.faults.passing_over(_NO_CHANGES):
            return learned, changed_offsets(step.ranker) if learned else {}
        return learned, {}

    def rescores(self) -> dict[UrlKey, float]:
        """Return the queued links whose scores are others by what was learned."""
        with self.step.faults.passing_over(_NO_CHANGES):
            return changed_scores(self.step.ranker)
        return {}

    def keep_up(self, learned: int, *, more: bool) -> bool:
        """Tell whether to read on at once after a look that brought so many judgements.

        A worker that cannot learn all there is stops trying after a few looks, and waits for a publication.
        """
        full = more and self.current and learned >= LEARNED_AT_MOST
        self._full = self._full + 1 if full else 0
        if self._full >= _FULL_LOOKS:
            self._full, self.current = 0, False
        return more and not full

    # -------------------------------------------------------------------- publications

    def take_up(self, publication: bytes) -> bool:
        """Learn what the trainer has published; False when it is about another topic.

        Raises
        ------
        FrontierError
            If it is damaged.
        """
        data = _unpacked(publication)
        if data.get("topic") != self.step.topic.version:
            return False
        seen = {str(worker): int(number) for worker, number in data["seen"].items()}
        # What came after the publication is read again where it was only counted here.
        cursor = min(self.cursor, str(data["cursor"]), key=_position)
        state, step = data["state"], self.step
        take_up_ranking(step, state)
        step.judge.restore(state["judge"])
        if data.get("recent"):
            self._recent = deque((bool(one) for one in data["recent"]), maxlen=WINDOW)
        self._seen, self.cursor = seen, cursor
        since = [one for one in self._own if one.number > seen.get(self.worker, 0)]
        self._own = deque(since, maxlen=_MOST_KEPT)
        for event in since:
            assert event.judgement is not None
            self._seen[self.worker] = event.number
            self._learn(event, event.judgement)
        step.ranker.offsets()  # the trainer has given them to the frontier, as has this worker for its own pages
        return True

    def publication(self) -> bytes | None:
        """Return all that was learned, for the others; None where a plug-in has no state that can be stored."""
        self.learned = 0
        data = {
            "topic": self.step.topic.version,
            "seen": self._seen,
            "cursor": self.cursor,
            "recent": [int(one) for one in self._recent],
        }
        with self.step.faults.passing_over("what was learned cannot be published"):
            text = json.dumps(data | {"state": self.step.snapshot()}, ensure_ascii=False)
            return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
        return None

    @property
    def harvest(self) -> float | None:
        """Share of relevant pages among the last 100 of all workers, as the trainer knows it; None for fewer."""
        return sum(self._recent) / WINDOW if len(self._recent) == WINDOW else None

    # ------------------------------------------------------------------------- private

    def _learn(self, event: PageEvent, judgement: Judgement) -> None:
        step = self.step
        with step.faults.passing_over(_of_another("judge", event)):
            step.judge.learn(event)
        step.calibration.learn(event)
        verdict = Verdict(
            Explained(judgement.relevance, judgement.judged), judgement.threshold, event.relevant, step.topic.name
        )
        judged = Judged(
            blank_page(event.url, host=event.host),
            verdict,
            depth=judgement.depth,
            tunnel=judgement.tunnel,
            priority=judgement.score,
            group=judgement.group,
            inherited=judgement.carried,
            key=event.key,
            parent=judgement.parent,
            anchor=judgement.anchor,
            new_links=judgement.new_links,
            repeats=event.repeats,
        )
        with step.faults.passing_over(_of_another("strategy", event)):
            step.ranker.observe_event(judged)
            if event.looks is not None:
                step.ranker.observe_looks(judged, event.looks)

    def _share_looks(self) -> None:
        with self.step.faults.passing_over("the strategy cannot share its looks"):
            self.step.ranker.share_looks(makes=self._trainer)


def _of_another(part: str, event: PageEvent) -> str:
    return f"the {part} failed over {event.url}, which another worker has fetched"


def _position(cursor: str) -> tuple[int, ...]:
    """Return what positions in the stream are ordered by: the numbers of an ID of Redis."""
    return tuple(int(number) for number in cursor.split("-")) if cursor else ()


def _unpacked(publication: bytes) -> dict[str, Any]:
    try:
        unpack = zlib.decompressobj()
        text = unpack.decompress(publication, _MOST_BYTES)
        if unpack.unconsumed_tail:
            raise ValueError("larger than 256 MB")
        data: dict[str, Any] = json.loads(text.decode("utf-8", "surrogatepass"))
        if not {"topic", "seen", "cursor", "state"} <= data.keys():
            raise ValueError("parts are missing")
    except (zlib.error, ValueError, AttributeError, RecursionError) as error:
        raise FrontierError(f"What the trainer has published cannot be read: {error}.") from error
    return data
