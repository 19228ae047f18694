"""What the workers of a fleet learn together.

Every worker learns at once from the pages it fetches, so that the offsets of groups follow without delay, and within a
second or two from those the others have judged. So all rank by nearly the same model, and none waits for another. One
of them is the *trainer*: it tells the frontier of the offsets that others' pages move, and publishes from time to time
what all have learned. A worker that comes later takes that up and goes on from there; so does one that cannot keep up
with what many others judge, which then hears no outcomes and takes up one publication after the other, its own newest
pages learned once more on top. Whoever becomes the trainer next has learned all, or goes on from the last publication.

An outcome is JSON of a few hundred bytes, a publication JSON compressed with zlib: nothing that could be run.
"""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from focuscrawl.engine.step import PageStep, StepResult
from focuscrawl.errors import FrontierError
from focuscrawl.page.blank import blank_page
from focuscrawl.ranking.base import Judged
from focuscrawl.records import Outcome
from focuscrawl.topic.base import Verdict
from focuscrawl.topic.judge_base import ScoredJudge
from focuscrawl.types import Explained, GroupKey

WINDOW = 100
"""Pages of all workers that the harvest of the fleet is over."""
_MOST_KEPT = 5_000  # own outcomes that no publication has in it yet
_FULL_LOOKS = 5
_MOST_BYTES = 256 * 1024 * 1024  # of a publication, unpacked


