"""Settings of the C library's allocator, so that memory a page needed for a moment goes back to the system.

glibc gives each thread a heap of its own, up to eight for each processor, and whenever a large block is freed it keeps
that much more for itself: a page of 300 kB makes it hold 600 kB for good. A crawl has four threads that take turns and
pages of all sizes, so that a tenth of its memory was free memory nobody used.
"""

from __future__ import annotations

import ctypes
import os
import platform

# From malloc.h: option of mallopt, variable of the environment that sets the same, and what a crawl sets.
_OPTIONS = (
    (-8, "MALLOC_ARENA_MAX", 2),
    (-3, "MALLOC_MMAP_THRESHOLD_", 128 * 1024),  # larger blocks go back by themselves; setting it keeps it from growing
    (-1, "MALLOC_TRIM_THRESHOLD_", 1024 * 1024),  # unused at the end of a heap
)


def give_back_freed_memory() -> None:
    """Set the allocator for the rest of the process, before it starts threads.

    What the environment sets stays as it is, and nothing is done where the C library is not glibc.
    """
    if platform.libc_ver()[0] != "glibc" or "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return
    library = ctypes.CDLL(None)
    for option, variable, value in _OPTIONS:
        if variable not in os.environ:
            library.mallopt(option, value)
