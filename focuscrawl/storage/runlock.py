"""Lock of a run folder, in which one process at a time may crawl."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from focuscrawl.errors import FrontierError, os_reason

LOCK_NAME = "crawl.lock"
_LOOK_S = 0.02  # a process that only asks who holds the lock has it for less


class RunLock:
    """Lock on a file in the run folder, dropped by the kernel when the process ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self) -> int | None:
        """Take the lock; return None, or the id of the process that holds it (0 when it cannot be told).

        Raises
        ------
        OSError
            If the file cannot be made or written.
        """
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            _take(file)
            os.ftruncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        except BlockingIOError:
            holder = os.read(file, 32).strip()
            os.close(file)
            return int(holder) if holder.isdigit() else 0
        except OSError:  # on a full disk, too: the lock would be held as long as this process lives
            os.close(file)
            raise
        self._file = file
        return None

    def release(self) -> None:
        """Give the lock back; the file stays, for deleting it would let two processes hold a lock each."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def lock_folder(folder: Path) -> RunLock:
    """Make a run folder, when there is none, and return its lock, taken.

    Raises
    ------
    FrontierError
        If another process crawls in the folder, or it cannot be written.
    """
    lock = RunLock(folder / LOCK_NAME)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        holder = lock.acquire()
    except OSError as error:
        why = os_reason(error)
        raise FrontierError(
            f"{folder}: the run folder cannot be written: {why}; name another with --run (scrapy: -a run=)."
        ) from error
    if holder is not None:
        who = f"process {holder}" if holder else "another process"
        raise FrontierError(
            f"{folder}: {who} is crawling in this run folder; wait for it, stop it, or name another folder."
        )
    return lock


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a run folder meanwhile; raises as `lock_folder` does."""
    lock = lock_folder(folder)
    try:
        yield
    finally:
        lock.release()


def holder_of(path: Path) -> int | None:
    """Return the id of the process that holds the lock of a file, as it was written there; None where nobody does.

    The number alone tells nothing: it may be another process's by now, and in a container is nearly always the same.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(file, 32).strip()
        return int(holder) if holder.isdigit() else 0
    except OSError:  # a file system without locks, on which no crawl begins
        return None
    else:
        return None
    finally:
        os.close(file)


def _take(file: int) -> None:
    """Lock a file; whoever only looks who holds it has it for some microseconds.

    Raises
    ------
    BlockingIOError
        If another process holds it.
    """
    deadline = time.monotonic() + _LOOK_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            os.sched_yield()
        else:
            return
