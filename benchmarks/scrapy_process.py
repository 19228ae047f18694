"""Scrapy in a process of its own, with what the system says it used."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Used(NamedTuple):
    """What a process used, and what it said."""

    code: int  # its exit code
    cpu_s: float  # user + system, all threads
    peak_mb: float  # the largest resident memory
    said: str  # its standard error


def run_scrapy(
    arguments: Sequence[str],
    *,
    folder: Path,
    settings: Mapping[str, str],
    environment: Mapping[str, str],
    python: Path | str = sys.executable,
) -> Used:
    """Run ``scrapy`` to its end, without the proxies of this machine but for those in `environment`."""
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    # Scrapy's own modules are compiled since it was installed; those of a checkout are by the first crawl.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        [python, "-m", "scrapy", *arguments, *options],
        cwd=folder,
        env=kept | {"PYTHONHASHSEED": "0"} | dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Used(process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said)
