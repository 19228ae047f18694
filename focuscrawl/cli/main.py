"""Entry point of the ``focuscrawl`` command.

Modules of the subcommands are imported when they are used: ``focuscrawl --help`` has to be there at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from focuscrawl import __version__
from focuscrawl.cli.lazy import LazyGroup
from focuscrawl.cli.options import Chosen, LangOption
from focuscrawl.errors import ConfigError, FocusCrawlError, os_reason

app = typer.Typer(
    name="focuscrawl",
    cls=LazyGroup,
    help="Crawl the pages on a subject, not the whole web. To crawl: focuscrawl crawl TOPIC.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help='Run folder, "latest", or the name of a topic (its newest run).')
]
PagesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN",
        help='Run folder, "latest", the name of a topic (its newest run), or postgresql://… of a crawl. Several run'
        " folders of the workers of one fleet are read as one.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"focuscrawl {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def status(runs: PagesArgument, lang: LangOption = "auto", as_json: JsonOption = False) -> None:
    """Show where a crawl stands; also while it runs."""
    from focuscrawl.cli.status import show_status

    show_status(runs, lang=lang, as_json=as_json)


@app.command()
def explain(
    run: RunArgument,
    url: Annotated[str, typer.Argument(metavar="URL", help="A page or a link of the run.")],
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Show why a URL has its score, why it was fetched when it was, and what was made of it."""
    from focuscrawl.cli.explain import show_explanation

    show_explanation(run, url, lang=lang, as_json=as_json)


@app.command()
def report(
    runs: PagesArgument,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write here, not to the run's report.html.")
    ] = None,
    compare: Annotated[
        list[str] | None, typer.Option(metavar="RUN", help="Another run to draw beside it; may be given again.")
    ] = None,
    charts: Annotated[
        Path | None, typer.Option("--charts", metavar="FOLDER", help="Write the charts as files, too.")
    ] = None,
    chart_format: Annotated[Literal["svg", "png"], typer.Option("--chart-format", help="Format of --charts.")] = "svg",
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Write the self-contained HTML report of a run."""
    from focuscrawl.cli.status import make_report

    if chart_format != "svg" and charts is None:
        raise ConfigError(f"--chart-format {chart_format}: expected with --charts FOLDER.")
    make_report(
        runs, out=out, compare=compare or [], charts=charts, chart_format=chart_format, lang=lang, as_json=as_json
    )


@app.command()
def export(
    runs: PagesArgument,
    format_: Annotated[
        Literal["jsonl", "csv", "parquet", "markdown", "text", "wacz", "opml", "graphml", "gexf", "warc"],
        typer.Option(
            "--format", "-f", help="Format to write: pages, their texts, the graph of their links, or (--to) archives."
        ),
    ] = "jsonl",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="File to write, not standard output.")
    ] = None,
    to: Annotated[
        str,
        typer.Option("--to", metavar="URL", help="Send it there: s3://bucket/pages.jsonl, opensearch://host/index."),
    ] = "",
    every: Annotated[
        bool, typer.Option("--all", help="All fetched pages with their judgement, not the results only.")
    ] = False,
    excel: Annotated[
        bool, typer.Option("--excel", help="Start the CSV with a byte-order mark, so that Excel reads UTF-8.")
    ] = False,
    fields: Annotated[
        str, typer.Option(metavar="NAMES", help="Fields by commas, or all; of CSV ten by default, else all.")
    ] = "",
    hosts: Annotated[bool, typer.Option("--hosts", help="Graph of hosts, not of pages.")] = False,
    files: Annotated[
        bool, typer.Option("--files", help="Of markdown and text: a file a page, in the new folder --out.")
    ] = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="What changed pages were before, as recrawl --versions has kept it.")
    ] = False,
    card: Annotated[
        Path | None, typer.Option("--card", metavar="FILE", help="Write a dataset card of the pages, too.")
    ] = None,
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Take the results of a run elsewhere."""
    from focuscrawl.atomic_file import is_standard_output
    from focuscrawl.cli.export import export_archive, export_graph, export_run, export_versions
    from focuscrawl.wording.base import speaker

    if out is not None and is_standard_output(out):
        out = None  # as without --out: nothing else is said there
    pages, texts = format_ in ("jsonl", "csv", "parquet"), format_ in ("markdown", "text")
    graph = format_ in ("graphml", "gexf")
    if fields and not pages:
        raise ConfigError(f'--fields: expected with --format jsonl, csv or parquet, found "{format_}".')
    if hosts and not graph:
        raise ConfigError(f'--hosts: expected with --format graphml or gexf, found "{format_}".')
    if excel and format_ != "csv":
        raise ConfigError(f'--excel: expected with --format csv, found "{format_}".')
    if files and (not texts or out is None):
        raise ConfigError("--files: expected with --format markdown or text, and the folder for the files with --out.")
    if card is not None and not (pages or texts):
        raise ConfigError(f'--card: expected with a format of pages, found "{format_}".')
    if every and format_ in ("wacz", "warc"):
        raise ConfigError(
            f'--all: expected with a format of pages, texts or links, found "{format_}": an archive has all answers.'
        )
    if versions and (not pages or every or card is not None):
        raise ConfigError("--versions: expected with --format jsonl, csv or parquet, and without --all and --card.")
    if to and (out is not None or files):
        raise ConfigError("--to and --out exclude each other: --out is a file here, --to a URL.")
    say = speaker(lang)
    if versions:
        export_versions(runs, format_=format_, out=out, excel=excel, fields=fields, to=to, say=say, as_json=as_json)
        return
    if to or format_ == "warc":
        from focuscrawl.cli.export_to import export_elsewhere

        whole = not fields and card is None
        if export_elsewhere(runs, to, format_=format_, every=every, whole=whole, say=say, as_json=as_json):
            return
    if graph:
        export_graph(runs, format_=format_, out=out, every=every, hosts=hosts, to=to, say=say, as_json=as_json)
        return
    if format_ == "wacz":
        export_archive(runs, out=out, to=to, say=say, as_json=as_json)
        return
    export_run(
        runs,
        format_=format_,
        out=out,
        every=every,
        excel=excel,
        fields=fields,
        files=files,
        card=card,
        to=to,
        say=say,
        as_json=as_json,
    )


