"""Comparison of a worker with the others of its fleet: what they should have in common and have not."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from focuscrawl.fleet.channel import WorkerReport, WorkerStatus
from focuscrawl.topic.examples import without_examples

logger = logging.getLogger(__name__)


def warn_of_differences(own: WorkerStatus, others: Sequence[WorkerReport]) -> None:
    """Warn where another worker has another spider, topic, strategy, or other limits; once for each of these."""
    _compare_names(
        "spider",
        "each gets links of the other, for methods of its own by the same names. Stop one of them and start it as"
        " another crawl with FOCUSCRAWL_CRAWL",
        own.spider,
        {other.name: other.status.spider for other in others},
    )
    _compare_topics(own, others)
    _compare_names(
        "strategy",
        "links are scored by whoever finds them, so their order is that of neither. Stop one of them and start it with"
        " the other's strategy",
        own.strategy,
        {other.name: other.status.strategy for other in others},
    )
    _compare_limits(own, others)


def _compare_names(what: str, effect: str, own: str, others: Mapping[str, str]) -> None:
    """Warn of the first worker whose spider or strategy has another name, '' for one that has not said it yet."""
    for worker, other in others.items():
        if own and other not in ("", own):
            logger.warning(
                'the %(what)s of this worker is "%(own)s", that of %(worker)s in the same crawl "%(other)s":'
                " %(effect)s",
                {"what": what, "own": own, "worker": worker, "other": other, "effect": effect},
            )
            return


def _compare_topics(own: WorkerStatus, others: Sequence[WorkerReport]) -> None:
    words = without_examples(own.topic_version)  # what was taught is no other topic
    for other in others:
        status = other.status
        if not status.topic_version or without_examples(status.topic_version) == words:
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
