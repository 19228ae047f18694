r"""Export of a run with many pages: peak memory, rows per CPU second, bytes of the file.

The run is made: 100,000 rows of pages as a crawl leaves them, with texts of 20 words drawn from a vocabulary of 5,000
and two thirds of the columns filled, and copies of them with keys of their own. Each export is a process of its own, as
a user starts it. The disk needs 3 kB a row: 1 for the run, 2 for JSON lines of it; all is deleted at the end.

    python benchmarks/export_scale.py [--rows 1000000 3000000 10000000] [--formats jsonl,csv,parquet] [--folder /tmp]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from focuscrawl.records import PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.types import HostKey, UrlKey

FIRST, WORDS, HOSTS = 100_000, 20, 10_000
_EXPORT = """
import sys, time
from focuscrawl.cli.main import run
try:
    run()
finally:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(time.process_time(), peak.split()[1], file=sys.stderr)
"""


def records() -> Iterator[PageRecord]:
    """Yield the first made pages."""
    rng = random.Random(1)
    vocabulary = [f"w{number:x}ord" for number in range(5_000)]
    for number in range(FIRST):
        host = f"host{number % HOSTS}.example"
        url = f"https://{host}/articles/{number}"
        text = " ".join(rng.choices(vocabulary, k=WORDS))
        yield PageRecord(
            key=UrlKey(number),
            url=url,
            final_url=url,
            host=HostKey(host),
            fetched_at=1_790_000_000.0 + number,
            status=200,
            title=text[:60],
            text=text,
            language="en",
            keywords=tuple(text.split()[:8]),
            summary=text[:100],
            extractor="router",
            relevance=0.5,
            threshold=0.3,
            relevant=True,
            topic="made@0123456789abcdef",
            depth=3,
            parent=UrlKey(number // 2),
            anchor=text[60:90],
            predicted=0.4,
            score=0.4,
            priority=0.4,
            group="host",
            content_digest=f"{number:032x}",
            body_bytes=40_000,
            encoding="utf-8",
            evidence={word: {"text": 2, "title": 1} for word in text.split()[:5]},
            own_terms=5,
            content_type="text/html",
        )


def grow(folder: Path, rows: int, there: int) -> None:
    """Add rows to the run until it has `rows`: the first are made, the others copies with keys of their own."""
    names = ", ".join(f'"{name}"' for name in PAGES.names)
    values = names.replace('"key"', '"key" + ?', 1)
    copy = f'INSERT INTO pages ({names}) SELECT {values} FROM pages WHERE "key" < ?'
    with CrawlDb.open(folder / "crawl.db") as db:
        if not there:
            with db.transaction() as connection:
                connection.executemany(PAGES.insert, map(PAGES.to_row, records()))
            there = FIRST
        while there < rows:
            with db.transaction() as connection:
                connection.execute(copy, (there, min(FIRST, rows - there)))
            there = min(there + FIRST, rows)


def exported(run: Path, format_: str) -> tuple[float, float, int]:
    """Return CPU seconds, peak memory in MB, and the size of the file in bytes of one export."""
    out = run.parent / f"pages.{format_}"
    command = [sys.executable, "-c", _EXPORT, "export", str(run), "--format", format_, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cpu_s, peak_kb = map(float, done.stderr.split()[-2:])
    size = out.stat().st_size
    out.unlink()
    return cpu_s, peak_kb / 1024, size


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 3_000_000, 10_000_000])
    parser.add_argument("--formats", default="jsonl,csv,parquet")
    parser.add_argument("--folder", type=Path, help="where the run is made, of the system's temporary files")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        run, there = Path(made) / "run", 0
        run.mkdir()
        for rows in sorted(given.rows):
            started = time.process_time()
            grow(run, rows, there)
            there = rows
            size = (run / "crawl.db").stat().st_size
            print(
                f"{rows:,} rows: crawl.db {size / 1e9:.2f} GB, made in {time.process_time() - started:.0f} s of CPU",
                flush=True,
            )
            for format_ in given.formats.split(","):
                cpu_s, peak_mb, size = exported(run, format_)
                print(
                    f"  {format_:8} {rows / cpu_s:9,.0f} rows/s of CPU  {peak_mb:6.0f} MB peak  {size / 1e9:6.2f} GB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
