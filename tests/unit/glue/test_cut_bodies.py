"""Compressed bodies that end before their text does."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO

import brotli
import pytest
from backports import zstd

from focuscrawl.glue.limits import is_cut

TEXTS = (b"", b"a", b"lighthouse lamp " * 4096, b"a" * 131_072, bytes(range(256)) * 999)


def raw_deflate(text: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(text) + packer.flush()


def named_gzip(text: bytes) -> bytes:
    """Compress with the name of a file and, as no library writes them, an extra field and a comment."""
    file = BytesIO()
    with gzip.GzipFile("page.html", "wb", fileobj=file) as member:
        member.write(text)
    body = file.getvalue()
    return body[:3] + bytes([4 + 8 + 16]) + body[4:10] + b"\3\0abc" + b"page.html\0" + b"a comment\0" + body[20:]


CODINGS: dict[str, tuple[bytes, Callable[[bytes], bytes], int]] = {  # with the bytes of the checksum at the end
    "gzip": (b"gzip", gzip.compress, 8),
    "named gzip": (b"X-GZip ", named_gzip, 8),
    "deflate": (b"deflate", zlib.compress, 4),
    "raw deflate": (b"deflate", raw_deflate, 0),
    "br": (b"br", brotli.compress, 0),
    "zstd": (b"zstd", zstd.compress, 0),
}


@pytest.mark.parametrize("name", CODINGS)
def test_whole_bodies_are_told_from_cut_ones(name: str) -> None:
    coding, pack, checksum = CODINGS[name]
    for text in TEXTS:
        body = pack(text)
        if checksum == 8:
            assert gzip.decompress(body) == text
        assert not is_cut(body, coding, len(text))
        whole = len(body) - checksum  # some servers leave the checksum out
        assert not is_cut(body[:whole], coding, len(text))
        if len(text) > 1:
            assert is_cut(body[: whole - 2], coding, len(text) - 1)
            assert is_cut(body[: whole // 2], coding, len(text) // 2)


def test_what_cannot_be_told_counts_as_whole() -> None:
    body = gzip.compress(b"lighthouse")
    assert not is_cut(b"", b"gzip", 0)
    assert not is_cut(body + b"and more", b"gzip", 10)
    assert not is_cut(body[:12], b"gzip, br", 0)
    assert not is_cut(body[:12], b"identity", 12)
