"""Files named with --out that are none: pipes and standard output get what is written, and stay."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, str, str]]
_BYTES = 1 << 20  # that a pipe holds until it is read


class Pipe:
    """A named pipe with a reader."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self._reader, fcntl.F_SETPIPE_SZ, _BYTES)

    def read(self) -> bytes:
        """Return what was written and not read yet."""
        return os.read(self._reader, _BYTES)

    def close(self) -> None:
        """Close the reader; the pipe has to be there still."""
        os.close(self._reader)
        assert stat.S_ISFIFO(self.path.lstat().st_mode)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    made = Pipe(tmp_path / "pipe")
    yield made
    made.close()


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "text", "graphml", "gexf"])
def test_an_export_goes_through_a_pipe(
    finished: Any, command: Command, pipe: Pipe, tmp_path: Path, format_: str
) -> None:
    if format_ == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    file = tmp_path / "file"
    assert command("export", "chess", "--format", format_, "--out", str(file))[0] == 0
    code, out, err = command("export", "chess", "--format", format_, "--out", str(pipe.path))
    assert (code, err) == (0, "")
    assert f"written to {pipe.path}" in out
    assert pipe.read() == file.read_bytes()


def test_a_card_goes_through_a_pipe(finished: Any, command: Command, pipe: Pipe) -> None:
    assert command("export", "chess", "--card", str(pipe.path))[0] == 0
    assert b"chess" in pipe.read()


def test_a_report_goes_through_a_pipe(finished: Any, command: Command, pipe: Pipe) -> None:
    assert command("report", "chess", "--out", str(pipe.path))[0] == 0
    assert pipe.read().rstrip().endswith(b"</html>")


def test_an_archive_needs_a_file_to_seek_in(finished: Any, command: Command, pipe: Pipe) -> None:
    code, _, err = command("export", "chess", "--format", "wacz", "--out", str(pipe.path))
    assert (code, err) == (2, "--format wacz: expected a file to write, as --out chess.wacz.\n")


def test_a_topic_is_not_written_to_a_pipe(command: Command, pipe: Pipe) -> None:
    code, _, err = command("topic", "new", "tea", "--words", "tea", "--force", "--out", str(pipe.path))
    assert code == 1
    assert f"{pipe.path}: is a device or a pipe; a file was expected" in err


def test_standard_output_named_as_a_file_has_nothing_else_in_it(
    finished: Any, command: Command, tmp_path: Path
) -> None:
    link = tmp_path / "stdout"  # as /dev/stdout is one
    link.symlink_to("/proc/self/fd/1")
    assert command("export", "chess", "--out", str(link)) == command("export", "chess")
    code, out, err = command("report", "chess", "--out", str(link))
    assert code == 0
    assert out.rstrip().endswith("</html>")
    assert str(link) in err
    assert link.is_symlink()


def test_a_message_that_quotes_a_file_does_not_act_on_the_terminal(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("warcio", reason="the extra warc is not installed")
    file = tmp_path / "pages.warc"
    file.write_bytes(b"\x1b]0;owned\x07\x1b[31m\xc2\x9b31mno archive\r\n")
    code, _, err = command("filter", "web-crawling", str(file), "--run", str(tmp_path / "run"))
    assert (code, err) == (1, f'{file}: expected a WARC, WET or WACZ file, found "]0;owned[31m31mno archive".\n')
