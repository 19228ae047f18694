"""Files that are replaced as a whole, or stay as they were."""

from __future__ import annotations

import os
from pathlib import Path

from focuscrawl.atomic_file import replacement


def test_a_file_is_there_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    with replacement(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["report.html"]


def test_an_error_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    file = replacement(path)
    file.__enter__().write(b"new")
    assert not file.__exit__(OSError, OSError("no space left"), None)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_links_are_taken_away_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_bytes(b"mine")
    path = tmp_path / "report.html"
    os.symlink(mine, path)
    os.symlink(mine, tmp_path / ".report.html.part")
    with replacement(path) as file:
        file.write(b"new")
    assert mine.read_bytes() == b"mine"
    assert not path.is_symlink()
    assert path.read_bytes() == b"new"
