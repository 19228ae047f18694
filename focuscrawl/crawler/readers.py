"""Pages read in other processes: analysis and main content, while this one judges, ranks and settles others."""

from __future__ import annotations

import asyncio
import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from focuscrawl.child_process import ChildClosedError, ChildProcess
from focuscrawl.crawler import reader_child
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.read_page import ReadPage, TreeFindings, Wanted, judged_page, read_page
from focuscrawl.crawler.reader_child import FAULT, OK, SLOW, UNKNOWN, receive, send
from focuscrawl.crawler.reader_setup import extraction_of
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.watchdog import TooSlowError, Watchdog
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.extraction.template_store import TemplateExtractor
from focuscrawl.feeds.discover import is_feed
from focuscrawl.page.packed import page_of
from focuscrawl.records import Lease
from focuscrawl.topic.model import tokenizer_options
from focuscrawl.topic.spec import TopicSpec


class ReaderError(FocusCrawlError):
    """A page that could not be read in another process; the text says why."""

    def __init__(self, said: str, trace: str = "") -> None:
        self.trace = trace  # in that process
        super().__init__(said)


class ReadersClosedError(ReaderError):
    """The readers were ended while a page was read: it says nothing of the page."""


class _EndedError(Exception):
    """The process has ended, or was ended."""


class PageReaders:
    """Reads pages in processes of their own, which are started when the first pages come.

    Parameters
    ----------
    count
        Processes, 1 or more.
    extractor
        Name of the extractor of main content.
    cpu_s
        Seconds of processor time a page may take; 0 is no limit.
    """

    def __init__(self, count: int, extractor: str, *, cpu_s: float) -> None:
        self._extractor = extractor
        self._cpu_s = cpu_s
        self._watchdog = Watchdog(cpu_s)
        self._setup: dict[str, Any] = {}
        self._processes = [_Process() for _ in range(count)]
        self._numbers = itertools.count()

    @property
    def at_once(self) -> int:
        """Pages to be read at once, so that no process waits for one."""
        return 2 * len(self._processes) + 1

    @property
    def process_ids(self) -> list[int]:
        """Numbers of the processes that run."""
        return [process.number for process in self._processes if process.number]

    def use(self, step: PageStep, spec: TopicSpec) -> None:
        """Read pages for a step from now on; `spec` is its topic."""
        self._setup = {
            "tokenizer": (spec.tokenizer, tokenizer_options(spec)),
            "extractor": self._extractor,
            "mentioned": dict(step.analyser.mentioned),
            "max_links": step.options.max_links,
            "ftp": step.options.ftp,
            "cpu_s": self._cpu_s,
        }

    async def read(self, step: PageStep, fetched: Fetched) -> ReadPage:
        """Return what an answer holds, judged by `step`, which learns nothing from it yet.

        Raises
        ------
        ReaderError
            If an extractor failed, or a process ended twice over the page; a `ReadersClosedError` if all were ended.
        TooSlowError
            If the page took too long.
        ConfigError
            If the parts of a reader cannot be built in another process.
        """
        if _is_of_a_feed(step, fetched.url):  # templates are learned here, from the trees of pages
            return self._watchdog.run(read_page, step, step.analysed(fetched))
        process = min(self._processes, key=lambda one: one.waiting)
        page = _Page(next(self._numbers), fetched, self._setup, follow_images=step.options.follow_images)
        try:
            row = await process.ask(page, "read")
            read = self._watchdog.run(judged_page, step, step.completed(page_of(row), fetched))
            if read.wanted is Wanted.NOTHING:
                return read
            extracted, licence = await process.ask(page, "extract", read.wanted is Wanted.QUICK)
            read = self._watchdog.run(read.with_text, extraction_of(extracted))
            markdown = ""
            if step.options.markdown and read.text is not None:
                markdown = await process.ask(page, "markdown", read.text.text)
            return read.found_elsewhere(TreeFindings(licence, markdown))
        finally:
            process.done(page)

    def close(self) -> None:
        """End the processes, pages that are being read or not. Closing twice is fine."""
        for process in self._processes:
            process.close()


