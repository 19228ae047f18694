"""Answers about pages, given on the live page: each is written beside the topic file as it comes."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Any

from focuscrawl.api.teaching import Taught, teach
from focuscrawl.dashboard.source import Source
from focuscrawl.errors import ConfigError, StoreError
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import parse_hex_key
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.run_settings import RunSettings, RunTimes
from focuscrawl.teaching.candidates import UntaughtScores, candidate, kept_text
from focuscrawl.teaching.run import TaughtRun, open_taught
from focuscrawl.topic.examples import Example
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec


class Answers:
    """Examples of a run's topic, answer by answer, as ``focuscrawl topic teach`` writes them.

    A tab that is closed, or a dashboard that ends, loses none. The run is judged by them when they are applied.

    Parameters
    ----------
    source
        The crawl that is shown.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = Lock()  # each viewer has a thread
        self._history: list[tuple[str, Example | None]] = []  # what stood there before
        self._scores: UntaughtScores | None = None

    def given(self) -> dict[str, Any]:
        """Return the answers there are: URL -> whether it is on the topic, how many wait, what can be taken back.

        Raises
        ------
        FocusCrawlError
            If there is not one run folder, or its topic cannot be read.
        """
        with self._lock:
            return self._told(self._taught())

    def give(self, key: str, relevant: bool) -> dict[str, Any]:
        """Keep an answer about a page; an earlier one gives way to it.

        Parameters
        ----------
        key
            Of the page, 16 hex digits.

        Raises
        ------
        FocusCrawlError
            If the page cannot be an example, or the answer cannot be written.
        """
        with self._lock:
            taught = self._taught()
            example = self._example(taught, key, relevant)
            before = _by_url(taught.spec.examples)
            kept = _keep(taught, (before | {example.url: example}).values())
            self._history.append((example.url, before.get(example.url)))  # only now: there may be no room for it
            return self._told(kept)

    def undo(self) -> dict[str, Any]:
        """Take the last answer back.

        Raises
        ------
        FocusCrawlError
            If there is none of this dashboard that was not applied.
        """
        with self._lock:
            if not self._history:
                raise ConfigError("There is no answer to take back.")
            taught = self._taught()
            url, before = self._history[-1]
            others = {one.url: one for one in taught.spec.examples if one.url != url}
            kept = _keep(taught, [*others.values(), *([before] if before is not None else ())])
            self._history.pop()
            return self._told(kept)

    def apply(self) -> Taught:
        """Judge the run by all answers, or have the crawl that is at work do so.

        Raises
        ------
        FocusCrawlError
            If the run cannot be changed.
        """
        with self._lock:
            taught = teach(self._folder().path, {})
            self._history.clear()
            return taught

    # ----------------------------------------------------------------------- private

    def _folder(self) -> RunFolder:
        folder = self._source.folder
        if folder is None:
            raise ConfigError("Teaching needs one run folder: open the dashboard with it.")
        return folder

    def _taught(self) -> TaughtRun:
        return open_taught(str(self._folder().path))

    def _told(self, taught: TaughtRun) -> dict[str, Any]:
        examples = taught.spec.examples
        waiting = len({url for url, _ in self._history})
        if not waiting and examples:
            # Those of an earlier dashboard; a crawl that is at work has the topic it was told last
            with CrawlDb.open_readonly(taught.folder.db) as db:
                idle = RunTimes.load(db).stopped_at is not None or taught.folder.process is None
                waiting = len(examples) if idle and RunSettings.load(db).topic_version != taught.spec.digest else 0
        return {
            "answers": {one.url: one.relevant for one in examples},
            "waiting": waiting,
            "undo": bool(self._history),
            "file": str(taught.examples_file),
        }

    def _example(self, taught: TaughtRun, key: str, relevant: bool) -> Example:
        scores = self._scores_of(taught.spec)
        try:
            number = parse_hex_key(key)
        except ValueError:
            raise StoreError(f'"{key}": expected the key of a page, 16 hex digits.') from None
        with CrawlDb.open_readonly(taught.folder.db) as db:
            record = db.page(number)
        if record is None or not kept_text(record):
            raise StoreError(f"{key}: this run keeps no text of such a page, so it cannot be an example.")
        return candidate(record, scores).example(relevant, version=scores.version)

    def _scores_of(self, spec: TopicSpec) -> UntaughtScores:
        if self._scores is None or self._scores.version != spec.untaught_digest:
            self._scores = UntaughtScores(spec, fit_topic(spec))
        return self._scores


def _by_url(examples: Iterable[Example]) -> dict[str, Example]:
    return {one.url: one for one in examples}


def _keep(taught: TaughtRun, examples: Iterable[Example]) -> TaughtRun:
    """Write the examples; return the run with them."""
    taught.keep(kept := tuple(examples))
    return TaughtRun(taught.folder, taught.spec.taught(kept), taught.topic_file, taught.copied, taught.say)
