"""Cost of pages made to be costly: CPU seconds and growth of memory of one page step, each in a process of its own.

python benchmarks/hostile_pages.py [NAME ...]
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.spec import TopicSpec

_URL = "http://canal.example/page"
_HAN = [chr(0x4E00 + at) for at in range(0, 20_000, 40)]
_draw = random.Random(1)


def _words(count: int) -> str:
    return " ".join(_draw.choices(("road", "harbour", "winter", "market", "river", "paper", "stone"), k=count))


PAGES: dict[str, Callable[[], str]] = {
    "100,000 links": lambda: (
        "".join(f'<a href="/p/{at}.html">{_words(2)} {at}</a> ' for at in range(99_500))
        + "".join(f'<a href="/lock/{at}">lock gate {at}</a> ' for at in range(500))
    ),
    "100,000 links in blocks": lambda: "".join(f'<p><a href="/{n}" title="t{n}">lock</a>' for n in range(100_000)),
    "500,000 nested blocks": lambda: "<div>" * 500_000 + "lock",
    "300,000 nested inline and block": lambda: "<b><p>" * 300_000 + "lock",
    "a million cells": lambda: "<table><tr>" + "<td>1" * 1_000_000 + "</table>",
    "a million cells in rows": lambda: "<table>" + ("<tr>" + "<td>lock 1</td>" * 100 + "</tr>") * 10_000 + "</table>",
    "150,000 headings": lambda: "".join(f"<h2>lock {at}</h2>" for at in range(150_000)),
    "a word of 1.3 million Han signs": lambda: "<p>" + "".join(_draw.choices(_HAN, k=1_300_000)),
    "an attribute of 50 MB": lambda: f'<p title="{"x" * 50_000_000}">lock</p>',
    "600,000 different words": lambda: "<p>" + " ".join(f"w{at}" for at in range(600_000)),
    "500,000 line breaks": lambda: "lock<br>" * 500_000,
    "100,000 link elements": lambda: "".join(f"<link rel=alternate href=/{at}>" for at in range(100_000)),
    "30,000 posts": lambda: "".join(
        f"<div class=post id=p{at}><div class=author>bob</div><p>lock gate {at} {_words(5)}</p></div>"
        for at in range(30_000)
    ),
}


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def _measure(name: str) -> None:
    spec = {"name": "locks", "language": "zh" if "Han" in name else "en", "terms": {"lock": 1.0, "gate": 0.8}}
    step = build_step(TopicSpec.model_validate(spec))

    def process(url: str, body: bytes) -> int:
        lease = Lease(Entry(url, url_key(url), host_of(url), 1.0), 1, 0.0, 1, 1.0)
        fetched = Fetched(url, 200, body, 1.7e9, "text/html; charset=utf-8")
        return sum("/lock/" in entry.url for entry in step.process(fetched, lease).settlement.found)

    process("http://canal.example/", b"<title>Lock</title><p>The gate of the lock.</p><a href=/b>gate</a>")
    body = f"<html><head><title>lock</title></head><body>{PAGES[name]()}".encode()
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    start = time.process_time()
    best = process(_URL, body)
    seconds = time.process_time() - start
    print(
        f"{name:33} {len(body) / 1e6:5.1f} MB  {seconds:5.2f} s  +{_status('VmHWM') - before:4.0f} MB"
        + (f"  {best} of the 500 best links" if name == "100,000 links" else ""),
        flush=True,
    )


if __name__ == "__main__":
    names = sys.argv[1:] or list(PAGES)
    if len(names) == 1:
        _measure(names[0])
    else:
        for one in names:
            subprocess.run([sys.executable, __file__, one], check=True)