def takes(fetched: Fetched, lease: Lease) -> bool:
    """Tell whether an answer is a page to be read elsewhere: no feed, and no visit, most of which find nothing new."""
    return lease.entry.origin.earlier is None and not is_feed(fetched.body, content_type=fetched.content_type)


def _is_of_a_feed(step: PageStep, url: str) -> bool:
    extractor = step.extractor
    return isinstance(extractor, TemplateExtractor) and extractor.store.has_feed_of(url)


class _Page:
    """An answer on its way through a process."""

    def __init__(self, number: int, fetched: Fetched, setup: dict[str, Any], *, follow_images: bool) -> None:
        self.number = number
        self.setup = setup
        self.content = (fetched.body, fetched.url, fetched.content_type, follow_images)


class _Process:
    """A process, and the thread that talks to it: calls of the event loop do not block."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "focuscrawl-reader")
        self._child = ChildProcess(Path(reader_child.__file__))
        self._setup: dict[str, Any] | None = None  # that the process has
        self._done: list[int] = []  # pages it need not hold any longer
        self._busy: set[int] = set()

    @property
    def waiting(self) -> int:
        """Pages that are being read."""
        return len(self._busy)

    async def ask(self, page: _Page, name: str, *arguments: Any) -> Any:
        self._check_open()  # the readers may have been ended since the last answer
        self._busy.add(page.number)
        answer = await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, page, name, *arguments)
        self._check_open()
        kind, *rest = answer
        if kind == SLOW:
            raise TooSlowError(rest[0])
        if kind == FAULT:
            error, trace = rest
            raise ReaderError(f"could not be processed: {error}", trace)
        return rest[0]

    def _check_open(self) -> None:
        if self._child.closed:
            raise ReadersClosedError("the readers of pages were ended")

    def done(self, page: _Page) -> None:
        if page.number in self._busy:
            self._busy.remove(page.number)
            self._done.append(page.number)

    @property
    def number(self) -> int:
        """Of the process; 0 while none runs."""
        process = self._child.process
        return process.pid if process is not None else 0

    def close(self) -> None:
        if self._child.closed:
            return
        self._child.close()  # ends what the thread waits for
        self._thread.submit(self._end)
        self._thread.shutdown()

    def _answer(self, page: _Page, name: str, *arguments: Any) -> tuple[Any, ...]:
        """Return the answer, of a second process where the first one ends over the page."""
        for _ in range(2):
            try:
                if name == "read":
                    return self._read(page)
                answer = self._exchange(name, page.number, *arguments)
                if answer[0] == UNKNOWN:  # the process is another one by now
                    self._read(page)
                    answer = self._exchange(name, page.number, *arguments)
                return answer
            except _EndedError:
                self._end()
        return FAULT, "its reader ended twice", ""

    def _read(self, page: _Page) -> tuple[Any, ...]:
        done, self._done = self._done, []
        if self._setup is not page.setup:  # as of a process that has just been started
            answer = self._exchange("use", [str(place) for place in sys.path], page.setup)
            if answer[0] != OK:
                raise ConfigError(
                    f"FOCUSCRAWL_EXTRACT_PROCESSES: {answer[2]} Set it to 0 to read pages in one process."
                )
            self._setup = page.setup
        return self._exchange("read", page.number, done, *page.content)

    def _exchange(self, *request: Any) -> tuple[Any, ...]:
        def talk(requests: IO[bytes], answers: IO[bytes]) -> Any:
            send(requests, request)
            return receive(answers)

        try:
            answer = self._child.exchange(talk)
        except (BrokenPipeError, ChildClosedError):
            answer = None
        if answer is None:
            raise _EndedError
        return tuple(answer)

    def _end(self) -> None:
        self._setup = None
        self._child.end()
