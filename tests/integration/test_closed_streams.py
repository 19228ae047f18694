"""Commands whose standard streams were closed by whoever started them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from crawl_kit import clean_environment, topic_file
from site_kit import Site

CLOSED = "Standard output is closed, so nothing can be written there; lead it to a file, or to /dev/null.\n"
_WITHOUT = "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"


def without(stream: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a standard stream closed."""
    command = [sys.executable, "-c", _WITHOUT, str(stream), "-m", "focuscrawl", *arguments]
    return subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("arguments", [("topic", "list"), ("topic", "show", "tea", "--json"), ("--help",)])
def test_output_that_nobody_can_read_is_told(arguments: tuple[str, ...]) -> None:
    done = without(1, *arguments)
    assert (done.returncode, done.stderr) == (1, CLOSED)


@pytest.mark.parametrize("arguments", [("topic", "list"), ("topic", "list", "--json")])
def test_output_that_does_not_fit_is_named(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "focuscrawl", *arguments]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, env=clean_environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (1, "Standard output cannot be written: no space left on device.\n")


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_crawl_needs_none_of_them(site: Site, tmp_path: Path, stream: int) -> None:
    topic, run = topic_file(tmp_path, site.url("/page/0")), tmp_path / "run"
    settings = ("-s", "FOCUSCRAWL_ALLOW_PRIVATE=127.0.0.1", "-s", "DOWNLOAD_DELAY=0")
    done = without(stream, "crawl", str(topic), "--pages", "3", "--run", str(run), *settings)
    assert done.returncode == 0
    assert len((run / "crawl.db").read_bytes()) > 0
    assert ("Fetched    3 pages" in done.stderr) is (stream != 2)
    assert "Traceback" not in done.stderr
