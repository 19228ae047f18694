"""A Scrapy project of somebody else: what ``scrapy startproject`` makes, two lines for the add-on, and its spiders."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawl_kit import FAST, Crawled, clean_environment, topic_file
from forked_commands import fork_server

_LINES = """
ADDONS = {"focuscrawl.addon.FocusCrawlAddon": 500}
FOCUSCRAWL_TOPIC = "lighthouses.toml"
FOCUSCRAWL_RUN = "run"
"""
# What spiders of these projects do besides: their stats, as they are at the end, in a file.
_EXTENSION = """
import json
from pathlib import Path

from scrapy import signals


class KeptStats:
    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        crawler.signals.connect(made.closed, signal=signals.spider_closed)
        made.crawler = crawler
        return made

    def closed(self):
        kept = json.dumps(self.crawler.stats.get_stats(), default=str)
        Path("stats.json").write_text(kept, encoding="utf-8")
"""


@dataclass
class Done(Crawled):
    """What a command of a project left; `items` are those of ``-O items.jsonl``."""

    stats: dict[str, Any] = field(default_factory=dict)  # as the project's extensions find them at the end


@dataclass
class Project:
    """A project in a folder of its own."""

    folder: Path

    def write(self, name: str, text: str) -> Path:
        """Write a file of the project, such as ``library/spiders/book.py``."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def spider(self, code: str, name: str = "book") -> None:
        """Write a spider."""
        self.write(f"library/spiders/{name}.py", code)

    def settings(self, lines: str) -> None:
        """Add lines to settings.py."""
        with (self.folder / "library" / "settings.py").open("a", encoding="utf-8") as file:
            file.write(textwrap.dedent(lines))

    def scrapy(
        self,
        *words: str,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        timeout_s: float = 100.0,
        **settings: object,
    ) -> Done:
        """Run ``scrapy WORDS…`` with settings on the command line."""
        given = {**FAST, "FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1", **settings}
        options = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
        for left in ("stats.json", "items.jsonl"):
            (self.folder / left).unlink(missing_ok=True)
        process = fork_server().start(
            ["scrapy", *words, *options], cwd=cwd or self.folder, env=clean_environment(**(env or {}))
        )
        out, err = process.communicate(timeout_s)
        done = Done(self.folder / "run", process.wait(), out=out.decode(), err=err.decode())
        if (self.folder / "stats.json").is_file():
            done.stats = json.loads((self.folder / "stats.json").read_text(encoding="utf-8"))
        if (self.folder / "items.jsonl").is_file():
            lines = (self.folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
            done.items = [json.loads(line) for line in lines]
        return done

    def crawl(self, *words: str, **settings: object) -> Done:
        """Run ``scrapy crawl book -O items.jsonl``."""
        return self.scrapy("crawl", "book", "-O", "items.jsonl", *words, **settings)


def start_project(folder: Path, seed: str) -> Project:
    """Make a project with Scrapy's own command and add the lines of docs/scrapy.md."""
    folder.mkdir(parents=True, exist_ok=True)
    made = fork_server().start(["scrapy", "startproject", "library", str(folder)], cwd=folder, env=clean_environment())
    _, err = made.communicate(60.0)
    assert made.wait() == 0, err.decode()
    topic_file(folder, seed)
    project = Project(folder)
    project.write("library/kept_stats.py", _EXTENSION)
    project.settings(_LINES)
    project.settings('EXTENSIONS = {"library.kept_stats.KeptStats": 500}\n')
    return project
