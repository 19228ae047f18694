"""Where the WARC files within a WACZ lie: a zip that stores them as they are, so that they are read in place.

Nothing is unpacked. A place in one of them is a place in the WACZ, and no byte of it is read for two of them.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, NamedTuple
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

ZIP = b"PK\x03\x04"
"""What a zip file begins with."""
_FOLDER = "archive/"
_ENDS = (".warc", ".warc.gz", ".wet", ".wet.gz")
_ENCRYPTED = 1  # bit of a member's flags
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic, lengths of name and extra field; the member's bytes follow these
_MOST_DIRECTORY_BYTES = 16 * 1024 * 1024  # some 100,000 members; a WACZ of Browsertrix has a dozen


class Part(NamedTuple):
    """Bytes of a file from `start` up to `end`, which is not in it; up to the file's end when it is None."""

    start: int = 0
    end: int | None = None


class NoWaczError(Exception):
    """A zip file whose WARC files cannot be read in place; the text says what it is and what to do."""


class _Bounded:
    """An open file that gives a zip directory of a bounded length."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self._file = file

    def read(self, count: int = -1) -> bytes:
        if count > _MOST_DIRECTORY_BYTES:
            raise BadZipFile(f"its directory is longer than {_MOST_DIRECTORY_BYTES >> 20} MB")
        return self._file.read(count)


def wacz_parts(file: BinaryIO) -> list[Part]:
    """Return where the WARC files of a WACZ lie in it, in their order in the file.

    Parameters
    ----------
    file
        The WACZ, open for reading, seekable.

    Raises
    ------
    NoWaczError
        If it is a zip file without any, or with one that cannot be read in place.
    """
    try:
        with ZipFile(_Bounded(file)) as packed:
            members = [member for member in packed.infolist() if _is_archive(member.filename)]
    except (BadZipFile, NotImplementedError, UnicodeDecodeError, ValueError) as error:
        raise NoWaczError("a damaged zip file; fetch or copy it again") from error
    if not members:
        raise NoWaczError(f"a zip file without {_FOLDER}….warc.gz; a WACZ has such files")
    parts: list[Part] = []
    for member in sorted(members, key=lambda member: member.header_offset):
        if member.compress_type != ZIP_STORED or member.flag_bits & _ENCRYPTED:
            raise NoWaczError(
                f"a WACZ whose {member.filename} is compressed or encrypted by the zip itself; unpack it, and give the"
                " folder it was unpacked into"
            )
        parts.append(_part(file, member, behind=parts[-1].end or 0 if parts else 0))
    return parts


def _part(file: BinaryIO, member: ZipInfo, *, behind: int) -> Part:
    header = b""
    if member.header_offset >= behind:  # a damaged directory may have one before the file
        file.seek(member.header_offset)
        header = file.read(_LOCAL_HEADER.size)
    magic, name, extra = _LOCAL_HEADER.unpack(header) if len(header) == _LOCAL_HEADER.size else (b"", 0, 0)
    if magic != ZIP:
        raise NoWaczError("a damaged zip file; fetch or copy it again")
    start = member.header_offset + _LOCAL_HEADER.size + name + extra
    return Part(start, start + member.compress_size)


def _is_archive(name: str) -> bool:
    return name.startswith(_FOLDER) and name.lower().endswith(_ENDS)
