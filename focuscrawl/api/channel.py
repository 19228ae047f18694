"""Messages between a Python caller and the process of its crawl."""

from __future__ import annotations

import json
import os
from typing import TypedDict

from focuscrawl import errors
from focuscrawl.errors import FocusCrawlError, TopicError

FAILURE_FD = "FOCUSCRAWL_FAILURE_FD"
"""Environment variable with the number of the file that errors are written to."""

_CLASSES = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, FocusCrawlError)
}


class Request(TypedDict):
    """Request for a crawl, from the caller to the process."""

    arguments: dict[str, str]
    settings: list[str]  # NAME=VALUE


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
