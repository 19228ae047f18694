"""A small finished run, written to a real database."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import to_signed
from focuscrawl.storage.own_settings import INDEXED_UPTO, put_setting
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.run_settings import RunSettings, record_start, record_stop

STATES = {"queued": 0, "waiting": 1, "done": 2, "failed": 3, "refused": 4}
START = 1_790_000_000.0
HOME = "https://chess.example.org/"
OPENING = "https://chess.example.org/openings/italian"
OTHER = str(normalize_url("https://blog.example.com/意大利开局", "https://blog.example.com/"))


def page(url: str, n: int, **fields: object) -> PageRecord:
    """Return a record of a fetched page."""
    given: dict[str, object] = {
        "key": url_key(url),
        "url": url,
        "final_url": url,
        "host": host_of(url),
        "fetched_at": START + n,
        "status": 200,
        "threshold": 0.3,
    }
    return PageRecord(**(given | fields))  # type: ignore[arg-type]


class SampleRun:
    """A run folder that tests fill."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.db = CrawlDb.open(folder.db)

    def add_pages(self, *records: PageRecord) -> None:
        with self.db.transaction() as db:
            db.executemany(PAGES.insert, map(PAGES.to_row, records))

    def add_page(self, url: str, n: int, **fields: object) -> None:
        self.add_pages(page(url, n, **fields))

    def add_entry(self, url: str, state: str, score: float, *, group: str = "", **data: object) -> None:
        """Write what the frontier would: a bucket, the entry, and its key."""
        host = host_of(url)
        with self.db.transaction() as db:
            db.execute("INSERT OR IGNORE INTO buckets (host, grp) VALUES (?, ?)", (host, group))
            bucket = db.execute("SELECT id FROM buckets WHERE host = ? AND grp = ?", (host, group)).fetchone()[0]
            seq = db.execute(
                "INSERT INTO entries (key, bucket, score, state, attempts, depth, tunnel, not_before, url, data)"
                " VALUES (?, ?, ?, ?, 0, 2, 0, 0, ?, ?)",
                (to_signed(url_key(url)), bucket, score, STATES[state], url, json.dumps(data) if data else ""),
            ).lastrowid
            db.execute("INSERT INTO keys (key, seq) VALUES (?, ?)", (to_signed(url_key(url)), seq))
            put_setting(db, INDEXED_UPTO, seq)

    def set_offset(self, group: str, offset: float) -> None:
        with self.db.transaction() as db:
            db.execute("INSERT INTO groups VALUES (?, ?)", (group, offset))


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SampleRun:
    """Return an empty run of the topic chess, below the working directory."""
    monkeypatch.chdir(tmp_path)
    return SampleRun(RunFolder.create(Path("crawls"), "chess", now=datetime.fromtimestamp(START, UTC)))


@pytest.fixture
def finished(sample: SampleRun) -> SampleRun:
    """Return a finished run: a seed, two results, a duplicate, a page off topic, one not found, and two links left."""
    weights: Mapping[str, float] = {"words": 0.6, "parent": 0.4}
    RunSettings(
        topic="chess",
        title="国际象棋",
        strategy="heuristic",
        weights=weights,
        arguments={"pages": "6", "api_token": "hush"},
    ).save(sample.db)
    record_start(sample.db, at=START - 1)
    home = url_key(HOME)
    sample.add_pages(
        page(HOME, 0, title="首页", relevance=0.2, predicted=0.1, score=1.0, priority=1.0, body_bytes=900),
        page(
            OPENING,
            1,
            title="意大利开局",
            text="白方第三步走象。",
            language="zh",
            relevance=0.612,
            relevant=True,
            depth=1,
            parent=home,
            anchor="开局",
            predicted=0.4,
            score=0.68,
            priority=0.73,
            parts={"words": 0.8, "parent": 0.5},
            judged={"vsm": 0.612},
            extractor="blocks",
            content_digest="aa",
        ),
        page(
            OTHER,
            2,
            final_url=OTHER + "/1",
            title="=SUM(1)",
            text="同样的文字。",
            relevance=0.5,
            relevant=True,
            depth=2,
            parent=url_key(OPENING),
            predicted=0.3,
            score=0.4,
            priority=0.4,
            parts={"words": 0.0, "parent": 1.0},
            extractor="blocks",
        ),
        page(
            HOME + "copy",
            3,
            relevance=0.6,
            relevant=True,
            duplicate_of=url_key(OPENING),
            parent=home,
            depth=1,
            predicted=0.3,
            score=0.5,
            priority=0.5,
        ),
        page(HOME + "gone", 4, status=404, outcome="refused", reason="HTTP 404", parent=home, depth=1),
        page(HOME + "slow", 5, status=0, outcome="failed", reason="timeout", parent=home, depth=1),
    )
    done = {"parent": home, "parent_url": HOME, "anchor": "开局", "reason": "topic word in the anchor"}
    sample.add_entry(HOME, "done", 1.0)
    sample.add_entry(OPENING, "done", 0.68, **done)
    sample.add_entry(HOME + "next", "queued", 0.5, parent_url=HOME, parent=home, anchor="下一页", parts={"words": 0.5})
    sample.add_entry(HOME + "later", "waiting", 0.7, group="g2", parent_url=HOME, parent=home)
    sample.set_offset("chess.example.org", 0.25)
    record_stop(sample.db, "budget", detail="6 pages", at=START + 60)
    sample.db.close()
    return sample


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Return a function that runs the command line and returns its exit code and what it wrote."""
    from focuscrawl.cli.main import run

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            run([*arguments])
        out, err = capfdbinary.readouterr()
        return int(end.value.code or 0), out.decode(), err.decode()

    return call
