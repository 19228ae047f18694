"""``focuscrawl extract --pages``: many pages, an object a line in and out."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.cli import console
from focuscrawl.cli.extract import DEFAULT_METHOD, extract_body, file_url, page_extractor, page_tokenizer, read_page
from focuscrawl.cli.extract_feed import FeedMethod, learn_from_list, read_feed
from focuscrawl.errors import FocusCrawlError, StoreError, os_reason
from focuscrawl.types import plain_json

if TYPE_CHECKING:
    from focuscrawl.page.site import SiteMemory

_WEB = re.compile(r"https?://", re.IGNORECASE)
_CHUNK = 8  # pages a process takes at a time: little to wait for at the end, little traffic before


def extract_pages(
    pages: Path,
    *,
    method: str | None,
    jobs: int,
    out: Path | None,
    model: Path | None = None,
    feed: Path | None = None,
) -> None:
    """Extract each page of a list, in its order; a page that cannot be read gives a line with ``error``.

    What three pages of a host have shown to be the host's is left out of the following ones; a page is of the host
    its ``url`` names.

    Parameters
    ----------
    pages
        An object a line: ``file``, and optionally ``id`` and ``url``. A relative file is looked for beside the list,
        then in the working directory. ``-`` reads standard input.
    method
        Extraction method.
    model
        File with the numbers the method goes by, if it takes one.
    jobs
        Processes.
    out
        File to write, standard output when None.
    feed
        RSS or Atom file; a template is learned from the pages of its entries first, and tried on every page before
        `method`.

    Raises
    ------
    StoreError
        If the list or the model cannot be read or the result not written.
    PluginError
        If there is no such method, or it takes no model.
    """
    from focuscrawl import plugins
    from focuscrawl.page.site import SiteMemory

    plugins.load("extractors", method or DEFAULT_METHOD)  # a wrong name is said once, not on every line
    if model is not None:
        page_extractor(method or DEFAULT_METHOD, model)  # a wrong model, too
    base = Path() if str(pages) == "-" else pages.parent
    parsed = read_feed(feed) if feed is not None else None
    done = failed = 0
    with ExitStack() as stack:
        try:
            lines: Iterable[tuple[int, bytes]] = _numbered(
                sys.stdin.buffer if str(pages) == "-" else stack.enter_context(pages.open("rb"))
            )
        except OSError as error:
            raise StoreError(f"{pages}: cannot be read: {os_reason(error)}.") from error
        template: FeedMethod | None = None
        if parsed is not None:
            lines = list(lines)  # read twice: to learn, and to extract
            template, why = learn_from_list(parsed, [line for _, line in lines], resolve=partial(_resolved, base=base))
            if template is None:
                console.warn(f"{feed}: no template could be learned: {why}; every page is left to the extractor.")
        work = partial(extract_line, base=base, method=method, model=model, feed=template)
        results: Iterable[tuple[bool, dict[str, object]]]
        if jobs > 1:
            # spawn: a fork of a process whose libraries have threads may hang
            from multiprocessing import get_context

            pool = stack.enter_context(get_context("spawn").Pool(jobs))
            results = pool.imap(work, lines, chunksize=_CHUNK)
        else:
            results = map(work, lines)
        try:
            write = stack.enter_context(out.open("wb")).write if out is not None else console.write_bytes
            sites = SiteMemory(page_tokenizer())
            for good, fields in results:
                if good:
                    _leave_out(fields, sites)
                write(plain_json(json.dumps(fields, ensure_ascii=False)).encode("utf-8", "replace") + b"\n")
                done += 1
                failed += not good
        except OSError as error:
            raise StoreError(f"{out}: cannot be written: {os_reason(error)}.") from error
    if failed:
        console.warn(f'{failed} of {done} pages could not be extracted; their lines say why under "error".')


def extract_line(
    numbered: tuple[int, bytes],
    *,
    base: Path,
    method: str | None,
    model: Path | None = None,
    feed: FeedMethod | None = None,
) -> tuple[bool, dict[str, object]]:
    """Return whether a line of the list could be done, and what to write of it; never raises for a page."""
    number, line = numbered
    fields: dict[str, object] = {"id": number}
    try:
        task = json.loads(line)
        if isinstance(task, dict):
            fields["id"] = task.get("id", number)
        if not isinstance(task, dict) or not isinstance(task.get("file"), str):
            raise StoreError(f'line {number}: an object with "file" is expected, and optionally "id" and "url"')
        path = _resolved(task["file"], base)
        url = task.get("url")
        address = url if isinstance(url, str) and url else file_url(path)
        extract = feed.extract if feed is not None else extract_body
        result = extract(read_page(path), address, method=method, model=model)
        fields |= result.fields()
        good = True
    except ValueError as error:
        fields |= _nothing(f"line {number}: not JSON: {error}")
        good = False
    except FocusCrawlError as error:
        fields |= _nothing(str(error))
        good = False
    except MemoryError:
        raise
    except Exception as error:
        fields |= _nothing(f"{type(error).__name__}: {error}")
        good = False
    return good, fields


def _leave_out(fields: dict[str, object], sites: SiteMemory) -> None:
    """Leave out of title and text what earlier pages of the host repeat, as a crawl does."""
    from focuscrawl.page.urls import host_of

    url, title, text = fields["url"], fields["title"], fields["text"]
    if isinstance(url, str) and isinstance(title, str) and isinstance(text, str) and _WEB.match(url):
        fields["title"], fields["text"] = sites.own_result(host_of(url), title, text)


def _nothing(error: str) -> dict[str, object]:
    return {"title": "", "text": "", "method": "", "error": error}


def _resolved(file: str, base: Path) -> Path:
    path = Path(file)
    return path if path.is_absolute() or not (base / path).exists() else base / path


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line
