"""Pages a second of ``focuscrawl filter``, beside what reads the archive and nothing else.

    python benchmarks/filter.py TOPIC FILE.warc.gz… [--pages 1000]

In seconds of processor time of one process each: warcio's own iterator reads every record to its end; the reader of
focuscrawl does so in bounded memory; the filter judges, extracts, de-duplicates and stores.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

_READERS = {
    "warcio": """
from warcio.archiveiterator import ArchiveIterator
pages = 0
with open({path!r}, "rb") as file:
    for record in ArchiveIterator(file):
        if record.rec_type in ("response", "conversion"):
            pages += len(record.content_stream().read()) > 0
            if pages >= {pages}:
                break
print(pages)
""",
    "focuscrawl's reader": """
from pathlib import Path
from focuscrawl.storage.archive_reader import ArchiveFile
pages = 0
for answer, _ in ArchiveFile(Path({path!r}), max_bytes=16 << 20).answers():
    pages += len(answer.body) > 0
    if pages >= {pages}:
        break
print(pages)
""",
}


def _cpu_s(command: list[str]) -> tuple[float, str]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topic")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    given = parser.parse_args()
    print("| file | | pages | CPU s | pages a second |\n| --- | --- | --- | --- | --- |")
    for path in given.files:
        for name, code in _READERS.items():
            cpu, out = _cpu_s([sys.executable, "-c", code.format(path=str(path), pages=given.pages)])
            print(f"| {path.name} | {name} | {int(out):,} | {cpu:.2f} | {int(out) / cpu:,.0f} |", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "focuscrawl", "filter", given.topic, str(path)]
            command += ["--run", f"{folder}/run", "--pages", str(given.pages)]
            cpu, _ = _cpu_s([*command, "-s", "FOCUSCRAWL_REPORT=0"])
        print(f"| {path.name} | the filter | {given.pages:,} | {cpu:.2f} | {given.pages / cpu:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
