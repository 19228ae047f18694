"""Why a crawl has ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from focuscrawl.wording.base import Say, values_of
from focuscrawl.wording.endings import FAILURE, LINKS_LEFT, NO_PUBLIC_SEED, NO_SEED, NO_SEED_FOR, PRIVATE

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
    links_left: bool = False  # that a later start of the run can fetch, as it is


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
        return Ending(BUDGET, scrapy_reason.upper())  # the name of the setting
    say = Say("en")  # what is stored is English, and shown in another language by the same texts
    reason = _REASONS.get(scrapy_reason, scrapy_reason)
    if reason == EXHAUSTED and not pages:
        reasons = ", ".join(say(FAILURE, n=n, reason=why) for why, n in nothing.most_common(4))
        if not reasons:
            return Ending(EXHAUSTED, say(NO_SEED), 1)
        # Read from the records' own sentences: what an earlier part of the run was refused counts as well.
        private = any(values_of(text, why) for text in PRIVATE for why in nothing)
        return Ending(EXHAUSTED, say(NO_PUBLIC_SEED if private else NO_SEED_FOR, reasons=reasons), 1)
    if reason == EXHAUSTED and queued:
        # Not lost: they are in the frontier, and the run can go on when the hosts answer again.
        return Ending(EXHAUSTED, say(LINKS_LEFT, n=f"{queued:,}"), links_left=True)
    return Ending(reason, "", 1 if reason == ERROR else 0)
