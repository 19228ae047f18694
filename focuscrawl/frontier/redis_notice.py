"""What is said of a server that does not answer: once a process, however many of its connections wait for it."""

from __future__ import annotations

import logging

logger = logging.getLogger(__name__)

_told: set[str] = set()  # addresses of servers that somebody waits for, and has said so


class Notice:
    """Notice of one call that waits.

    Parameters
    ----------
    shown
        The server's address as it may be shown.
    """

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._waited = self._is_ours = False

    def wait(self, why: str) -> None:
        """Say once why the call waits, unless another call to the server has said so."""
        if not self._waited and self._shown not in _told:
            _told.add(self._shown)
            self._is_ours = True
            logger.warning("%(why)s Trying again.", {"why": why})
        self._waited = True

    def answered(self) -> None:
        """Say that the server answers again, where this call has said that it did not."""
        if self._is_ours:
            logger.info("%(where)s: answers again", {"where": self._shown})

    def end(self) -> None:
        """Take note that the call waits no more."""
        if self._is_ours:
            _told.discard(self._shown)
