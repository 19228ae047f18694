"""Numbers of docs/tutorial.md: its crawls, several times over, with the least and the most of what they find.

python benchmarks/tutorial.py --times 5
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOCUSCRAWL = [sys.executable, "-m", "focuscrawl"]
ONE_AT_A_TIME = ["-s", "DOWNLOAD_DELAY=0", "-s", "CONCURRENT_REQUESTS=1"]
# Name of the crawl -> whether the topic has the threshold of section 6, and what else is given.
CRAWLS = {
    "first": (False, ["--strategy", "heuristic"]),
    "strict": (True, []),
    "breadth": (True, ["--strategy", "breadth-first"]),
}


def topics(folder: Path) -> dict[bool, Path]:
    """Write the topic of section 3 and that of section 6; return them by whether the threshold is in."""
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = [b for b in re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "[scope]" not in b]
    files = {}
    for strict in (False, True):
        (folder / str(strict)).mkdir()
        files[strict] = folder / str(strict) / "chess.toml"
        files[strict].write_text("\n".join(b for b in blocks if strict or "[judge]" not in b), encoding="utf-8")
    return files


def found(folder: Path, port: str, topic: Path, options: list[str], pages: int) -> tuple[int, int]:
    """Crawl; return the relevant pages, and those after it went on to half as many pages more."""
    proxy = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "http_proxy": proxy, "https_proxy": proxy}
    counts = []
    for more in ([str(topic), "--pages", str(pages), *options], ["--pages", str(pages * 3 // 2)]):
        command = [*FOCUSCRAWL, "crawl", *more, "--run", str(folder), *ONE_AT_A_TIME]
        subprocess.run(command, env=environment, stderr=subprocess.DEVNULL, check=True)
        status = subprocess.run([*FOCUSCRAWL, "status", str(folder), "--json"], stdout=subprocess.PIPE, check=True)
        counts.append(json.loads(status.stdout)["relevant"])
    return counts[0], counts[1]


def main() -> None:
    """Crawl and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--pages", type=int, default=100)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen([*FOCUSCRAWL, "demo", "--serve", "--port", "0"], stdout=subprocess.PIPE) as server,
    ):
        folder = Path(name)
        try:
            assert server.stdout is not None
            line = next(line for line in map(bytes.decode, server.stdout) if "http_proxy=" in line)
            port = re.findall(r":(\d+)", line)[0]
            files = topics(folder)
            for crawl, (strict, more) in CRAWLS.items():
                runs = [
                    found(folder / f"{crawl}{n}", port, files[strict], more, options.pages)
                    for n in range(options.times)
                ]
                first, second = (sorted(counts) for counts in zip(*runs, strict=True))
                print(f"{crawl:8} {options.pages} pages: {first}; going on: {second}", flush=True)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
