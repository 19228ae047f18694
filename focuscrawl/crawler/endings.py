"""Why a crawl has ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

# Reasons a crawl stops, as they are stored and shown (docs/run-folder.md).
BUDGET = "budget"
EXHAUSTED = "exhausted"
READ = "archives read"
HARVEST = "harvest too low"
STOPPED = "stopped"
ERROR = "error"
# Reasons that end the crawl of all workers, not only of this one.
FOR_ALL = frozenset({BUDGET, HARVEST})
# Scrapy's reasons for a spider that closes, in our words.
_REASONS = {"finished": EXHAUSTED, "shutdown": STOPPED, "cancelled": STOPPED, "start_error": ERROR}


@dataclass(frozen=True, slots=True)
class Ending:
    """End of a crawl: reason, detail, exit code."""

    reason: str
    detail: str = ""
    exit_code: int = 0


def ending_of(scrapy_reason: str, *, pages: int, queued: int, nothing: Counter[str]) -> Ending:
    """Return how a crawl ended that Scrapy closed.

    Parameters
    ----------
    scrapy_reason
        Why, in its words.
    pages, queued
        Pages fetched, and links left.
    nothing
        Why fetches gave no page -> how often.
    """
    if scrapy_reason.startswith("closespider_"):
        return Ending(BUDGET, scrapy_reason.removeprefix("closespider_"))
    reason = _REASONS.get(scrapy_reason, scrapy_reason)
    if reason == EXHAUSTED and not pages:
        what = "no seed could be fetched"
        reasons = ", ".join(f"{n} × {why}" for why, n in nothing.most_common(4))
        return Ending(EXHAUSTED, f"{what}: {reasons}" if reasons else what, 1)
    if reason == EXHAUSTED and queued:
        # Not lost: they are in the frontier, and the run can go on when the hosts answer again.
        return Ending(EXHAUSTED, f"{queued:,} links are left, of hosts that do not answer or want to be left alone")
    return Ending(reason, "", 1 if reason == ERROR else 0)
