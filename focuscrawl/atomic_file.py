"""Files that are replaced as a whole, or stay as they were."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacement(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of `path` when the block ends without an error.

    The file is written beside `path`, so that a full disk leaves an older one as it was. It is always made anew: a link
    that somebody has put in its place is taken away, never followed.

    Raises
    ------
    OSError
        If it cannot be made or written.
    """
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
