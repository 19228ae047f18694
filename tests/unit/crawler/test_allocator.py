"""Heaps of the C library after a crawl has set its allocator, counted by the library itself."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys

import pytest

from focuscrawl.crawler import allocator

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")

# Eight threads that are alive together take a block each; then the library tells its heaps, and how often it had to
# ask the system for a block of 200 kB, after one of 400 kB was freed.
_HEAPS = """
import ctypes, threading
from pathlib import Path
from focuscrawl.crawler.allocator import give_back_freed_memory
give_back_freed_memory()
library = ctypes.CDLL(None)
library.malloc.restype = library.fopen.restype = ctypes.c_void_p
library.malloc.argtypes = [ctypes.c_size_t]
library.free.argtypes = library.fclose.argtypes = [ctypes.c_void_p]
library.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
together = threading.Barrier(8)
def take():
    together.wait()
    block = library.malloc(1000)
    together.wait()
    library.free(block)
threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library.free(library.malloc(400_000))
block = library.malloc(200_000)
file = library.fopen(b"heaps.xml", b"w")
library.malloc_info(0, file)
library.fclose(file)
told = Path("heaps.xml").read_text()
print(told.count("<heap "), told.partition('type="mmap" count="')[2].partition('"')[0])
"""


def heaps_and_maps(tmp_path: os.PathLike[str], **environment: str) -> tuple[int, int]:
    """Return the number of heaps, and of blocks mapped by themselves, of a process that set its allocator."""
    done = subprocess.run(
        [sys.executable, "-c", _HEAPS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    heaps, maps = map(int, done.stdout.split())
    return heaps, maps


@glibc
def test_threads_share_two_heaps_and_large_blocks_go_back(tmp_path: os.PathLike[str]) -> None:
    heaps, maps = heaps_and_maps(tmp_path)
    assert heaps <= 2
    without = heaps_and_maps(tmp_path, GLIBC_TUNABLES="glibc.malloc.arena_test=8")  # the user's: all is left alone
    assert without[0] > 2
    assert without[1] < maps


@glibc
def test_what_the_environment_sets_stays(tmp_path: os.PathLike[str]) -> None:
    assert heaps_and_maps(tmp_path, MALLOC_ARENA_MAX="4")[0] == 4


def test_another_system_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    monkeypatch.setattr(ctypes, "CDLL", None)  # would fail
    allocator.give_back_freed_memory()
