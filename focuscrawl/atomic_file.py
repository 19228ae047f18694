"""Files that are replaced as a whole, or stay as they were, and devices and pipes, which are written through."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_OUTPUTS = (1, 2)  # descriptors of standard output and standard error


@contextmanager
def replacement(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of `path` when the block ends without an error.

    The file is written beside `path`, so that a full disk leaves an older one as it was. It is always made anew: a link
    that somebody has put in its place is taken away, never followed. A device or a pipe is no older file: one in the
    place of ``/dev/null`` would spoil the machine.

    Raises
    ------
    OSError
        If it cannot be made or written, or a device, a pipe or a socket is in its place.
    """
    if _is_device(path):
        raise OSError(errno.EEXIST, "is a device or a pipe; a file was expected", str(path))
    partial = path.with_name(f".{path.name}.part")
    with suppress(FileNotFoundError):
        partial.unlink()
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with open(handle, "wb") as file:
            yield file
        partial.replace(path)
    except BaseException:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


@contextmanager
def output_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write what somebody wants at `path`: a `replacement`, or the device or pipe that is there.

    A device or a pipe gets what is written as it comes, and so do ``/dev/stdout`` and ``/dev/stderr``, wherever they
    lead.

    Raises
    ------
    OSError
        If it cannot be made, opened or written.
    """
    standard = _standard_output(path)
    if standard is None and not _leads_to_device(path):
        with replacement(path) as file:
            yield file
        return
    flags = os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY  # without O_CREAT: there is something
    with open(os.dup(standard) if standard is not None else os.open(path, flags), "wb") as through:
        yield through


def is_standard_output(path: Path) -> bool:
    """Return whether `path` names the standard output of this process, as ``/dev/stdout`` does."""
    return _standard_output(path) == _OUTPUTS[0]


def is_stream(path: Path) -> bool:
    """Return whether `path` names or leads to something that has no content to replace: a device, a pipe, a socket."""
    return _standard_output(path) is not None or _leads_to_device(path)


def _is_device(path: Path) -> bool:
    with suppress(OSError, ValueError):
        return _is_special(path.lstat())
    return False


def _leads_to_device(path: Path) -> bool:
    with suppress(OSError, ValueError):
        return _is_special(path.stat())
    return False


def _is_special(status: os.stat_result) -> bool:
    return not any(is_kind(status.st_mode) for is_kind in (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK))


def _standard_output(path: Path) -> int | None:
    """Return which descriptor a link or a device is another name of; a file that one is led to has its own name."""
    with suppress(OSError, ValueError):
        if not path.is_symlink() and not _is_device(path):
            return None
        named = path.stat()
        for descriptor in _OUTPUTS:
            with suppress(OSError):  # a closed one
                if os.path.samestat(named, os.fstat(descriptor)):
                    return descriptor
    return None
