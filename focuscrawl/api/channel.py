"""Messages between a Python caller and the process of its crawl."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from threading import Thread
from typing import TypedDict

from focuscrawl import errors
from focuscrawl.errors import FocusCrawlError, TopicError

FAILURE_FD = "FOCUSCRAWL_FAILURE_FD"
"""Environment variable with the number of the file that errors are written to."""

_BEGINNING_S = 0.02  # how often a crawl that is to stop before it has begun is looked at

_CLASSES = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, FocusCrawlError)
}


class Request(TypedDict):
    """Request for a crawl, from the caller to the process."""

    arguments: dict[str, str]
    settings: list[str]  # NAME=VALUE
    seed_file: str  # of seeds that are too many for `arguments`; '' without


class _Failure(TypedDict):
    classes: list[str]  # of the error and its bases, the nearest first
    faults: list[str]


def send_failure(error: FocusCrawlError) -> None:
    """Write `error` for the caller that started this process; without one, do nothing."""
    number = os.environ.get(FAILURE_FD, "")
    if not number:
        return
    faults = list(error.faults) if isinstance(error, TopicError) else [str(error)]
    failure = _Failure(classes=[kind.__name__ for kind in type(error).__mro__], faults=faults)
    os.write(int(number), json.dumps(failure).encode())


def received_failure(text: bytes) -> FocusCrawlError:
    """Return the error that `send_failure` wrote; a plug-in's own class comes as the nearest one of this package."""
    failure: _Failure = json.loads(text)
    kind = next(_CLASSES[name] for name in failure["classes"] if name in _CLASSES)
    if issubclass(kind, TopicError):
        return kind(failure["faults"])
    return kind("\n".join(failure["faults"]))


def stop_with_caller(can_stop: Callable[[], bool]) -> None:
    """Stop the crawl in order when the caller that started this process asks for it, or is gone; without one, never.

    Parameters
    ----------
    can_stop
        Tells whether the crawl has begun: one that is to stop before is stopped as soon as it has, and can go on later.
    """
    number = os.environ.get(FAILURE_FD, "")
    if number:
        Thread(target=_stop_with, args=(int(number), can_stop), daemon=True).start()


def _stop_with(number: int, can_stop: Callable[[], bool]) -> None:
    os.read(number, 1)  # the caller sends nothing: this is the end of what it could send
    while not can_stop():
        time.sleep(_BEGINNING_S)
    os.kill(os.getpid(), signal.SIGINT)
