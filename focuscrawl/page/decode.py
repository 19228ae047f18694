"""Bytes of a page to text: byte order mark, what the bytes themselves show, what is declared, then detection.

Structure comes before the declaration: text of another encoding has that of UTF-8, UTF-16 or the old Chinese families
once in a blue moon, while wrong declarations are common.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import charset_normalizer
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, resolve_encoding

from focuscrawl.page.charset import chinese_variant, is_damaged_utf8, is_windows_1252, utf16_variant

# More than one replacement character in a hundred: the declaration was wrong.
_MAX_DAMAGE = 0.01
# Nearly all non-ASCII characters damaged: wrong too, however much markup dilutes them.
_MAX_NON_ASCII_DAMAGE = 0.5
# Detection costs about 1 ms a kilobyte, and more text hardly changes the answer.
_DETECT_BYTES = 3000
# Markup is looked through up to here for text to detect the encoding by.
_DETECT_WINDOW_BYTES = 200_000

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# UTF-16 has a NUL in its first tag; binary data and broken text are not looked through for one.
_NUL_BYTES = 400
_SINGLE_BYTE = frozenset({"cp1252", "iso8859-1", "latin-1", "ascii"})
_TEXT_RUN = re.compile(rb"[^<>\x00-\x1f]++")
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "cp936": "gb18030", "hz": "hz", "big5": "big5hkscs"}
_LABELS = {"x-gbk": "gb18030", "windows-936": "gb18030", "ms936": "gb18030", "gb_2312-80": "gb18030"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a page, and how it was got."""

    text: str  # without NUL characters
    encoding: str  # name of the Python codec
    damaged: bool  # some bytes had no meaning and became U+FFFD


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Return the text of `body`; never raises.

    Order: byte order mark, UTF-16 and UTF-8 by their structure, the old Chinese families by their frequent characters,
    the charset of `content_type`, that of a ``<meta>``, windows-1252 where the bytes outside ASCII are few and
    scattered, detection on a sample.
    ``gb2312`` and ``gbk`` mean GB18030, ``big5`` means Big5-HKSCS. A charset that leaves more than 1 % U+FFFD is
    taken for wrong; if all are, UTF-8 stands, with U+FFFD for what is no UTF-8.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return _result(body[len(bom) :].decode(encoding, "replace"), encoding)
    if b"\0" in body[:_NUL_BYTES] and (wide := utf16_variant(body)):
        return _result(body.decode(wide, "replace"), wide)
    if body.isascii():
        return _decode_ascii(body, content_type)
    try:
        return _result(body.decode("utf-8"), "utf-8", damaged=False)
    except UnicodeDecodeError:
        utf8 = _result(body.decode("utf-8", "replace"), "utf-8")
    if is_damaged_utf8(utf8.text):
        return utf8
    best: Decoded | None = None
    chinese = chinese_variant(body)
    if chinese is not None:
        found = _decode_as(body, chinese)
        if found is not None and not _is_wrong(found):
            return found
        best = found
    for encoding in _declared(body, content_type):
        found = _decode_as(body, encoding)
        if found is None:
            continue
        if not _is_wrong(found):
            return found
        best = best or found
    detected = _detect(body)
    if detected is not None:
        guess = _result(body.decode(detected, "replace"), detected)
        if not _is_wrong(guess):
            return guess
    if best is None or not _is_wrong(utf8):
        return utf8
    return min((best, utf8), key=lambda d: d.text.count("\ufffd"))


def as_utf8(body: bytes) -> bytes:
    r"""Return text with a byte order mark as UTF-8 without one; any other as it is.

    >>> as_utf8("Disallow: /x".encode("utf-16"))
    b'Disallow: /x'
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            rest = body[len(bom) :]
            return rest if encoding == "utf-8" else rest.decode(encoding, "replace").encode()
    return body


def codec_of(label: str | None) -> str | None:
    """Return the Python codec for a charset label as pages write it, None for an unknown one."""
    if not label:
        return None
    label = label.strip().strip("\"'").lower()
    name = _LABELS.get(label) or resolve_encoding(label)
    if not name:
        return None
    try:
        info = codecs.lookup(name)
        b"a".decode(info.name)  # refuses base64 and its like, which are no text encodings
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(info.name, info.name)


def _decode_ascii(body: bytes, content_type: str | None) -> Decoded:
    if b"\x1b" in body or b"~{" in body:  # Japanese and Chinese encodings that use seven bits
        for encoding in _declared(body, content_type):
            if encoding.startswith("iso2022") or encoding == "hz":
                return _result(body.decode(encoding, "replace"), encoding)
    return _result(body.decode("ascii"), "utf-8", damaged=False)


def _declared(body: bytes, content_type: str | None) -> list[str]:
    header = codec_of(http_content_type_encoding(content_type)) if content_type else None
    meta = codec_of(html_body_declared_encoding(body[:4096]))
    # "charset=iso-8859-1" in the header is a server's default far more often than somebody's choice.
    names = [meta, header] if header in _SINGLE_BYTE else [header, meta]
    return [name for name in dict.fromkeys(names) if name and not name.startswith(("utf-16", "utf-32"))]


def _decode_as(body: bytes, encoding: str) -> Decoded | None:
    try:
        found = _result(body.decode(encoding, "replace"), encoding)
    except (LookupError, ValueError):
        return None
    if encoding == "big5hkscs" and found.damaged:
        # Characters of Microsoft's extension of Big5 (the ETEN ones among them) are not all in HKSCS.
        other = _result(body.decode("cp950", "replace"), "cp950")
        if other.text.count("\ufffd") < found.text.count("\ufffd"):
            return other
    return found


def _detect(body: bytes) -> str | None:
    if is_windows_1252(body):
        return "cp1252"
    sample = bytearray()
    for match in _TEXT_RUN.finditer(body, 0, _DETECT_WINDOW_BYTES):
        if match[0].isascii():
            continue
        sample += match[0] + b"\n"
        if len(sample) >= _DETECT_BYTES:
            break
    best = charset_normalizer.from_bytes(bytes(sample[:_DETECT_BYTES]), enable_fallback=False).best()
    return codec_of(best.encoding) if best is not None else None


def _is_wrong(found: Decoded) -> bool:
    if not found.damaged:
        return False
    text = found.text
    lost = text.count("\ufffd")
    if lost > _MAX_DAMAGE * len(text):
        return True
    non_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return lost > 3 and lost > _MAX_NON_ASCII_DAMAGE * non_ascii


def _result(text: str, encoding: str, *, damaged: bool | None = None) -> Decoded:
    if "\0" in text:
        text = text.replace("\0", "")
    return Decoded(text, encoding, "\ufffd" in text if damaged is None else damaged)
