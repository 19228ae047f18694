"""Result of a page step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from focuscrawl.records import PageRecord, Settlement
from focuscrawl.types import GroupKey, UrlKey


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a page step: the settlement, changed offsets, and the record to hand on."""

    settlement: Settlement
    record: PageRecord
    offsets: Mapping[GroupKey, float] = field(default_factory=dict)
    rescores: Mapping[UrlKey, float] = field(default_factory=dict)  # of queued links
    item_wanted: bool = False  # the page is a result, and its crawl hands these on

    def without_texts(self) -> StepResult:
        """Return the result for a crawl that keeps no pages: rows without text, and no item."""
        record = replace(self.record, text="")
        revised = [replace(one, text="") for one in self.settlement.revised]
        settlement = replace(self.settlement, record=record, revised=revised)
        return replace(self, settlement=settlement, record=record, item_wanted=False)
