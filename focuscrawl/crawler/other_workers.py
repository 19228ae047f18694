"""Comparison of a worker with the others of its fleet: what they should have in common and have not."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from focuscrawl.fleet.channel import WorkerReport, WorkerStatus

logger = logging.getLogger(__name__)


def warn_of_differences(own: WorkerStatus, others: Sequence[WorkerReport]) -> None:
    """Warn where another worker has another spider, topic, strategy, or other limits; once for each of these."""
    _compare_spiders(own, others)
    _compare_topics(own, others)
    _compare_strategies(own, others)
    _compare_limits(own, others)


def _compare_spiders(own: WorkerStatus, others: Sequence[WorkerReport]) -> None:
    for other in others:
        if own.spider and other.status.spider not in ("", own.spider):
            logger.warning(
                'the spider of this worker is "%(spider)s", that of %(worker)s in the same crawl "%(other)s": each'
                " gets links of the other, for methods of its own by the same names. Stop one of them and start it"
                " as another crawl with FOCUSCRAWL_CRAWL",
                {"spider": own.spider, "worker": other.name, "other": other.status.spider},
            )
            return


def _compare_topics(own: WorkerStatus, others: Sequence[WorkerReport]) -> None:
    words, _, _ = own.topic_version.partition("+")  # what was taught is no other topic
    for other in others:
        status = other.status
        if not status.topic_version or status.topic_version.partition("+")[0] == words:
            continue  # one that has not reported yet compares itself
        logger.warning(
            'the topic of this worker is "%(topic)s" (%(version)s), that of %(worker)s in the same crawl'
            ' "%(other)s" (%(others)s): unless `focuscrawl fleet retopic` is under way, stop one of them and start'
            " it with the other's topic file, or as another crawl with FOCUSCRAWL_CRAWL",
            {
                "topic": own.topic,
                "version": own.topic_version,
                "worker": other.name,
                "other": status.topic,
                "others": status.topic_version,
            },
        )
        return


def _compare_strategies(own: WorkerStatus, others: Sequence[WorkerReport]) -> None:
    for other in others:
        if own.strategy and other.status.strategy not in ("", own.strategy):
            logger.warning(
                'the strategy of this worker is "%(own)s", that of %(worker)s in the same crawl "%(other)s": links are'
                " scored by whoever finds them, so their order is that of neither. Stop one of them and start it with"
                " the other's strategy",
                {"own": own.strategy, "worker": other.name, "other": other.status.strategy},
            )
            return


def _compare_limits(own: WorkerStatus, others: Sequence[WorkerReport]) -> None:
    for other in others:
        limits = other.status.limits
        different = [name for name in own.limits if name in limits and limits[name] != own.limits[name]]
        if different:
            logger.warning(
                "the limits of this worker are %(own)s, those of %(worker)s in the same crawl %(other)s: the one that"
                " is reached first ends the crawl for all. `focuscrawl fleet set %(name)s=…` sets one for all",
                {
                    "own": _shown(own.limits, different),
                    "worker": other.name,
                    "other": _shown(limits, different),
                    "name": different[0],
                },
            )
            return


def _shown(limits: Mapping[str, float], names: Sequence[str]) -> str:
    """Return limits as people set them.

    >>> _shown({"pages": 5000.0, "minutes": 0.0}, ["pages", "minutes"])
    'pages = 5,000 and minutes = none'
    """
    return " and ".join([f"{name} = {f'{limits[name]:,.10g}' if limits[name] else 'none'}" for name in names])
