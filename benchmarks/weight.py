"""Weight of the package: megabytes and packages of an installation, CPU time and memory to the first page.

    python benchmarks/weight.py --repeats 3

Installs the checkout into a virtual environment of its own (``--venv FOLDER`` takes one that is there, and keeps it),
then crawls one page of a loopback site by turns with plain Scrapy, with `breadth-first` and with the default strategy,
each in a process of its own, whose CPU time (user + system, all threads) and largest memory are read from the system. A
first round, in which Python compiles what it imports and lists are made, is not counted.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from crawl_cost import COMMON, PLAIN_SPIDER, ROOT, make_site
from scrapy_process import run_scrapy
from webserver import WebServer

KINDS = ("plain", "breadth-first", "default")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--venv", type=Path, help="an environment with the package")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="focuscrawl-weight-") as folder:
        work = Path(folder)
        venv = args.venv or install(work / "venv")
        print_size(venv)
        www, seeds, topic = make_site(work, pages=2)
        (work / "plain.py").write_text(PLAIN_SPIDER)
        runs: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
        with WebServer(www) as server:
            for number in range(args.repeats + 1):
                for kind in KINDS:
                    used = crawl(kind, venv, work, server, seeds.split(",")[0], topic, number)
                    if number:
                        runs[kind].append(used)
    print(f"{'crawl of one page':<18} {'CPU, s':>7} {'RSS, MB':>8}   CPU of the repeats")
    for kind, used in runs.items():
        seconds = [one for one, _ in used]
        memory = max(one for _, one in used)
        print(f"{kind:<18} {statistics.median(seconds):>7.2f} {memory:>8.0f}   {' '.join(f'{s:.2f}' for s in seconds)}")
    return 0


def install(venv: Path) -> Path:
    """Install the checkout into a new environment, and return it."""
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([venv / "bin" / "pip", "install", "--quiet", str(ROOT)], check=True)
    return venv


def print_size(venv: Path) -> None:
    """Print how large the packages of an environment are, and how many; pip and setuptools came with it."""
    (packages,) = (venv / "lib").glob("python3*/site-packages")
    sizes = {child.name: _size(child) for child in packages.iterdir()}
    tools = sum(size for name, size in sizes.items() if name.startswith(("pip", "setuptools", "pkg_resources")))
    number = sum(name.endswith(".dist-info") for name in sizes)
    print(f"{sum(sizes.values()) / 1e6:.0f} MB, {tools / 1e6:.0f} of them pip and setuptools; {number} packages")
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:12]
    print(", ".join(f"{name} {size / 1e6:.0f}" for name, size in largest))


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file())


def crawl(
    kind: str, venv: Path, work: Path, server: WebServer, seed: str, topic: Path, number: int
) -> tuple[float, float]:
    """Crawl one page; return seconds of CPU and megabytes."""
    if kind == "plain":
        spider = ["runspider", "plain.py", "-a", f"urls={seed}", "-s", "CLOSESPIDER_PAGECOUNT=1"]
    else:
        spider = ["crawl", "focused", "-a", f"topic={topic}", "-a", f"seeds={seed}", "-a", "pages=1"]
        spider += ["-a", f"run={work}/{kind}-{number}", *(["-a", f"strategy={kind}"] if kind != "default" else [])]
    folder = work if kind == "plain" else ROOT
    environment = {"http_proxy": server.proxy, "XDG_CACHE_HOME": str(work / "cache")}
    server.answers()
    python = venv / "bin" / "python"
    used = run_scrapy(spider, folder=folder, settings=COMMON, environment=environment, python=python)
    if used.code or not server.answers():
        raise SystemExit(f"weight: the {kind} crawl failed:\n{used.said[-2000:]}")
    return used.cpu_s, used.peak_mb


if __name__ == "__main__":
    sys.exit(main())
