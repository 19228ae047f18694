"""A tenth of all answers fail: nearly all that is found without failures is found."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from pathlib import Path

import site_kit
from crawl_kit import crawl_command, topic_file

from focuscrawl.types import draw
from hostile.bad_manners import Answer, bad_manners, html
from hostile.broken import OK, reset, whole

_FAILURES: list[Answer] = [
    reset(),
    reset(OK + b"Content-Length: 9999\r\n\r\n", b"<p>half"),
    whole(b"busy", status=b"500 Oops"),
    whole(b"later", status=b"503 Later"),
    whole(b"no gzip", b"Content-Encoding: gzip"),
]


def chaotic(number: int, asked: Counter[int], lock: threading.Lock) -> Answer:
    """Answer with a page of the test site, but for a tenth of the times; which, is drawn by page and time."""

    def send(connection: socket.socket) -> None:
        with lock:
            asked[number] += 1
            time = asked[number]
        if draw(1, number, f"chaos{time}") < 0.1:
            _FAILURES[int(draw(1, number, f"kind{time}") * len(_FAILURES))](connection)
        else:
            html(site_kit.page(number))(connection)

    return send


def relevant(folder: Path, *, chaos: bool) -> tuple[set[str], int]:
    """Crawl the site's pages; return the paths of the relevant ones, and how many answers failed."""
    asked: Counter[int] = Counter()
    lock = threading.Lock()
    make = (lambda n: chaotic(n, asked, lock)) if chaos else (lambda n: html(site_kit.page(n)))
    with bad_manners({f"/page/{n}": make(n) for n in range(site_kit.PAGES)}) as manners:
        folder.mkdir()
        done = crawl_command(folder / "run", "-a", f"topic={topic_file(folder, manners.url('/page/0'))}")
    found = {record.url.removeprefix(manners.url("")) for record in done.pages() if record.relevant}
    return found, sum(asked.values()) - len(asked)


def test_a_tenth_of_failures_costs_less_than_a_twentieth_of_the_finds(tmp_path: Path) -> None:
    without, _ = relevant(tmp_path / "calm", chaos=False)
    found, failures = relevant(tmp_path / "chaos", chaos=True)
    assert failures >= 3
    assert len(found & without) >= 0.95 * len(without)
