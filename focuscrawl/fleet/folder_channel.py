"""Control channel of a crawl of one process: ``control.jsonl`` in its run folder, one command a line."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from focuscrawl.errors import StoreError, os_reason
from focuscrawl.fleet.channel import ControlChannel, Heartbeat, HeartbeatReport
from focuscrawl.fleet.commands import MAX_COMMANDS, Command, Stop, Unreadable, from_json, to_json

NAME = "control.jsonl"
_SCORED = "done"


def give(folder: Path, command: Command) -> int:
    """Append a command; return its number.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    if len(read(folder)[0]) >= MAX_COMMANDS and not isinstance(command, Stop):
        raise StoreError(
            f"{folder / NAME} is full ({MAX_COMMANDS:,} commands); only `stop` is accepted. End the crawl and delete"
            " old lines."
        )
    _append(folder, to_json(command))
    return len(read(folder)[0])


def mark_scored(folder: Path, number: int) -> None:
    """Note that the change of the topic by command `number` has been carried out, the queue included."""
    _append(folder, json.dumps({_SCORED: number}))


def read(folder: Path) -> tuple[list[Command | Unreadable], int]:
    """Return all commands, and the number of the last change of the topic that was carried out.

    Raises
    ------
    StoreError
        If the file is there and cannot be read.
    """
    try:
        data = (folder / NAME).read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise StoreError(f"{folder / NAME}: cannot be read: {os_reason(error)}.") from error
    return _parse(data.split(b"\n")[:-1])


def _parse(lines: Sequence[bytes]) -> tuple[list[Command | Unreadable], int]:
    commands: list[Command | Unreadable] = []
    scored = 0
    for line in lines:
        mark = _mark(line)
        if mark is None:
            commands.append(from_json(line))
        else:
            scored = mark
    return commands, scored


def _mark(line: bytes) -> int | None:
    """Return the number in a mark, None for a line that is none."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    mark = data.get(_SCORED) if isinstance(data, dict) else None
    return mark if isinstance(mark, int) else None


def _append(folder: Path, line: str) -> None:
    data = line.encode("utf-8", "surrogatepass") + b"\n"
    try:
        handle = os.open(folder / NAME, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            if _ends_within_a_line(handle):
                data = b"\n" + data
            # One write at the end of the file: two commands at once do not mix. Only a full disk takes a part of it,
            # and says why with the next.
            while data:
                data = data[os.write(handle, data) :]
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(f"{folder / NAME}: cannot be written: {os_reason(error)}.") from error


def _ends_within_a_line(handle: int) -> bool:
    """Tell whether the last command was cut off, as by a full disk; the next one must not go on with it."""
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"


class FolderChannel(ControlChannel):
    """`ControlChannel` over the run folder; while nothing is new, a heartbeat costs one look at the file's size."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._size = -1
        self._past = 0
        self._last = Heartbeat()

    async def open(self) -> None:
        """Count the commands that were given to earlier processes of this run."""
        self._past = len(read(self._folder)[0])

    async def close(self) -> None:
        """Do nothing: the file is never kept open."""

    async def heartbeat(self, report: HeartbeatReport) -> Heartbeat:
        """Return new commands; there is nobody to report to."""
        try:
            size = (self._folder / NAME).stat().st_size
        except OSError:
            size = 0
        if size == self._size:
            return Heartbeat(number=report.known, past=self._past, scored=self._last.scored)
        commands, scored = read(self._folder)
        self._size = size
        self._last = Heartbeat(commands[report.known :], len(commands), self._past, scored)
        return self._last

    async def give(self, command: Command) -> int:
        """Append a command."""
        return give(self._folder, command)

    async def mark_scored(self, number: int) -> None:
        """Append the mark."""
        mark_scored(self._folder, number)
