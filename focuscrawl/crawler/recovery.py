"""Recovery of a dead worker of a fleet by the next one in its run folder."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.crawler.run_output import RunOutput
    from focuscrawl.crawler.step import PageStep
    from focuscrawl.frontier.fleet import FleetFrontier

logger = logging.getLogger(__name__)


async def recover(files: RunOutput, fleet: FleetFrontier, step: PageStep, *, overrides: Mapping[str, object]) -> None:
    """End what the earlier worker of a run folder has begun, and begin in its place.

    It is dead: the folder's lock is ours. Its leases go back to the queue at once, and of the pages it had written
    without an answer of the frontier those stay that the frontier knows as settled by it. A frontier that was begun
    anew since knows nothing of it, and leaves its rows as they are; links to its pages are followed once more then.

    Parameters
    ----------
    files
        Open, not begun.
    fleet
        The open frontier.
    step, overrides
        As `RunOutput.begin` takes them.

    Raises
    ------
    FocusCrawlError
        If the frontier cannot be asked, or crawl.db not be written. Started once more, the worker finds all as it was.
    """
    earlier = files.earlier
    known = earlier is not None and earlier.epoch == fleet.epoch
    settled: Sequence[bool] | None = None
    if earlier is not None and known:
        taken = await fleet.recover(earlier.name, earlier.last)
        settled = taken.settled if taken.settled is not None else [False] * len(earlier.unsettled)
        if taken.returned:
            logger.info("%(n)d links of a killed worker are queued again", {"n": taken.returned})
    anew = earlier is not None and not known
    if anew:
        logger.warning(
            "%(run)s: the queue of this run is lost, for Redis has another crawl of its name: it begins at the seeds,"
            " and its pages are fetched again",
            {"run": files.folder.path},
        )
    await asyncio.get_running_loop().run_in_executor(
        None,
        lambda: files.begin(
            step, overrides=overrides, worker=fleet.worker, epoch=fleet.epoch, settled=settled, anew=anew
        ),
    )
    if earlier is not None and known:
        await fleet.discard(earlier.name)
