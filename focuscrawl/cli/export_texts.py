"""Texts of a run as Markdown or plain text: a file a page in a folder, or all in one file."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from focuscrawl.atomic_file import replacement
from focuscrawl.errors import StoreError, os_reason
from focuscrawl.records import PageRecord
from focuscrawl.report.markup import clean
from focuscrawl.storage.keys import hex_key
from focuscrawl.types import storable

MARKDOWN, TEXT = "markdown", "text"
ENDINGS = {MARKDOWN: ".md", TEXT: ".txt"}
SEPARATOR = "====="
"""What the line that begins a page in one file of plain text begins with; the page's address follows."""
# Nothing a file system, a shell or an archive of another system stumbles over.
_UNFIT = re.compile(r'[\s/\\:*?"<>|%$`\'#&;!{}\[\]()~,.\x00-\x1f]+')
_NAME_BYTES = 90  # of a title; file systems take 255 of a name
_HOST = re.compile(r"[^A-Za-z0-9.\-\u0080-\U0010ffff]")


def file_name(record: PageRecord, ending: str) -> str:
    """Return the path of a page's file below the folder: host, then title and key.

    The title is cut at a character, so that names in Chinese stay readable; the key keeps names apart.
    """
    title = unicodedata.normalize("NFC", storable(clean(record.title)))
    title = _UNFIT.sub("-", title).strip("-")
    while len(title.encode()) > _NAME_BYTES:
        title = title[:-1]
    host = _HOST.sub("_", record.host).lstrip(".") or "host"
    return f"{host}/{title.rstrip('-')}{'-' if title else ''}{hex_key(record.key)[:8]}{ending}"


def page_text(record: PageRecord, format_: str, *, one_file: bool) -> bytes:
    """Return a page as it stands in a file of its own, or among others in one, without what acts on a terminal."""
    if format_ == MARKDOWN:
        return clean(storable(f"{_front_matter(record)}\n{record.markdown}\n" + ("\n" if one_file else ""))).encode()
    text = clean(storable(f"{' '.join(record.title.split())}\n\n{record.text}")).strip()
    if not one_file:
        return f"{text}\n".encode()
    # A line of a page that looks like a border is moved by a blank.
    lines = (f" {line}" if line.startswith(SEPARATOR) else line for line in text.split("\n"))
    return (f"{SEPARATOR} {record.final_url}\n" + "\n".join(lines) + "\n\n").encode()


def write_texts(records: Iterable[PageRecord], format_: str, file: Any) -> int:
    """Write the texts of pages into one open file; return how many there were.

    Raises
    ------
    StoreError
        If the run has no Markdown.
    """
    pages = 0
    for record in records:
        if _has_text(record, format_):
            file.write(page_text(record, format_, one_file=True))
            pages += 1
    return pages


def write_files(records: Iterable[PageRecord], format_: str, folder: Path) -> int:
    """Write a file a page below `folder`, which is new or empty; return how many there were.

    Raises
    ------
    StoreError
        If the folder has files in it or cannot be written, or the run has no Markdown.
    """
    pages = 0
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise StoreError(f"{folder}: expected a new or empty folder for a file a page; name another with --out.")
        for record in records:
            if not _has_text(record, format_):
                continue
            path = folder / file_name(record, ENDINGS[format_])
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacement(path) as file:
                file.write(page_text(record, format_, one_file=False))
            pages += 1
    except OSError as error:
        left = f"; it is not complete, {pages:,} written so far: delete it before you try again" if pages else ""
        raise StoreError(f"{folder}: cannot be written: {os_reason(error)}{left}.") from error
    return pages


def _has_text(record: PageRecord, format_: str) -> bool:
    """Tell whether a page has a text to write.

    Raises
    ------
    StoreError
        If it has one, but not in this format: the run was made without.
    """
    if not record.text:
        return False
    if format_ == MARKDOWN and not record.markdown:
        raise StoreError(
            f"{record.final_url}: this run has no Markdown of it: crawl with -s FOCUSCRAWL_MARKDOWN=1, filter the"
            " archive of the run with that setting, or export plain text with --format text."
        )
    return True


def _front_matter(record: PageRecord) -> str:
    """Return what is known of a page as YAML, which JSON's strings and numbers are."""
    at = datetime.fromtimestamp(record.fetched_at, UTC).isoformat(timespec="seconds")
    facts: dict[str, object] = {"title": clean(record.title), "url": record.final_url, "published": record.published}
    facts |= {"author": record.author and clean(record.author), "language": record.language, "fetched_at": at}
    facts |= {"licence": record.licence, "relevance": round(record.relevance, 4), "keywords": list(record.keywords)}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items() if value]
    return "\n".join(["---", *lines, "---", ""])
