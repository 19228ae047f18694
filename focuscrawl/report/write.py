"""Writes the report of a run to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.atomic_file import output_file
from focuscrawl.errors import StoreError, os_reason
from focuscrawl.report.host_map import read_host_map
from focuscrawl.report.page import report_html
from focuscrawl.report.read import read_run
from focuscrawl.wording.base import Say

if TYPE_CHECKING:
    from focuscrawl.storage.reading import RunReader

_ENGLISH = Say()


def write_report(
    db: RunReader,
    path: Path,
    *,
    compare: Mapping[str, Sequence[bool]] | None = None,
    now: float | None = None,
    say: Say = _ENGLISH,
) -> None:
    """Write the self-contained HTML report of the run in `db` to `path`.

    Parameters
    ----------
    db
        The run's database; opened for reading is enough, and a crawl may be writing to it.
    path
        File to write; an older one is replaced at the end, or stays when the disk is full. A device or a pipe is
        written through.
    compare
        Other crawls to draw beside it: name -> judgement of each page in the order of fetching.
    now
        Unix time the report is made at, for its footer.
    say
        The language of the report.

    Raises
    ------
    StoreError
        If the file cannot be written or the database not read.
    """
    run = read_run(db)
    html = report_html(run, compare=compare, hosts=read_host_map(db, pages=run.pages), now=now, say=say)
    try:
        with output_file(path) as file:
            file.write(html.encode("utf-8", "replace"))
    except OSError as error:
        raise StoreError(f"{path}: the report cannot be written: {os_reason(error)}.") from error
