"""Names that resolve late, never, or not at all: only their own links wait."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from crawl_kit import Crawled

from hostile.bad_manners import Manners, bad_manners, html
from hostile.names import OUTAGE, crawl_names, looked_up

GOOD = [f"/fine/{n}" for n in range(12)]


def crawl(folder: Path, hosts: list[str], *, outage: int = 0, **settings: object) -> tuple[Crawled, Manners, list[str]]:
    """Crawl a page whose links to `hosts` come first and look best, with four places of the downloader."""
    pages = {path: html(f"<h1>chess {path}</h1>") for path in GOOD}
    with bad_manners(pages) as manners:
        bad = "".join(f'<p><a href="http://{host}:{manners.port}/x">lighthouse lamp lens</a></p>' for host in hosts)
        good = "".join(f'<p><a href="http://good.example:{manners.port}{path}">page</a></p>' for path in GOOD)
        manners.answers["/"] = html(f"<h1>lighthouse lamp lens keeper</h1>{bad}{good}")
        env = {OUTAGE: str(outage)}
        done = crawl_names(folder, f"http://good.example:{manners.port}/", CONCURRENT_REQUESTS=4, env=env, **settings)
    return done, manners, looked_up(folder / "names")


def test_other_hosts_do_not_wait_for_names_that_never_resolve(tmp_path: Path) -> None:
    # Each look-up would take an hour: were one of the four places held by each, no page of the good host would come.
    hosts = [f"never{n}.example" for n in range(24)]
    done, _, names = crawl(
        tmp_path, hosts, DNS_TIMEOUT=3600, CLOSESPIDER_PAGECOUNT=len(GOOD) + 2
    )  # robots.txt and /, too
    assert {record.url.rpartition(":")[2].partition("/")[2] for record in done.pages()} >= {path[1:] for path in GOOD}
    assert len([name for name in names if "never" in name]) == 8  # few at a time


def test_a_look_up_that_takes_too_long_is_named_and_tried_three_times(tmp_path: Path) -> None:
    done, manners, names = crawl(tmp_path, ["never.example"], DNS_TIMEOUT=0.1)
    record = next(record for record in done.pages() if "never" in record.url)
    assert (record.outcome, record.reason) == ("refused", "the look-up of its name timed out")
    assert names.count("never.example") == 3
    assert all(manners.asked[path] == 1 for path in GOOD)
    assert done.exit_code == 0


def test_names_of_a_dead_domain_are_not_looked_up_for_ever(tmp_path: Path) -> None:
    hosts = [f"{letter}.dead.example.com" for letter in "abcdefghijklmnopqrst"]
    done, _, names = crawl(tmp_path, hosts, FOCUSCRAWL_NAME_LOOKUPS=1, FOCUSCRAWL_HOST_BACKOFF_S=0.2)
    asked = Counter(name for name in names if "dead" in name)
    assert set(asked.values()) <= {1, 2, 3}
    # Three names were asked for three times; the others that were under way when the third failed, once or twice more.
    assert sum(asked.values()) <= 9 + 2 * 6, asked
    dead = [record for record in done.pages() if "dead" in record.url]
    assert len(dead) == len(hosts)
    assert {(record.outcome, record.reason) for record in dead} == {("refused", "no such host")}


def test_an_outage_of_the_resolver_loses_no_link(tmp_path: Path) -> None:
    hosts = [f"{letter}.weak-{letter}.example" for letter in "abcd"]
    done, _, _ = crawl(tmp_path, hosts, outage=12, FOCUSCRAWL_HOST_BACKOFF_S=0.1)
    weak = [record for record in done.pages() if "weak" in record.url]
    assert {(record.outcome, record.reason) for record in weak} == {("refused", "HTTP 404")}
    assert len(weak) == len(hosts)
    assert done.exit_code == 0
    assert "no host name resolves at present" in done.err


def test_a_crawl_ends_in_an_outage_that_does_not_and_keeps_its_links(tmp_path: Path) -> None:
    hosts = [f"{letter}.weak-{letter}.example" for letter in "abcd"]
    done, _, names = crawl(tmp_path, hosts, outage=10_000, FOCUSCRAWL_HOST_BACKOFF_S=0.1, FOCUSCRAWL_PATIENCE_S=1.0)
    assert not [record for record in done.pages() if "weak" in record.url]
    assert "4 links wait for hosts" in done.err
    assert len([name for name in names if "weak" in name]) <= 4 * 5  # after .1, .2, .4 and .8 seconds
    assert done.exit_code == 0


def test_a_crawl_that_begins_in_an_outage_says_so(tmp_path: Path) -> None:
    seeds = '", "'.join(f"http://dead-{letter}.example/" for letter in "abcd")
    done = crawl_names(tmp_path, seeds, FOCUSCRAWL_HOST_BACKOFF_S=0.05, FOCUSCRAWL_PATIENCE_S=0.5)
    assert "no seed could be fetched: 4 × no name resolves at present" in done.err
    assert done.counts()["queued"] == 4
    assert done.exit_code == 1


def test_a_crawl_that_begins_in_an_outage_does_not_wait_for_its_end(tmp_path: Path) -> None:
    seeds = '", "'.join(f"http://dead-{letter}.example/" for letter in "abcd")
    done = crawl_names(tmp_path, seeds, FOCUSCRAWL_HOST_BACKOFF_S=0.05, FOCUSCRAWL_PATIENCE_S=3600)
    assert "no seed could be fetched: 4 × no name resolves at present" in done.err
    assert done.counts()["queued"] == 4
    assert len(looked_up(tmp_path / "names")) <= 4 * 4
    assert done.exit_code == 1


def test_a_name_that_leads_to_a_private_address_is_not_contacted(tmp_path: Path) -> None:
    done, manners, _ = crawl(tmp_path, [], FOCUSCRAWL_ALLOW_PRIVATE=False)
    assert [(record.outcome, record.reason) for record in done.pages()] == [
        ("refused", "good.example (127.0.0.1) is not a public address")
    ]
    assert not manners.requests


def test_the_proxy_itself_is_no_site_to_crawl(tmp_path: Path) -> None:
    with bad_manners({}) as manners:
        proxy = f"http://proxy.example:{manners.port}"
        links = "".join(f'<p><a href="http://{host}/x">lighthouse</a></p>' for host in ("a.example", "PROXY.example."))
        manners.answers["http://a.example/"] = html(f"<h1>lighthouse lamp</h1>{links}")
        manners.answers["http://a.example/x"] = html("<h1>lighthouse lens</h1>")
        done = crawl_names(
            tmp_path,
            "http://a.example/",
            env={"http_proxy": proxy, "no_proxy": "proxy.example"},
            FOCUSCRAWL_ALLOW_PRIVATE=False,
        )
    assert {record.url: record.reason for record in done.pages()} == {
        "http://a.example/": "",
        "http://a.example/x": "",
        "http://proxy.example/x": "the host of the proxy is not a site to crawl",
    }
