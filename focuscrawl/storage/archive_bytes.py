"""Bytes of an archive file, plain or gzipped, read forwards in bounded pieces, with places to go on from."""

from __future__ import annotations

import zlib
from typing import BinaryIO, NamedTuple

from focuscrawl.storage.wacz_parts import Part

_CHUNK = 1 << 16
_GZIP = b"\x1f\x8b\x08"
_GZIP_BITS = 31  # zlib's number for gzip with its header
RECORD = b"WARC/"
"""What a record begins with."""
_VERSIONS = (b"WARC/0.", b"WARC/1.")


class Position(NamedTuple):
    """Place in an archive: where to seek to, and how many bytes to leave out there once decompressed."""

    offset: int = 0
    skip: int = 0


class DamagedArchiveError(Exception):
    """Bytes that cannot be decompressed, or an end in the middle of something.

    Parameters
    ----------
    why
        In words.
    offset
        Where what was compressed for itself begins, 0 for what is not known to.
    """

    def __init__(self, why: str, offset: int = 0) -> None:
        super().__init__(why)
        self.offset = offset


class ArchiveBytes:
    """Decompressed bytes of an open file; see the module's docstring.

    At no time more than some 64 kB are held beyond what a caller asks for, whatever the file expands to.

    Parameters
    ----------
    file
        Open for reading, seekable.
    at
        Where to begin: a `position` of an earlier reading. One before the part means the part's begin.
    part
        The bytes of the file that are read. Places are those of the file, whatever the part.

    Raises
    ------
    DamagedArchiveError
        If the file has no such place.
    """

    def __init__(self, file: BinaryIO, at: Position = Position(), part: Part = Part()) -> None:
        self._file = file
        self._end = part.end
        at = max(at, Position(part.start))
        self.is_gzip = self._read_at(part.start, len(_GZIP)) == _GZIP
        self._start(at.offset)
        if at.skip and len(self._skipped(at.skip)) < 1:
            raise DamagedArchiveError("it is shorter than when it was read before")

    def _start(self, offset: int) -> None:
        self._raw_end = offset  # what was read of the file so far
        self._input = b""  # of that: not decompressed yet
        self._member: zlib._Decompress | None = None
        self._member_at = offset
        self._made = 0  # bytes of the member, decompressed
        self._held = b""
        self._at = 0  # in what is held

    def _skipped(self, count: int) -> bytes:
        last = b""
        while count > 0 and (last := self.read(min(count, _CHUNK))):
            count -= len(last)
        return last

    @property
    def position(self) -> Position:
        """The place of the next byte."""
        left = len(self._held) - self._at
        if not self.is_gzip:
            return Position(self._raw_end - left)
        if self._member is None or (self._member.eof and not left):
            return Position(self._raw_end - len(self._input))
        return Position(self._member_at, max(0, self._made - left))

    def read(self, count: int, *, of_record: bool = False) -> bytes:
        """Return the next bytes, fewer at the end.

        Parameters
        ----------
        of_record
            They belong to one record: a part of the file that was compressed for itself and begins with a record of
            its own is none of them.

        Raises
        ------
        DamagedArchiveError
            If they cannot be decompressed.
        """
        pieces: list[bytes] = []
        while count > 0:
            if self._at == len(self._held):
                member = self._member_at
                if not self._fill():
                    break
                if of_record and self.is_gzip and self._member_at != member and self._held.startswith(RECORD):
                    break
            piece = self._held[self._at : self._at + count]
            self._at += len(piece)
            count -= len(piece)
            pieces.append(piece)
        return b"".join(pieces)

    def readline(self, limit: int) -> bytes:
        """Return the next line with its end, or as much of it as `limit` allows; b'' at the end of the file.

        Raises
        ------
        DamagedArchiveError
            As of `read`.
        """
        line = b""
        while len(line) < limit:
            if self._at == len(self._held) and not self._fill():
                break
            end = self._held.find(b"\n", self._at, self._at + limit - len(line))
            stop = end + 1 if end >= 0 else min(len(self._held), self._at + limit - len(line))
            line += self._held[self._at : stop]
            self._at = stop
            if end >= 0:
                break
        return line

    def skip_blank(self) -> None:
        """Go on to the next byte that is no white space, or to the end of the file.

        Raises
        ------
        DamagedArchiveError
            As of `read`.
        """
        while True:
            self._at = len(self._held) - len(self._held[self._at :].lstrip())
            if self._at < len(self._held) or not self._fill():
                return

    def find_record(self) -> bool:
        """Go on to the next line that a record may begin with; False when there is none."""
        fresh = True  # a line begins here
        while True:
            found = self._held.find(RECORD, self._at)
            while found >= 0:
                begins = fresh if found == self._at else self._held[found - 1 : found] == b"\n"
                if begins and self._held.startswith(_VERSIONS, found):
                    self._at = found
                    return True
                found = self._held.find(RECORD, found + 1)
            # A record may begin at the end of what is held, and with the next line.
            left = self._held[max(self._at, len(self._held) - len(_VERSIONS[0])) :]
            fresh = fresh if len(left) == len(self._held) - self._at else False
            try:
                if not self._fill():
                    return False
            except DamagedArchiveError:
                left, fresh = b"", True
                if not self._next_member():
                    return False
            self._held, self._at = left + self._held, 0

    # --------------------------------------------------------------- private

    def _fill(self) -> bool:
        """Hold the next bytes, all before being used; False at the end of the file."""
        self._held, self._at = b"", 0
        if not self.is_gzip:
            self._held = self._more()
            return bool(self._held)
        while not self._held:
            if self._member is None or self._member.eof:
                self._member_at = self._raw_end - len(self._input)
                self._input = self._input or self._more()
                if not self._input.strip(b"\0"):  # the end, or what pads it
                    if not self._input:
                        return False
                    self._input = b""
                    continue
                self._member, self._made = zlib.decompressobj(_GZIP_BITS), 0
            data = self._input or self._more()
            if not data:
                raise DamagedArchiveError("the file ends in the middle of it", self._member_at)
            try:
                self._held = self._member.decompress(data, _CHUNK)
            except zlib.error as error:
                self._member = None
                raise DamagedArchiveError("it cannot be decompressed", self._member_at) from error
            self._input = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            self._made += len(self._held)
        return True

    def _more(self) -> bytes:
        data = self._read_at(self._raw_end, _CHUNK)
        self._raw_end += len(data)
        return data

    def _read_at(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count if self._end is None else max(0, min(count, self._end - offset)))

    def _next_member(self) -> bool:
        """Look for the next part that decompresses to a record, behind one that does not; False for none."""
        at = self._member_at + 1
        while True:
            data = self._read_at(at, _CHUNK)
            found = data.find(_GZIP)
            while found >= 0:
                if self._begins_record(at + found):
                    self._start(at + found)
                    return True
                found = data.find(_GZIP, found + 1)
            if len(data) < _CHUNK:
                self._start(at + len(data))
                return False
            at += len(data) - len(_GZIP) + 1

    def _begins_record(self, offset: int) -> bool:
        try:
            return zlib.decompressobj(_GZIP_BITS).decompress(self._read_at(offset, 1024), 7) in _VERSIONS
        except zlib.error:
            return False