class SharedLearning:
    """One worker's part in it.

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
        self.cursor = ""  # place of the last outcome learned
        self.current = False  # all outcomes up to there are learned; else a publication has to be taken up first
        self._own_head = json.dumps({"w": worker}, ensure_ascii=False)[:-1].encode("utf-8", "surrogatepass")
        self._full = 0  # looks in a row that brought as many outcomes as they could
        self.learned = 0  # outcomes since the last publication
        self._number = 0  # of the last outcome of this worker
        self._seen: dict[str, int] = {}  # worker -> number of its last outcome that the model has learned
        self._own: deque[dict[str, Any]] = deque(maxlen=_MOST_KEPT)
        self._to_send: list[bytes] = []
        self._recent: deque[bool] = deque(maxlen=WINDOW)

    # -------------------------------------------------------------------- every worker

    def judged(self, result: StepResult) -> None:
        """Take note of a page this worker has judged, and its step has learned from."""
        record, lease = result.record, result.settlement.lease
        if result.settlement.record is None or result.settlement.outcome is not Outcome.DONE:
            return
        self._number += 1
        outcome: dict[str, Any] = {
            "w": self.worker,
            "n": self._number,
            "topic": self.step.topic.version,
            "url": record.final_url,
            "key": str(record.key),
            "host": record.host,
            "group": record.group,
            "parent": None if record.parent is None else str(record.parent),
            "anchor": record.anchor,
            "depth": record.depth,
            "tunnel": record.tunnel,
            "score": record.score,
            "priority": lease.priority,
            "relevance": record.relevance,
            "threshold": record.threshold,
            "relevant": record.relevant,
            "parts": dict(record.judged),
            "inherit": dict(lease.entry.origin.carried),
            "new_links": result.new_links,
        }
        self._own.append(outcome)
        self._to_send.append(json.dumps(outcome, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        self._seen[self.worker] = self._number
        self.learned += 1
        self._recent.append(bool(record.relevant))

    def take_outcomes(self) -> list[bytes]:
        """Return what has been judged since the last call, to be sent."""
        sent, self._to_send = self._to_send, []
        return sent

    def changed_topic(self, step: PageStep) -> None:
        """Go on with the step of another topic: what was judged by the old one teaches nothing."""
        self.step = step
        self._own.clear()
        self._recent.clear()
        self.current = False  # others may have judged by the new topic before this one did

    def kept_up(self, *, behind: bool) -> None:
        """Take note of whether there were more outcomes than could be heard; who cannot keep up is not current."""
        self._full = self._full + 1 if behind else 0
        if self._full >= _FULL_LOOKS:
            self._full, self.current = 0, False

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
        state, step = data["state"], self.step
        step.ranker.restore(state["ranker"])
        step.judge.restore(state["judge"])
        step.calibration.restore(state["calibration"])
        if data.get("recent"):
            self._recent = deque((bool(one) for one in data["recent"]), maxlen=WINDOW)
        self._seen = seen
        self.cursor = str(data["cursor"])
        since = [one for one in self._own if one["n"] > seen.get(self.worker, 0)]
        self._own = deque(since, maxlen=_MOST_KEPT)
        for outcome in since:
            self._learn(outcome)
        step.ranker.offsets()  # the trainer has told the frontier, as has this worker for its own pages
        return True

    def learn(self, outcomes: Iterable[tuple[str, bytes]]) -> dict[GroupKey, float]:
        """Learn from pages that others have judged; return the offsets that changed."""
        heard = False
        for place, packed in outcomes:
            self.cursor = place
            if packed.startswith(self._own_head):
                continue
            outcome = _outcome(packed)
            if outcome is None or outcome["topic"] != self.step.topic.version:
                continue
            if outcome["n"] <= self._seen.get(outcome["w"], 0):
                continue  # in the publication that was taken up
            self._learn(outcome)
            heard = True
            self.learned += 1
        return self.step.ranker.offsets() if heard else {}

    # --------------------------------------------------------------------- the trainer

    def publication(self) -> bytes:
        """Return all that was learned, for the others."""
        self.learned = 0
        snapshot = self.step.snapshot()
        data = {
            "topic": self.step.topic.version,
            "seen": self._seen,
            "cursor": self.cursor,
            "recent": [int(one) for one in self._recent],
            "state": {name: snapshot[name] for name in ("ranker", "judge", "calibration")},
        }
        return zlib.compress(json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)

    @property
    def harvest(self) -> float | None:
        """Share of relevant pages among the last 100 of all workers, as the trainer knows it; None for fewer."""
        return sum(self._recent) / WINDOW if len(self._recent) == WINDOW else None

    # ------------------------------------------------------------------------- private

    def _learn(self, outcome: Mapping[str, Any]) -> None:
        step, own = self.step, outcome["w"] == self.worker
        verdict = Verdict(
            Explained(outcome["relevance"], _floats(outcome["parts"])),
            outcome["threshold"],
            outcome["relevant"],
            step.topic.name,
        )
        parent = None if outcome["parent"] is None else int(outcome["parent"])
        if isinstance(step.judge, ScoredJudge):
            step.judge.threshold.observe(outcome["relevance"])
        if parent is not None:
            step.calibration.add(outcome["priority"], relevant=outcome["relevant"])
        step.ranker.observe_event(
            Judged(
                blank_page(outcome["url"], host=outcome["host"]),
                verdict,
                depth=outcome["depth"],
                tunnel=outcome["tunnel"],
                priority=outcome["score"],
                group=outcome["group"],
                inherited=_floats(outcome["inherit"]),
                key=int(outcome["key"]),
                parent=parent,
                anchor=outcome["anchor"],
                new_links=outcome["new_links"],
            )
        )
        self._seen[outcome["w"]] = outcome["n"]
        if not own:
            self._recent.append(outcome["relevant"])


def _outcome(packed: bytes) -> dict[str, Any] | None:
    """Return an outcome with everything in it that is looked at; None for another version's."""
    try:
        data = json.loads(packed.decode("utf-8", "surrogatepass"))
        fine = (
            isinstance(data["w"], str)
            and isinstance(data["n"], int)
            and {"topic", "url", "host", "group", "parent", "anchor", "parts", "inherit"} <= data.keys()
            and all(isinstance(data[name], int | float) for name in ("depth", "tunnel", "score", "priority"))
            and all(isinstance(data[name], int | float) for name in ("relevance", "threshold"))
            and isinstance(data["relevant"], bool)
            and isinstance(data["new_links"], int)
            and data["new_links"] >= 0
            and int(data["key"]) >= 0
            and int(data["parent"] or 0) >= 0
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return data if fine else None


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


def _floats(value: object) -> dict[str, float]:
    return {str(k): float(v) for k, v in value.items()} if isinstance(value, Mapping) else {}
