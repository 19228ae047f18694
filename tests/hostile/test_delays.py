"""Hosts that want to be asked once in eleven days: they are, nearly, and nobody else waits for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_kit import Crawled

from hostile.bad_manners import Manners, bad_manners, html, raw
from hostile.names import crawl_names

SLOW = [f"slow{n}.example" for n in range(24)]
GOOD = [f"/fine/{n}" for n in range(12)]


def robots(delay: str) -> str:
    return f"User-agent: *\nCrawl-delay: {delay}\n"


def crawl(folder: Path, delay: str, **settings: object) -> tuple[Crawled, Manners]:
    text = robots(delay).encode()
    answer = raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(text) + text)
    pages = {path: html(f"<h1>page {path}</h1>") for path in GOOD}
    pages |= {f"{host}/robots.txt": answer for host in SLOW} | {"/x": html("<h1>lighthouse</h1>")}
    with bad_manners(pages) as manners:
        at = f"example:{manners.port}"
        bad = "".join(f'<p><a href="http://slow{n}.{at}/x">lighthouse lamp lens</a></p>' for n in range(len(SLOW)))
        good = "".join(f'<p><a href="{path}">page</a></p>' for path in GOOD)
        pages["/"] = html(f"<h1>lighthouse lamp lens keeper</h1>{bad}{good}")
        # A redirect passes no frontier, so the delay of its host has to be seen where it is followed.
        pages["/fine/0"] = raw(b"HTTP/1.1 302 Found\r\nLocation: http://slow0.%s/y\r\n\r\n" % at.encode())
        done = crawl_names(folder, f"http://good.{at}/", CONCURRENT_REQUESTS=4, **settings)
    return done, manners


@pytest.mark.parametrize("delay", ["1000000", "1e300"])
def test_other_hosts_do_not_wait_for_the_delay_of_one(tmp_path: Path, delay: str) -> None:
    done, manners = crawl(tmp_path, delay, FOCUSCRAWL_PATIENCE_S=1)
    assert all(manners.asked[path] == 1 for path in GOOD)
    # Their leases went back when the delay was learned: read once, nothing fetched, nothing lost.
    assert [manners.asked[f"{host}/robots.txt"] for host in SLOW] == [1] * len(SLOW)
    assert (manners.asked["/x"], manners.asked["/y"]) == (0, 0)
    assert done.counts()["queued"] == len(SLOW) + 1
    moved = done.page("/fine/0")
    assert (moved.outcome, moved.reason) == (
        "refused",
        "redirects to a host that is asked later; its target is queued by itself",
    )
    assert done.exit_code == 0


def test_the_longest_delay_is_a_setting(tmp_path: Path) -> None:
    done, manners = crawl(tmp_path, "1000000", FOCUSCRAWL_MAX_CRAWL_DELAY_S=0.1)
    assert manners.asked["/x"] == len(SLOW)
    assert manners.asked["/y"] == 1
    assert done.counts()["queued"] == 0


@pytest.mark.parametrize("delay", ["nan", "inf", "-5", "soon"])
def test_what_is_no_delay_is_none(tmp_path: Path, delay: str) -> None:
    _, manners = crawl(tmp_path, delay)
    assert manners.asked["/x"] == len(SLOW)
