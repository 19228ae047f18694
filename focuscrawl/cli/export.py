"""``focuscrawl export``: the results of a run as JSON lines, CSV or Parquet, or its link graph as GraphML or GEXF."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from focuscrawl.atomic_file import output_file
from focuscrawl.cli import console
from focuscrawl.cli.export_texts import MARKDOWN, TEXT, write_files, write_texts
from focuscrawl.errors import ConfigError, StoreError, os_reason
from focuscrawl.records import PageRecord
from focuscrawl.report.markup import clean
from focuscrawl.storage.columns import TableColumn
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.jsonl import json_line, page_line
from focuscrawl.storage.page_rows import PAGES, RecordTable
from focuscrawl.storage.typed_rows import typed_fields, typed_row
from focuscrawl.topic.faults import did_you_mean
from focuscrawl.types import plain_json
from focuscrawl.wording import export as wording
from focuscrawl.wording.base import Say

# A cell that begins like this is a formula to a spreadsheet program, and the cells come from pages nobody vouches for.
# Tab and return are skipped by some programs before they look.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Excel cuts a cell at 32,767 characters and spills the rest into rows; a cell of ours stays whole or says it was cut.
_EXCEL_CELL = 32_767
_CUT = " […]"
# What people read in a table: the page, and why it is there. The other columns are for programs.
_CSV_FIELDS = "url,title,published,author,category,language,host,relevance,fetched_at,text"
_BOM = "\ufeff".encode()


def export_run(
    references: Sequence[str],
    *,
    format_: str,
    out: Path | None,
    every: bool,
    excel: bool,
    fields: str = "",
    files: bool = False,
    card: Path | None = None,
    to: str = "",
    say: Say,
    as_json: bool,
) -> None:
    """Write the pages of a run to `out` or standard output; with `out` say how many there were.

    Parameters
    ----------
    references
        The run, or those of several workers, as `open_pages` takes them.
    format_
        ``jsonl`` (as pages.jsonl), ``csv``, ``parquet``, ``markdown``, ``text`` or ``opml`` (feeds only).
    every
        All fetched pages; otherwise the results: relevant, no duplicates, allowed to be stored.
    excel
        CSV that Excel reads right: a byte-order mark, and no cell longer than Excel's.
    fields
        Names of fields by commas, or ``all``; '' for those of the format: of CSV the ten that people read.
    files
        Of texts: a file a page in the folder `out`, not one file with all.
    card
        File for a dataset card of what is written.
    to
        URL of a file elsewhere, in the place of `out`.
    say
        Language of what is said of it.

    Raises
    ------
    ConfigError
        If there is no such field, or what the format needs is not installed.
    StoreError
        If the run cannot be read or the file not written.
    """
    from focuscrawl.storage.open_run import open_pages

    columns = chosen_columns(fields or (_CSV_FIELDS if format_ == "csv" else "all"))
    # The rows are closed before the database they come from, however the writing ends.
    with open_pages(*references) as run, closing(run.reader.pages()) as pages_of_run:
        from focuscrawl.cli.export_card import Tally, card_of

        tally = Tally()
        records = tally.counted(record for record in pages_of_run if every or record.is_result)
        if files and out is not None:
            pages = write_files(records, format_, out)
        else:
            with _opened(out, to) as file:
                pages = _write(records, columns, format_, file, excel=excel, whole=not fields)
        if card is not None:
            with _opened(card) as file:
                file.write(card_of(tally, run.reader, out=out, format_=format_).encode("utf-8", "replace"))
    if target := to or out:
        told = {"file": str(target), "format": format_, "pages": pages}
        written = wording.FEEDS if format_ == "opml" else wording.PAGES
        _say(told, say(written, n=pages, target=target), as_json)


def export_archive(references: Sequence[str], *, out: Path | None, to: str, say: Say, as_json: bool) -> None:
    """Pack the archive of a run, with an index and its results, into one WACZ file, here or at the URL `to`.

    Raises
    ------
    ConfigError
        If there is no file to write: standard output and pipes cannot be sought in.
    StoreError
        If the run has no archive, or the file cannot be written.
    """
    from focuscrawl.cli.export_wacz import write_wacz
    from focuscrawl.storage.open_run import open_pages
    from focuscrawl.storage.run_settings import RunSettings

    expected = ConfigError("--format wacz: expected a file to write, as --out chess.wacz.")
    if out is None and not to:
        raise expected
    with open_pages(*references) as run, closing(run.reader.pages()) as pages, _opened(out, to) as file:
        if not file.seekable():  # a pipe
            raise expected
        settings = RunSettings.load(run.reader)
        results = (record for record in pages if record.is_result)
        count, absent = write_wacz(run.folders, results, cast(BinaryIO, file), title=settings.title or settings.topic)
    told = {"file": to or str(out), "format": "wacz", "pages": count, "not_archived": absent}
    _say(told, say(wording.PAGES, n=count, target=to or out), as_json)
    if absent:
        console.warn(say(wording.NOT_ARCHIVED, n=absent))


def export_versions(
    references: Sequence[str],
    *,
    format_: str,
    out: Path | None,
    excel: bool,
    fields: str = "",
    to: str = "",
    say: Say,
    as_json: bool,
) -> None:
    """Write what changed pages were before, as far as a recrawl was asked to keep that; the fields are those of pages.

    Parameters
    ----------
    references, out, excel, fields, to, say
        As for `export_run`.
    format_
        ``jsonl``, ``csv`` or ``parquet``.

    Raises
    ------
    ConfigError
        If there is no such field, or what the format needs is not installed.
    StoreError
        If the run keeps no versions, cannot be read, or the file cannot be written.
    """
    from focuscrawl.storage.open_run import open_pages
    from focuscrawl.storage.visits import all_versions

    columns = chosen_columns(fields or (_CSV_FIELDS if format_ == "csv" else "all"))
    with open_pages(*references) as run:
        none_kept = StoreError(
            f"{run.name}: no earlier version of a page is kept; focuscrawl recrawl RUN --versions keeps those of"
            " pages that change from then on."
        )
        if not isinstance(run.reader, CrawlDb):  # only a recrawl of one process keeps any
            raise none_kept
        # As in `export_run`: rows left open when the database closes are an error of their own, told in no good place.
        with closing(all_versions(run.reader)) as versions:
            if (first := next(versions, None)) is None:
                raise none_kept
            rows = (typed_fields(version, columns) for version in chain([first], versions))
            with _opened(out, to) as file:
                count = _write_rows(rows, columns, format_, file, excel=excel)
    if target := to or out:
        told = {"file": str(target), "format": format_, "versions": count}
        _say(told, say(wording.VERSIONS, n=count, target=target), as_json)


def _write_rows(
    rows: Iterable[dict[str, Any]], columns: Sequence[TableColumn], format_: str, file: Any, *, excel: bool
) -> int:
    """Write rows as `typed_row` makes them; return how many there were."""
    if format_ == "parquet":
        from focuscrawl.cli.export_parquet import write_parquet

        return write_parquet(rows, columns, file)
    if format_ == "csv":
        file.write(csv_heading(excel=excel, columns=columns))
    count = 0
    for row in rows:
        if format_ == "csv":
            file.write(_csv_line(cell(row[column.name], excel=excel) for column in columns))
        else:
            file.write(json_line({column.name: row[column.name] for column in columns}))
        count += 1
    return count


def chosen_columns(fields: str) -> tuple[TableColumn, ...]:
    """Return the columns that are named, in that order; all of them for ``all``.

    Raises
    ------
    ConfigError
        If there is no such field.
    """
    known = {column.name: column for column in PAGES.exported}
    names = list(known) if fields.strip() == "all" else [name.strip() for name in fields.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise ConfigError(
                f'--fields: there is no field "{name}"; known: {", ".join(known)}.{did_you_mean(name, list(known))}'
            )
    if not names:
        raise ConfigError("--fields: expected names of fields by commas, as in url,title,text, or all.")
    return tuple(known[name] for name in dict.fromkeys(names))


def _write(
    records: Iterable[PageRecord],
    columns: Sequence[TableColumn],
    format_: str,
    file: Any,
    *,
    excel: bool,
    whole: bool,
) -> int:
    """Write records in a format; return how many there were."""
    if format_ == "parquet":
        from focuscrawl.cli.export_parquet import write_parquet

        return write_parquet((typed_row(record, PAGES, columns) for record in records), columns, file)
    if format_ in (MARKDOWN, TEXT):
        return write_texts(records, format_, file)
    if format_ == "opml":
        from focuscrawl.cli.export_opml import write_opml

        return write_opml(records, file, title="Feeds found by focuscrawl")
    if format_ == "csv":
        file.write(csv_heading(excel=excel, columns=columns))
    pages = 0
    for record in records:
        if format_ == "csv":
            file.write(csv_row(record, excel=excel, columns=columns))
        else:
            file.write(page_line(record) if whole else _json_line(record, columns))
        pages += 1
    return pages


def _json_line(record: PageRecord, columns: Sequence[TableColumn]) -> bytes:
    line = plain_json(json.dumps(typed_row(record, PAGES, columns), ensure_ascii=False))
    return f"{line}\n".encode("utf-8", "replace")


def export_graph(
    references: Sequence[str],
    *,
    format_: str,
    out: Path | None,
    every: bool,
    hosts: bool,
    to: str = "",
    say: Say,
    as_json: bool,
) -> None:
    """Write the link graph of a run to `out` or standard output; with `out` say how large it is.

    Parameters
    ----------
    references, every, to, say
        As for `export_run`.
    format_
        ``graphml`` or ``gexf``.
    hosts
        Hosts in the place of pages.

    Raises
    ------
    StoreError
        If the run cannot be read, has too many links or none where it is kept, or the file cannot be written.
    """
    from focuscrawl.report.link_graph import host_graph, page_graph, write_graph
    from focuscrawl.storage.open_run import open_pages

    with open_pages(*references) as run, run.reader.snapshot():
        graph = (host_graph if hosts else page_graph)(run.reader, lambda page: every or page.is_result)
    with _opened(out, to) as file:
        write_graph(graph, file, format_)
    if target := to or out:
        nodes, links, what = graph.number_of_nodes(), graph.number_of_edges(), "host" if hosts else "page"
        told = {"file": str(target), "format": format_, f"{what}s": nodes, "links": links}
        written = wording.HOST_GRAPH if hosts else wording.PAGE_GRAPH
        _say(told, say(written, n=nodes, links=say(wording.LINKS, n=links), target=target), as_json)


def csv_heading(
    *, excel: bool = False, table: RecordTable[Any] = PAGES, columns: Sequence[TableColumn] | None = None
) -> bytes:
    """Return the first line of the CSV; `excel` puts a byte-order mark before it."""
    named = table.exported if columns is None else columns
    return (_BOM if excel else b"") + _csv_line(column.name for column in named)


def csv_row(
    record: Any,
    *,
    excel: bool = False,
    table: RecordTable[Any] = PAGES,
    columns: Sequence[TableColumn] | None = None,
) -> bytes:
    """Return a record as a row of CSV (RFC 4180) in UTF-8, of all columns or of those given."""
    return _csv_line(cell(value, excel=excel) for value in typed_row(record, table, columns).values())


def cell(value: object, *, excel: bool = False) -> object:
    """Return a value as a cell that no spreadsheet program takes for a formula, and no terminal for a command.

    >>> cell("=1+1"), cell("国际象棋"), cell(-1.5), cell(None)
    ("'=1+1", '国际象棋', -1.5, '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        # Words in one cell, as people write them; posts as JSON.
        plain = all(isinstance(one, str) for one in value)
        value = "; ".join(value) if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        value = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return value
    value = clean(value)  # before the formula is looked for: what is left out may stand in front of one
    if value.lstrip(" ").startswith(_FORMULA):
        value = f"'{value}"
    if excel and len(value) > _EXCEL_CELL:
        value = value[: _EXCEL_CELL - len(_CUT)] + _CUT
    return value


def _csv_line(cells: Iterable[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode("utf-8", "replace")


@contextmanager
def _opened(out: Path | None, to: str = "") -> Iterator[BinaryIO | console.Output]:
    """Yield a file that appears when it is complete, here or at the URL `to`, or what is written as it comes."""
    if to:
        from focuscrawl.storage.remote import remote_file

        with remote_file(to) as file:
            yield file
        return
    try:
        with output_file(out) if out is not None else nullcontext(console.Output()) as file:
            yield file
    except OSError as error:
        where = out if out is not None else "standard output"
        raise StoreError(f"{where}: cannot be written: {os_reason(error)}.") from error


def _say(told: dict[str, object], sentence: str, as_json: bool) -> None:
    if as_json:
        console.print_json(told)
    else:
        console.print_line(sentence)
