"""Files that are replaced as a whole, or stay as they were."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from focuscrawl.atomic_file import is_standard_output, is_stream, output_file, replacement


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


def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    os.mkfifo(path)
    with pytest.raises(OSError, match="is a device or a pipe; a file was expected"), replacement(path):
        pass
    assert stat.S_ISFIFO(path.lstat().st_mode)
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_pipe_named_for_output_gets_what_is_written(tmp_path: Path) -> None:
    path, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(path)
    link.symlink_to(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        for named in (path, link):
            assert is_stream(named)
            with output_file(named) as file:
                file.write(b"new")
            assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.lstat().st_mode)
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


def test_a_socket_named_for_output_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the address of a socket has little room
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("here")
        with pytest.raises(OSError, match="No such device or address"), output_file(Path("here")):
            pass
        assert stat.S_ISSOCK(os.lstat("here").st_mode)


def test_a_file_named_for_output_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")
    assert not is_stream(path)
    with output_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_standard_output_is_written_through_where_it_is_led_to_a_file(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    link = tmp_path / "stdout"  # as /dev/stdout is one
    link.symlink_to("/proc/self/fd/1")
    assert is_standard_output(link)
    assert is_stream(link)
    with output_file(link) as file:
        file.write(b"new")
    assert capfdbinary.readouterr().out == b"new"
    assert link.is_symlink()
