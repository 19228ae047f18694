"""One process is steered without the packages of a fleet."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

WITHOUT_REDIS = "import sys; sys.modules['redis'] = None; from focuscrawl.cli.main import run; run(sys.argv[1:])"


def test_the_state_of_one_process_is_shown_where_redis_is_not_installed(finished: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_REDIS, "fleet", "status", "--on", str(finished.folder.path.absolute())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "chess" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["fleet", "status"],
        ["fleet", "pause"],
        ["fleet", "move", "1", "--to", "redis://127.0.0.1:1/0"],
        ["fleet", "import-dupefilter", "book:dupefilter"],
        ["dashboard"],
    ],
)
def test_a_fleet_without_the_package_is_told_the_extra(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_REDIS, *arguments, "--on", "redis://127.0.0.1:1/0"],
        capture_output=True,
        text=True,
        check=False,
    )
    told = "A crawl in Redis needs the package redis: pip install 'focuscrawl[redis]', or leave"
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(told)
