"""Content codings of archived answers: gzip, deflate, brotli and zstd, one after the other where several are named."""

from __future__ import annotations

import sys
import zlib

import brotli  # type: ignore[import-untyped]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

READS_BROTLI = hasattr(brotli.Decompressor, "process")
"""Whether the module brotli is that of the package brotli; brotlipy, which pywb brings, has one by the same name."""
BROKEN_CODING = (zlib.error, brotli.error, zstd.ZstdError)
"""What `decoded` raises."""

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_GZIP_BITS, _ZLIB_BITS, _RAW_DEFLATE_BITS = 31, 15, -15  # numbers of zlib
_WINDOW = {int(zstd.DecompressionParameter.window_log_max): 23}  # 8 MB, no more on the web (RFC 9659)
_CODINGS = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd"})
_CHUNK = 1 << 16
_MAX_PARTS = 10_000
_MAX_CODINGS = 10  # each may be as long as a page


def decoded(body: bytes, codings: str, limit: int) -> bytes:
    """Return a body with its codings undone; as it is when that was done before, and a header left.

    >>> decoded(zlib.compress(b"A lamp."), "deflate, identity", 100)
    b'A lamp.'

    Parameters
    ----------
    codings
        ``Content-Encoding``, several of them in the order in which they were applied; unknown ones are left out.
    limit
        One byte more is returned of what is longer.

    Raises
    ------
    BROKEN_CODING
        If it is not what its codings say.
    """
    known = [name for part in codings.split(",") if (name := part.strip().lower()) in _CODINGS]
    if len(known) > _MAX_CODINGS:
        raise zlib.error("too many codings")
    for name in reversed(known):
        if len(body) > limit:
            break
        if body:
            body = _undone(body, name, limit + 1)
    return body


def _undone(body: bytes, coding: str, most: int) -> bytes:
    if coding == "zstd":
        return _unzstd(body, most) if body.startswith(_ZSTD) else body
    if coding in ("gzip", "x-gzip"):
        return _inflated(body, _GZIP_BITS, most) if body.startswith(_GZIP) else body
    try:
        if coding == "br":
            if not READS_BROTLI:
                raise zlib.error("brotli cannot be read here")
            return bytes(brotli.Decompressor().process(body, output_buffer_limit=most))
        return _inflated(body, _ZLIB_BITS if _has_zlib_header(body) else _RAW_DEFLATE_BITS, most)
    except (zlib.error, brotli.error):
        if body.lstrip().startswith(b"<"):  # these codings have no mark to tell them by
            return body
        raise


def _inflated(body: bytes, bits: int, most: int) -> bytes:
    """Return what compressed bytes hold, `most` of it; gzip may come in several parts (RFC 1952, 2.2)."""
    pieces: list[bytes] = []
    at = parts = 0
    while not at or (bits == _GZIP_BITS and body.startswith(_GZIP, at)):
        parts += 1
        if parts > _MAX_PARTS:
            raise zlib.error("too many parts")
        part = zlib.decompressobj(bits)
        while not part.eof and at < len(body) and most > 0:
            piece = body[at : at + _CHUNK]
            data = part.decompress(piece, most)
            at += len(piece) - len(part.unused_data) - len(part.unconsumed_tail)
            most -= len(data)
            pieces.append(data)
        if not part.eof:
            break
    return b"".join(pieces)


def _has_zlib_header(body: bytes) -> bool:
    """Tell whether bytes begin as zlib's do (RFC 1950, 2.2); some servers leave its header out."""
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] * 256 + body[1]) % 31 == 0


def _unzstd(body: bytes, most: int) -> bytes:
    """Return what the first frame holds, `most` of it: servers send one (RFC 8878, 3.1)."""
    return zstd.ZstdDecompressor(options=_WINDOW).decompress(body, most)
