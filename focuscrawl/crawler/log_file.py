"""File handler of ``run.log``: a log that cannot be written costs its lines, and one sentence, not the crawl."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress

from focuscrawl.errors import os_reason
from focuscrawl.report.markup import clean


class CleanFormatter(logging.Formatter):
    """Python's own, without characters that act on a terminal: strangers chose what a line quotes."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return clean(super().format(record))


class LogFile(logging.FileHandler):
    """See the module's docstring. Python's own handler prints a traceback for each line, and fails at its end."""

    _told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        try:
            super().emit(record)
        except OSError:  # the file is opened with the first line
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Name the fault on standard error, once."""
        error = sys.exception()
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._told:
            self._told = True
            with suppress(OSError, ValueError):
                sys.stderr.write(f"{self.baseFilename}: cannot be written: {os_reason(error)}; the log has gaps.\n")

    def close(self) -> None:
        """Close the file; what it does not take is lost."""
        with suppress(OSError):
            super().close()
