"""``focuscrawl export --to URL``: results into an index, files into an object store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from focuscrawl.cli import console
from focuscrawl.errors import ConfigError, StoreError
from focuscrawl.storage.page_index import IndexPlace, PageIndex, is_index, parse_index
from focuscrawl.storage.reading import JUDGED_OFF, RunReader
from focuscrawl.storage.remote import upload_new
from focuscrawl.wording import export as wording
from focuscrawl.wording.base import Say


def export_elsewhere(
    references: Sequence[str], to: str, *, format_: str, every: bool, whole: bool, say: Say, as_json: bool
) -> bool:
    """Export to an index, or web archives to a folder; False for a target that is one file.

    Parameters
    ----------
    whole
        All fields are wanted, and nothing beside them.

    Raises
    ------
    ConfigError
        If target and format do not go together.
    StoreError
        If the run cannot be read or the target not be written.
    """
    if is_index(to):
        place = parse_index(to)
        if format_ != "jsonl" or not whole:
            raise ConfigError(
                f"--to {place.shown}: an index takes whole pages; leave out --format, --fields and --card."
            )
        _to_index(references, place, every=every, say=say, as_json=as_json)
        return True
    if format_ == "warc":
        if not to:
            raise ConfigError("--format warc: the archives of a run are files; name with --to URL where to send them.")
        _archives(references, to, say=say, as_json=as_json)
        return True
    return False


def _to_index(references: Sequence[str], place: IndexPlace, *, every: bool, say: Say, as_json: bool) -> None:
    from focuscrawl.storage.open_run import open_pages

    index = PageIndex(place)
    with open_pages(*references) as run, closing(run.reader.pages()) as pages:
        index.open()
        try:
            gone = 0 if every else _take_out(index, run.reader)
            sent = index.put(index.missing(record for record in pages if every or record.is_result))
        finally:
            index.close()
    where = place.shown
    if as_json:
        console.print_json({"to": where, "pages": sent, "taken_out": gone})
        return
    console.print_line(say(wording.SENT_PAGES, n=sent, target=where))
    if gone:
        console.print_line(say(wording.TAKEN_OUT, n=gone))


def _take_out(index: PageIndex, reader: RunReader) -> int:
    """Take pages out of the index that an earlier export has sent as results, and that are none any more."""
    with closing(reader.pages(JUDGED_OFF)) as pages:
        return index.delete(index.outdated(pages))


def _archives(references: Sequence[str], to: str, *, say: Say, as_json: bool) -> None:
    from focuscrawl.storage.open_run import open_pages

    with open_pages(*references) as run:
        files = sorted(file for folder in run.folders for file in folder.archive.glob("*.warc.gz"))
        name = run.name
    if not files:
        raise StoreError(f"{name}: no web archive there; a crawl with FOCUSCRAWL_STORES = jsonl,warc writes one.")
    sent, there = upload_new(files, to)
    if as_json:
        console.print_json({"to": to, "files": sent, "there": there})
    else:
        console.print_line(say(wording.SENT_FILES, n=sent, target=to, there=there))
