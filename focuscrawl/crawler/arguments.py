"""The arguments of ``scrapy crawl focused``, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields

from focuscrawl.crawler.setting_values import whole_number
from focuscrawl.errors import ConfigError
from focuscrawl.topic.faults import did_you_mean

JOB = "_job"
"""Argument with the number of its job, which scrapyd gives every spider."""


@dataclass(frozen=True, slots=True)
class CrawlArguments:
    """Arguments given with ``-a``; empty and None leave the topic's choice or the default."""

    topic: str = ""
    seeds: str = ""
    pages: int | None = None  # 0: no limit
    strategy: str = ""
    run: str = ""
    minutes: float | None = None  # 0: no limit
    relevant: int | None = None  # 0: no limit

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> CrawlArguments:
        """Return the arguments.

        Raises
        ------
        ConfigError
            With one sentence for each unknown argument and wrong value.
        """
        known = [f.name for f in fields(cls)]
        faults = [
            f"-a {name}={given[name]}: there is no such argument; known: {', '.join(known)}.{did_you_mean(name, known)}"
            for name in given
            if name not in known
        ]
        numbers: dict[str, int] = {}
        minutes: float | None = None
        try:
            minutes = _minutes(given.get("minutes"))
        except ConfigError as error:
            faults.append(str(error))
        for name in ("pages", "relevant"):
            if given.get(name) not in (None, ""):
                try:
                    numbers[name] = whole_number(name, given[name])
                except ConfigError as error:
                    faults.append(str(error))
        texts = {name: str(given.get(name) or "").strip() for name in ("topic", "seeds", "strategy", "run")}
        if not texts["topic"] and not texts["run"]:
            faults.append(
                "-a topic= is missing: name a topic file or one of the topics that come with the package, such as"
                ' -a topic=web-crawling ("focuscrawl topic list" shows them).'
            )
        if faults:
            raise ConfigError("\n".join(faults))
        return cls(
            topic=texts["topic"],
            seeds=texts["seeds"],
            pages=numbers.get("pages"),
            strategy=texts["strategy"],
            run=texts["run"],
            minutes=minutes,
            relevant=numbers.get("relevant"),
        )


def _minutes(value: object) -> float | None:
    if value in (None, ""):
        return None
    with suppress(ValueError):
        number = float(str(value))
        if math.isfinite(number) and number >= 0.0:
            return number
    raise ConfigError(f"minutes = {value}: expected a number, 0 or more.")
