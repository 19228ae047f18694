"""Reading of whatever file holds addresses: what it is is told by what is in it, not by its name."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from lxml import etree

from focuscrawl.errors import FocusCrawlError
from focuscrawl.page.decode import decode
from focuscrawl.seeding.bookmarks import chrome_bookmarks, firefox_bookmarks, netscape_bookmarks
from focuscrawl.seeding.candidates import Candidate, each_once
from focuscrawl.seeding.lists import opml, plain_list, sitemap
from focuscrawl.topic.files import display, read_bytes

MAX_BYTES = 64 * 1024 * 1024
"""What a compressed file may come to; a sitemap has at most 50 MB (sitemaps.org)."""
_ADDRESS_XML = re.compile(rb"(?:<\?xml[^>]{0,200}>\s*)?<(?:\w{1,20}:)?(?:opml|urlset|sitemapindex)\b", re.IGNORECASE)
_GZIP = b"\x1f\x8b"
_MOZ_LZ4 = b"mozLz40\0"


class SeedFileError(FocusCrawlError):
    """A file that holds no addresses, or cannot be read."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file held."""

    kind: str  # for people: Netscape bookmarks, Chrome bookmarks, Firefox bookmarks, OPML, sitemap, list
    candidates: list[Candidate]
    left_out: Sequence[tuple[int, str]] = ()  # lines of a list that are no address, with their numbers


def read_candidates(path: Path) -> Imported:
    """Return the candidates of a file: bookmarks (HTML, Chrome's and Firefox's JSON), OPML, sitemap, or a plain list.

    Raises
    ------
    TopicError
        If the file cannot be read.
    SeedFileError
        If it is damaged, too large, or holds no http or https address.
    """
    content = read_bytes(path)
    name = display(path)
    if content.startswith(_MOZ_LZ4):
        raise SeedFileError(
            f"{name}: is a compressed copy of Firefox; export one there: Manage bookmarks, Import and Backup."
        )
    if content.startswith(_GZIP):
        content = _unpacked(content, name)
    found = _recognised(content, name)
    found = replace(found, candidates=each_once(found.candidates))
    if not found.candidates:
        raise SeedFileError(f"{name}: no http or https address in it (read as {found.kind}).")
    return found


def is_address_file(path: Path) -> bool:
    """Tell whether a file is one of addresses by what is in it: bookmarks, OPML, a sitemap, or a list of URLs.

    A web page with links is none, nor is a text that names some: most lines of a list are addresses.
    """
    try:
        content = read_bytes(path)
        start = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
        if b"NETSCAPE-Bookmark" in start or start.startswith(_GZIP) or re.match(_ADDRESS_XML, start):
            return True
        if start.startswith(b"{"):
            return bool(_json(content, display(path)).candidates)
    except FocusCrawlError:
        return False
    lines = [line.strip() for line in start.splitlines()[:-1] or start.splitlines() if line.strip()]
    return bool(lines) and sum(line.startswith((b"http://", b"https://", b"#")) for line in lines) * 2 > len(lines)


def _unpacked(content: bytes, name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as packed:
            unpacked = packed.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SeedFileError(f"{name}: damaged gzip file ({error}).") from error
    if len(unpacked) > MAX_BYTES:
        raise SeedFileError(f"{name}: unpacks to more than {MAX_BYTES >> 20} MB.")
    return unpacked


def _recognised(content: bytes, name: str) -> Imported:
    start = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return _json(content, name)
    if start.startswith(b"<?xml") or re.match(rb"<(?:\w+:)?(?:opml|urlset|sitemapindex)\b", start, re.IGNORECASE):
        return _xml(content, name)
    text = decode(content).text
    if re.match(r"\s*(?:<!doctype|<html|<dl|<meta|<title|<h1|<p\b)", text[:4096], re.IGNORECASE):
        return Imported("Netscape bookmarks", list(netscape_bookmarks(text)))
    return Imported("list", *plain_list(text))


def _json(content: bytes, name: str) -> Imported:
    try:
        data: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SeedFileError(f"{name}: begins as JSON and cannot be read as such ({error}).") from error
    if isinstance(data.get("roots"), dict):
        return Imported("Chrome bookmarks", list(chrome_bookmarks(data)))
    return Imported("Firefox bookmarks", list(firefox_bookmarks(data)))


def _xml(content: bytes, name: str) -> Imported:
    # Entities are not expanded, nothing is loaded: a sitemap is a stranger's file.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise SeedFileError(f"{name}: damaged XML ({error}).") from error
    tag = etree.QName(root).localname.lower() if root is not None and isinstance(root.tag, str) else ""
    if tag == "opml":
        return Imported("OPML", list(opml(root)))
    if tag in ("urlset", "sitemapindex"):
        return Imported("sitemap", list(sitemap(root)))
    raise SeedFileError(f"{name}: XML of another kind (<{tag}>); OPML or a sitemap was expected.")
