"""The plug-ins of docs/plugins.md, in a project as ``scrapy startproject`` makes it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from crawl_kit import FAST, clean_environment
from project_kit import start_project
from site_kit import Site

from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run import RunFolder

_DOCS = Path(__file__).parents[2] / "docs" / "plugins.md"


def _blocks(language: str) -> list[str]:
    parts = _DOCS.read_text(encoding="utf-8").split("```")[1::2]
    return [part.removeprefix(f"{language}\n") for part in parts if part.startswith(f"{language}\n")]


def test_the_store_of_the_docs_follows_revised_verdicts(tmp_path: Path) -> None:
    (code,) = _blocks("python")
    made: dict[str, Any] = {}
    exec(code, made)
    folder = RunFolder.open_or_create(tmp_path / "run")
    records = [
        PageRecord(n, url, url, "a.example", float(n), 200, title=f"Lamp\t{n}", relevance=0.5, relevant=True)
        for n, url in enumerate(("http://a.example/1", "http://a.example/2"), 1)
    ]
    fallen = replace(records[0], relevance=0.1, relevant=False)
    lines = ["http://a.example/1\tLamp 1", "http://a.example/2\tLamp 2"]

    def written(*steps: tuple[str, list[PageRecord]]) -> list[str]:
        store = made["TitleStore"](folder)
        store.open()
        for step, given in steps:
            assert getattr(store, step)(given) == len(given)
        store.close()
        return (folder.path / "titles.txt").read_text(encoding="utf-8").splitlines()

    assert written(("put", records)) == lines
    assert written(("revise", [fallen])) == lines[1:]
    assert written(("revise", [records[0]]), ("put", [])) == [lines[1], lines[0]]


def test_the_plug_ins_of_the_docs_lead_a_crawl(tmp_path: Path, site: Site) -> None:
    project = start_project(tmp_path / "project", site.url("/page/0"))
    package, topic = _blocks("toml")
    (code,) = _blocks("python")
    project.write("library/plugins.py", code)
    # What pip makes of the package: its names are read from here.
    lines = ["[console_scripts]"]
    for group, names in tomllib.loads(package)["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in names.items())]
    project.write("library-1.0.dist-info/entry_points.txt", "\n".join(lines))
    project.write("library-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: library\nVersion: 1.0\n")
    text = (project.folder / "lighthouses.toml").read_text(encoding="utf-8").split("[judge]")[0]
    project.write("lighthouses.toml", text + topic)
    project.settings('FOCUSCRAWL_EXTRACTOR = "paragraphs"\nFOCUSCRAWL_STORES = ["jsonl", "titles"]\n')
    project.settings('SPIDER_MODULES = ["focuscrawl.spiders"]\n')
    given = {**FAST, "FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1"}
    options = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
    # No fork: what is registered is looked up once in a process.
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", "pages=12", "-a", "run=run", *options],
        cwd=project.folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    run = project.folder / "run"
    with CrawlDb.open_readonly(run / "crawl.db") as db:
        pages = list(db.pages())
    assert len(pages) == 12
    relevant = {record.url for record in pages if record.relevant}
    assert 0 < len(relevant) < 12
    results = [json.loads(line) for line in (run / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {one["extractor"] for one in results} == {"paragraphs"}
    titles = [line.split("\t") for line in (run / "titles.txt").read_text(encoding="utf-8").splitlines()]
    assert {url for url, _ in titles} == {one["url"] for one in results} <= relevant
    assert all(title.startswith("Lighthouse") for _, title in titles)
