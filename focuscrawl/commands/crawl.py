"""``scrapy crawl`` of the bundled project: Scrapy's, with a clear sentence and an exit code for what goes wrong."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import signals
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES
from twisted.internet.defer import Deferred

from focuscrawl.api.channel import send_failure, stop_with_caller
from focuscrawl.config import unread_variables
from focuscrawl.crawler.failed_start import NotAFailedStart
from focuscrawl.crawler.hang_up import end_in_order_on_hang_up, take_terminations_at_once_as_one
from focuscrawl.crawler.log_file import CleanFormatter
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.glue.compat import engine_can_close
from focuscrawl.glue.early_log import early_log
from focuscrawl.glue.setting_types import check_setting_types, misspelt_settings
from focuscrawl.report.markup import clean
from focuscrawl.topic.faults import did_you_mean
from focuscrawl.wording.base import Say, speaker
from focuscrawl.wording.summary import INTERRUPTED, INTERRUPTED_EARLY, OPENING, READING
from focuscrawl.wording.topic_faults import error_in_words

if TYPE_CHECKING:
    import argparse

    from twisted.python.failure import Failure

    from focuscrawl.crawler.crawl import Crawl

COULD_NOT_BE_DONE = 1
INTERRUPTED_CODE = 130  # as shells tell of Ctrl-C
_CMDLINE = SETTINGS_PRIORITIES["cmdline"]
_DOWNLOADING = ("scrapy.core.downloader.", "scrapy.downloadermiddlewares.httpcompression")


class Command(CrawlCommand):
    """Exit codes: 0 done, 1 could not be done, 2 wrong usage, 130 interrupted before it could end in order."""

    at_end: ClassVar[Callable[[Crawl], None] | None] = None  # called with a crawl that has begun and ended

    _warnings: Sequence[str] = ()  # about settings

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Leave the terminal to the progress line and to trouble, unless a log there or elsewhere is asked for."""
        super().process_options(args, opts)
        assert self.settings is not None
        sys.stderr.write(_first_line(opts.spargs, self.settings.get("FOCUSCRAWL_LANG")))
        try:
            check_setting_types(self.settings)
        except ConfigError as fault:  # before Scrapy's log is set up by them
            self._fail(fault)
            sys.exit(self.exitcode)
        given = [str(name) for name in self.settings]
        self._warnings = [*misspelt_settings(self.settings), *unread_variables(given, os.environ)]
        sys.stderr.writelines(f"WARNING: {sentence}\n" for sentence in self._warnings)
        asked = any((self.settings.getpriority(name) or 0) >= _CMDLINE for name in ("LOG_LEVEL", "LOG_FILE"))
        if asked or not self.settings.getbool("LOG_ENABLED"):
            return
        self.settings.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")
        handler = logging.StreamHandler()
        handler.setLevel(logging.WARNING)
        handler.addFilter(NotAFailedStart())
        handler.addFilter(_is_of_the_crawl)
        handler.setFormatter(CleanFormatter("%(levelname)s: %(message)s"))
        logging.root.addHandler(handler)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl."""
        if len(args) != 1:
            raise UsageError("name one spider: scrapy crawl focused -a topic=…")
        assert self.crawler_process
        assert self.settings is not None
        known = self.crawler_process.spider_loader.list()
        if args[0] not in known:
            hint = did_you_mean(args[0], known)
            raise UsageError(f'no spider is called "{args[0]}"; known: {", ".join(known)}.{hint}')
        crawler = self._create_crawler(args[0])
        for sentence in self._warnings:
            early_log(crawler).note(sentence)
        stop_with_caller(lambda: engine_can_close(crawler))
        end_in_order_on_hang_up()
        crawler.signals.connect(take_terminations_at_once_as_one, signal=signals.engine_started, weak=False)
        crawl: Any = self.crawler_process.crawl(crawler, **opts.spargs)
        failures: list[Failure] = []
        if isinstance(crawl, Deferred):  # with FORCE_CRAWLER_PROCESS
            crawl.addErrback(failures.append)
        self.crawler_process.start()
        if isinstance(crawl, Deferred):
            error, ended = failures[0].value if failures else None, crawl.called
        else:
            ended = crawl.done() and not crawl.cancelled()
            error = crawl.exception() if ended else None
        if isinstance(error, FocusCrawlError):
            self._fail(error)
        elif error is not None:
            raise error
        elif self.crawler_process.bootstrap_failed:
            self.exitcode = COULD_NOT_BE_DONE
        elif ended:
            self._end(crawler)
        else:
            self._interrupted(crawler)

    def _end(self, crawler: Any) -> None:
        from focuscrawl.glue.session import session_of  # most of the package, which the first line does not wait for

        session, at_end = session_of(crawler), type(self).at_end
        if session.ending is None:
            return
        self.exitcode = session.ending.exit_code or self.exitcode
        if at_end is not None:
            at_end(session.crawl)

    def _interrupted(self, crawler: Any) -> None:
        """Say how to go on with a crawl that a signal ended before its end, as the first does while the run opens."""
        from focuscrawl.crawler.summary import resuming_command
        from focuscrawl.glue.progress import go_on_command
        from focuscrawl.glue.session import session_of

        session = session_of(crawler)
        say = _speaker(session.config.lang)
        if session.is_open and not session.broken_off:
            told = say(INTERRUPTED, command=resuming_command(session.crawl, go_on_command(crawler)))
        else:
            told = say(INTERRUPTED_EARLY)
        sys.stderr.write(f"{told}\n")
        self.exitcode = INTERRUPTED_CODE

    def _fail(self, error: FocusCrawlError) -> None:
        assert self.settings is not None
        sys.stderr.write(clean(error_in_words(error, _speaker(self.settings.get("FOCUSCRAWL_LANG")))) + "\n")
        send_failure(error)
        self.exitcode = error.exit_code


def _speaker(language: object) -> Say:
    """Return the texts of a setting's language; one that is none is told of later."""
    return speaker(next((choice for choice in ("en", "zh") if choice == language), "auto"))


def _first_line(arguments: dict[str, str], language: object) -> str:
    """Return what is said before the work that may take seconds."""
    say = _speaker(language)
    if topic := arguments.get("topic"):
        return say(READING, topic=topic) + "\n"
    run = arguments.get("run", "")
    return say(OPENING, run=run) + "\n" if run and os.path.isfile(os.path.join(run, "crawl.db")) else ""


def _is_of_the_crawl(record: logging.LogRecord) -> bool:
    """Tell whether a log record is of the crawl, not a warning that one answer was too long or broke off.

    A site has thousands of those, and each has a row with its reason; `run.log` has them all.
    """
    return record.levelno > logging.WARNING or not record.name.startswith(_DOWNLOADING)
