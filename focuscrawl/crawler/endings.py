"""Why a crawl ends: its limits, and what is said of an end of Scrapy's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.crawler.plan import CrawlPlan

# Reasons a crawl stops, as they are stored and shown (docs/run-folder.md).
BUDGET = "budget"
EXHAUSTED = "exhausted"
HARVEST = "harvest too low"
STOPPED = "stopped"
ERROR = "error"
# Reasons that end the crawl of all workers, not only of this one.
FOR_ALL = frozenset({BUDGET, HARVEST})
# Scrapy's reasons for a spider that closes, in our words.
_REASONS = {"finished": EXHAUSTED, "shutdown": STOPPED, "cancelled": STOPPED, "start_error": ERROR}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a crawl ended."""

    reason: str
    detail: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a crawl stands, that of all workers where there are several."""

    pages: int
    stored: int  # relevant pages that are results
    seconds: float  # since its start
    harvest: float | None = None  # of the last 100 pages, in [0, 1]; None while there are fewer


def limit_reached(plan: CrawlPlan, standing: Standing, *, min_harvest: float) -> Ending | None:
    """Return how a crawl ends that has reached a limit of its plan, None for one that goes on.

    Parameters
    ----------
    min_harvest
        The crawl ends below it, in [0, 1]; 0 for none.
    """
    if plan.pages and standing.pages >= plan.pages:
        return Ending(BUDGET, f"{plan.pages:,} pages")
    if plan.relevant and standing.stored >= plan.relevant:
        return Ending(BUDGET, f"{plan.relevant:,} relevant pages stored")
    if plan.minutes and standing.seconds >= plan.minutes * 60.0:
        return Ending(BUDGET, f"{plan.minutes:,} minutes")
    if min_harvest and standing.harvest is not None and standing.harvest < min_harvest:
        return Ending(HARVEST, f"{standing.harvest:.0%} of the last 100 pages, below {min_harvest:.0%}")
    return None


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