@app.command()
def extract(
    source: Annotated[str | None, typer.Argument(metavar="FILE_OR_URL", help="A page; files may be gzipped.")] = None,
    pages: Annotated[
        Path | None,
        typer.Option(
            "--pages",
            metavar="LIST.jsonl",
            readable=False,
            help="Many pages: an object a line with id, url and file.",
        ),
    ] = None,
    feed: Annotated[
        Path | None,
        typer.Option(
            "--feed",
            metavar="FEED.xml",
            readable=False,
            help="Feed that many of the --pages are in: a template is learned.",
        ),
    ] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="Extraction method to use.")] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL.json",
            readable=False,
            help="Numbers the --method goes by, of focuscrawl train-extractor.",
        ),
    ] = None,
    url: Annotated[str | None, typer.Option(metavar="URL", help="Address of a local FILE, for its links.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="File for --pages, not standard output.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Processes for --pages.")] = 1,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch the URL from an address that is not public, too.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write the main text as Markdown, and no more.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Extract the main text, title and date of a page, and tell how they were found."""
    if (source is None) == (pages is None):
        raise typer.BadParameter("give either FILE_OR_URL or --pages LIST.jsonl")
    if feed is not None and pages is None:
        raise typer.BadParameter("--feed goes with --pages LIST.jsonl: a template is learned from several pages")
    if model is not None and method is None:
        raise typer.BadParameter("--model goes with --method: the method that takes a model")
    if out is not None and pages is None:
        raise typer.BadParameter("--out goes with --pages LIST.jsonl: what is found on one page is printed")
    if url is not None and pages is not None:
        raise typer.BadParameter("--url is of one FILE; --pages LIST.jsonl has the url of each page in its lines")
    if markdown and pages is not None:
        raise typer.BadParameter("--markdown is of one page: FILE_OR_URL")
    if pages is not None:
        from focuscrawl.cli.extract_bulk import extract_pages

        extract_pages(pages, method=method, model=model, jobs=jobs, out=out, feed=feed)
    else:
        from focuscrawl.cli.extract import show_extraction

        show_extraction(
            source or "",
            method=method,
            model=model,
            url=url,
            allow_private=allow_private,
            markdown=markdown,
            as_json=as_json,
        )


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 could not be done, 2 wrong usage."""
    from focuscrawl.cli.closed_streams import stand_in_for_closed
    from focuscrawl.cli.console import ReaderGone, warn
    from focuscrawl.wording.base import speaker
    from focuscrawl.wording.topic_faults import error_in_words

    stand_in_for_closed()
    chosen = Chosen()
    try:
        app(args=arguments, prog_name="focuscrawl", obj=chosen)
    except FocusCrawlError as error:
        warn(error_in_words(error, speaker(chosen.language)))
        sys.exit(error.exit_code)
    except ReaderGone:
        # Python would complain once more when it closes standard output at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        warn(f"{where}{os_reason(error)}.")
        sys.exit(1)
