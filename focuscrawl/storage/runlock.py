"""One process a run folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


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
            If the file cannot be made.
        """
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 32).strip()
            os.close(file)
            return int(holder) if holder.isdigit() else 0
        except OSError:
            os.close(file)
            raise
        os.ftruncate(file, 0)
        os.write(file, b"%d\n" % os.getpid())
        self._file = file
        return None

    def release(self) -> None:
        """Give the lock back; the file stays, for deleting it would let two processes hold a lock each."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
