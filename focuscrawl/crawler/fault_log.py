"""Log of faults of plug-ins: of each kind the first in full, the others counted and told at the end."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from focuscrawl.errors import PLUGIN_FAULTS, FocusCrawlError

logger = logging.getLogger(__name__)

_MOST_KINDS = 20  # logged in full; of a fault that comes another way each time no end of them


class FaultLog:
    """See the module's docstring; faults are of a kind that are of one class and come by the same lines of code."""

    def __init__(self) -> None:
        self._first: dict[object, str] = {}  # kind -> what was said of its first fault
        self._more: dict[object, int] = {}

    def note(self, said: str, error: BaseException, *, trace: str = "") -> None:
        """Log a fault, or count it.

        Parameters
        ----------
        said
            What failed, and why.
        trace
            Of an error in another process.
        """
        lines = trace.splitlines() if trace else traceback.format_tb(error.__traceback__)
        kind: object = (type(error), frozenset(line for line in lines if line.lstrip().startswith("File ")))
        if kind not in self._first and len(self._first) >= _MOST_KINDS:
            kind = None
        if kind in self._first:
            self._more[kind] = self._more.get(kind, 0) + 1
            return
        self._first[kind] = said
        if trace:
            logger.error("%(said)s\n%(trace)s", {"said": said, "trace": trace})
        else:  # our own errors are sentences
            logger.error("%(said)s", {"said": said}, exc_info=None if isinstance(error, FocusCrawlError) else error)

    @contextmanager
    def passing_over(self, said: str) -> Iterator[None]:
        """Note what a plug-in raises; `said` is what fails then."""
        try:
            yield
        except PLUGIN_FAULTS as error:
            self.note(f"{said}: {error}", error)

    def tell_rest(self) -> None:
        """Log how many faults were counted."""
        for kind, count in self._more.items():
            said = "%(n)d more faults like this one were not logged: %(said)s"
            logger.error(said, {"n": count, "said": self._first[kind]})
        self._more.clear()
