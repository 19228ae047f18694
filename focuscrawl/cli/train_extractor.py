"""``focuscrawl train-extractor``: the numbers of the `density_svm` extractor from labelled pages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from focuscrawl.atomic_file import output_file
from focuscrawl.cli import console
from focuscrawl.cli.extract import file_url, page_tokenizer, read_page
from focuscrawl.errors import StoreError, os_reason
from focuscrawl.lab.extractors.density_svm import METHOD
from focuscrawl.lab.extractors.density_training import (
    FOLDS,
    PAGES_PER_SITE,
    GridPoint,
    LabelledPage,
    TooFewError,
    Training,
    drawn_order,
    label_page,
    svm_class,
    train,
)
from focuscrawl.lab.extractors.rbf_svm import RbfSvm
from focuscrawl.page.analysis import analyse
from focuscrawl.page.urls import host_of, registered_domain

_FORM = 'an object with "file" and "text" is expected, and optionally "url", "site" and "id"'
_SHOWN = 5  # pages left out that are named one by one


def train_extractor(
    pages: Annotated[
        Path,
        typer.Argument(
            metavar="PAGES.jsonl",
            readable=False,
            help="Labelled pages: an object a line with file, text (the main text), url, site.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL.json", help="File to write the numbers to.")],
    paper: Annotated[bool, typer.Option("--paper", help="Take C and sigma of the paper, and search no grid.")] = False,
    seed: Annotated[int, typer.Option(help="Which pages, blocks and folds are drawn where there are many.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for programs.")] = False,
) -> None:
    """Learn the numbers of the density_svm extractor from labelled pages."""
    svm_class()  # when it is missing, that is said before the long work
    if not out.parent.is_dir():
        raise StoreError(f"{out}: cannot be written: there is no folder {out.parent}.")  # said before the long work
    labelled, left_out = read_labelled(pages, seed=seed)
    for reason in left_out[:_SHOWN]:
        console.warn(reason)
    if len(left_out) > _SHOWN:
        console.warn(f"{len(left_out) - _SHOWN} more pages are left out.")
    try:
        trained = train(labelled, search=not paper, seed=seed)
    except TooFewError as error:
        raise StoreError(f"{pages}: too little to learn from: {error}.") from error
    facts = _facts(trained)
    model = trained.model.to_json(trained_on=facts, grid=_grids(trained))
    _write(out, json.dumps(model, ensure_ascii=False, separators=(",", ":")) + "\n")
    if as_json:
        console.print_json({**facts, "grid": _grids(trained), "left_out": left_out, "model": str(out)})
        return
    _print(trained, out)


def read_labelled(pages: Path, *, seed: int) -> tuple[list[LabelledPage], list[str]]:
    """Return labelled pages of a list, and why some are left out: unreadable, or without text.

    At most `PAGES_PER_SITE` of a site are read, drawn by `seed`.

    Raises
    ------
    StoreError
        If the list cannot be read, or one of its lines is not of the form.
    """
    tasks = list(_lines(pages))  # all of them, so that a wrong line is said before the long work
    labelled: dict[int, LabelledPage] = {}
    left_out: dict[int, str] = {}
    of_site: Counter[str] = Counter()
    for at in drawn_order(len(tasks), seed=seed):
        number, file, url, site, text = tasks[at]
        if of_site[site] >= PAGES_PER_SITE:
            continue
        try:
            body = read_page(file)
        except StoreError as error:
            left_out[number] = f"line {number}: {error}"
            continue
        page = label_page(analyse(body, url, tokenizer=page_tokenizer()), text, site=site)
        if page is None:
            left_out[number] = f"line {number}: {file}: no line of text; left out."
        else:
            labelled[number] = page
            of_site[site] += 1
    return [labelled[number] for number in sorted(labelled)], [left_out[number] for number in sorted(left_out)]


def _lines(pages: Path) -> Iterator[tuple[int, Path, str, str, str]]:
    """Yield number, file, URL, site and main text of each line."""
    try:
        with pages.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, *_read_line(line, f"{pages}: line {number}", pages.parent)
    except OSError as error:
        raise StoreError(f"{pages}: cannot be read: {os_reason(error)}.") from error


def _read_line(line: bytes, where: str, base: Path) -> tuple[Path, str, str, str]:
    try:
        task = json.loads(line)
    except ValueError as error:
        raise StoreError(f"{where}: not JSON: {error}; {_FORM}.") from error
    if not isinstance(task, dict) or not isinstance(task.get("file"), str) or not isinstance(task.get("text"), str):
        raise StoreError(f"{where}: {_FORM}.")
    file, url, site = Path(task["file"]), task.get("url"), task.get("site")
    if not file.is_absolute() and (base / file).exists():
        file = base / file
    address = url if isinstance(url, str) and url else file_url(file)
    if not isinstance(site, str) or not site:
        # Pages whose site is not known are taken to be each of its own.
        host = host_of(address) if address.lower().startswith("http") else ""
        site = registered_domain(host) if host else address
    return file, address, site, task["text"]


def _write(out: Path, text: str) -> None:
    try:
        with output_file(out) as file:
            file.write(text.encode())
    except OSError as error:
        raise StoreError(f"{out}: cannot be written: {os_reason(error)}.") from error


def _facts(trained: Training) -> dict[str, object]:
    lines = trained.lines
    return {
        "pages": trained.pages,
        "sites": trained.sites,
        "blocks": trained.blocks,
        "paragraphs": trained.paragraphs,
        "left_out_by": trained.grouped_by,
        "line_precision": round(lines.precision, 4),
        "line_recall": round(lines.recall, 4),
        "line_f": round(lines.f, 4),
    }


def _grids(trained: Training) -> dict[str, list[dict[str, float]]]:
    return {
        name: [{"c": point.c, "sigma": point.sigma, "f1": round(point.f1, 4)} for point in grid]
        for name, grid in (("block", trained.block_grid), ("paragraph", trained.paragraph_grid))
    }


def _print(trained: Training, out: Path) -> None:
    model, lines = trained.model, trained.lines
    for name, grid in (("blocks", trained.block_grid), ("paragraphs", trained.paragraph_grid)):
        if grid:
            _print_grid(f"F1 of {name} by C and sigma, {FOLDS} folds by {trained.grouped_by}", grid)
    console.print_facts(
        [
            ("learned from", f"{trained.pages} pages of {trained.sites} sites"),
            ("blocks", _machine(trained.blocks, model.block)),
            ("paragraphs", _machine(trained.paragraphs, model.paragraph)),
            (
                f"lines, each {trained.grouped_by} left out in turn",
                f"precision {lines.precision:.3f}, recall {lines.recall:.3f}, F {lines.f:.3f}",
            ),
            ("model", f"{out}, {out.stat().st_size / 1000:.0f} kB; use it: --method {METHOD} --model {out}"),
        ]
    )


def _machine(samples: int, machine: RbfSvm | None) -> str:
    if machine is None:
        return f"{samples}, too few to learn from, or all alike: blocks are kept whole"
    return f"{samples}, C {machine.c:g}, sigma {machine.sigma:g}, {len(machine.weights)} support vectors"


def _print_grid(title: str, grid: Sequence[GridPoint]) -> None:
    sigmas = sorted({point.sigma for point in grid})
    f1 = {(point.c, point.sigma): f"{point.f1:.3f}" for point in grid}
    rows = [[f"{c:g}", *(f1[c, sigma] for sigma in sigmas)] for c in sorted({point.c for point in grid})]
    console.print_table([">C", *(f">sigma {sigma:g}" for sigma in sigmas)], rows, title=title)
