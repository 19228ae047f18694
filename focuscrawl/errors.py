"""One exception tree: catch `FocusCrawlError` to catch all of it."""

from __future__ import annotations

from collections.abc import Sequence


class FocusCrawlError(Exception):
    """Base of every error this package raises on purpose; its text is meant for people."""

    is_logged = False  # whether the log has its text
    exit_code = 1  # of a command it ends: could not be done


class ConfigError(FocusCrawlError):
    """A setting or an argument is wrong."""

    exit_code = 2  # wrong usage


class InputError(ConfigError):
    """Settings and arguments are in order; what a file holds or what is installed does not suit them."""

    exit_code = 1


class TopicError(FocusCrawlError):
    """A topic file is wrong; `faults` holds one sentence for each fault."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)  # what an error is made of again, in another process

    def __str__(self) -> str:
        return "\n".join(self.faults)


class FrontierError(FocusCrawlError):
    """The frontier cannot be opened, read or written."""


class ServerAwayError(FrontierError):
    """A Redis server does not answer, or is full: it may be back in a moment."""


class CrawlGoneError(FrontierError):
    """A Redis server answers, and does not have the crawl (any more)."""


class StoreError(FocusCrawlError):
    """Results cannot be read or written."""


class NoRunError(StoreError):
    """There is no such run, or not yet."""


class NotBegunError(NoRunError):
    """A run folder is empty: its crawl was stopped before it began."""


class PluginError(FocusCrawlError):
    """A plug-in is unknown, offered twice, or cannot be built."""

    exit_code = 2


class PluginFaultError(PluginError):
    """A plug-in raised, or gave an answer that cannot be stored."""

    exit_code = 1


PLUGIN_FAULTS = (Exception, SystemExit)
"""What a plug-in may raise: ``sys.exit()`` in one is a fault as any other, and must not leave a crawl half ended."""


class MissingPackageError(PluginError):
    """A plug-in needs a package that is not installed."""

    exit_code = 1


def os_reason(error: OSError) -> str:
    """Return why the system refused something, as the end of a sentence.

    >>> os_reason(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    return (error.strerror or str(error)).lower()
