"""A crawl that is watched while it runs: its dashboard and its metrics, asked for by settings."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from crawl_kit import ROOT, clean_environment, command, crawl_here, topic_file
from redis_kit import free_port
from site_kit import Site

from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import BanHost
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run_settings import RunTimes


def test_the_dashboard_of_a_setting_watches_and_stops_the_crawl(site: Site, tmp_path: Path) -> None:
    topic = topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.3)
    run = tmp_path / "run"
    words = command(run, "-a", f"topic={topic}", settings={"FOCUSCRAWL_DASHBOARD": free_port(), "DOWNLOAD_DELAY": 0.3})
    process = subprocess.Popen(
        [sys.executable, "-m", *words], cwd=ROOT, env=clean_environment(), stderr=subprocess.PIPE, bufsize=0
    )
    assert process.stderr is not None
    seen = b""
    while (found := re.search(rb"http://127\.0\.0\.1:(\d+)/#token=(\S+)\s", seen)) is None:
        data = process.stderr.read(4096)
        assert data, seen
        seen += data
    port, token = int(found[1]), found[2].decode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/api/events")
    answer = connection.getresponse()
    while not (line := answer.readline()).startswith(b"data: {"):
        assert line
    state = json.loads(line[6:])
    assert state["run"]["topic"] == "lighthouses"
    assert state["run"]["state"] == "running"
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "X-Focuscrawl-Token": token}
    asked.request("POST", "/api/orders/stop", b"{}", headers)
    given = json.loads(asked.getresponse().read())
    assert given["anybody"] is True
    _, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    with CrawlDb.open_readonly(run / "crawl.db") as db:
        assert RunTimes.load(db).stop_reason == "stopped: from the dashboard"
    # The dashboard has ended with the crawl.
    with pytest.raises(OSError):  # noqa: PT012 - whichever of the calls sees it first
        gone = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        gone.request("GET", "/")
        gone.getresponse()
    connection.close()
    asked.close()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The metrics as they are at the end of a crawl, by name and reason."""
    from prometheus_client.parser import text_string_to_metric_families

    from focuscrawl.glue.metrics import MetricsExtension

    told: dict[str, float] = {}
    close = MetricsExtension._closed

    def look_first(extension: MetricsExtension) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", extension.port, timeout=60)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                assert sample.labels["topic"] == "lighthouses"
                told[" ".join([sample.name, sample.labels.get("reason", "")]).strip()] = sample.value
        close(extension)

    monkeypatch.setattr(MetricsExtension, "_closed", look_first)
    return told


def test_prometheus_finds_the_numbers(site: Site, tmp_path: Path, told: dict[str, float]) -> None:
    topic = str(topic_file(tmp_path, site.url("/")))
    done = crawl_here(tmp_path / "run", topic=topic, pages=10, settings={"FOCUSCRAWL_METRICS_PORT": free_port()})
    pages = [record for record in done.pages() if record.outcome == "done"]
    assert told["focuscrawl_pages_total"] == len(pages) == 10
    assert told["focuscrawl_relevant_pages_total"] == sum(record.relevant for record in pages)
    assert told["focuscrawl_harvest_ratio"] == sum(record.relevant for record in pages) / 10
    doc = (Path(__file__).parents[2] / "docs" / "dashboard.md").read_text()
    documented = set(re.findall(r"`(focuscrawl_[a-z_]+)`", doc))
    assert set(told) | {"focuscrawl_failed_fetches_total", "focuscrawl_unasked_links_total"} == documented


def test_links_dropped_without_a_request_are_no_failed_fetches(
    site: Site, tmp_path: Path, told: dict[str, float]
) -> None:
    topic, run = str(topic_file(tmp_path, site.url("/links/status~404,page~3"))), tmp_path / "run"
    crawl_here(run, topic=topic, pages=2)
    folder_channel.give(run, BanHost(host="127.0.0.1"))
    told.clear()
    done = crawl_here(run, pages=20, settings={"FOCUSCRAWL_METRICS_PORT": free_port()})
    reasons = Counter(record.reason for record in done.pages() if record.outcome != "done")
    assert reasons["host is banned"] > 0
    failed = {name: n for name, n in told.items() if name.startswith("focuscrawl_failed_fetches_total")}
    assert failed == {
        f"focuscrawl_failed_fetches_total {reason}": n for reason, n in reasons.items() if "HTTP" in reason
    }
    assert told["focuscrawl_unasked_links_total host is banned"] == reasons["host is banned"]


def test_a_port_in_use_costs_the_metrics_only(site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("prometheus_client", reason="the extra metrics is not installed")
    topic = str(topic_file(tmp_path, site.url("/")))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = crawl_here(tmp_path / "run", topic=topic, pages=3, settings={"FOCUSCRAWL_METRICS_PORT": port})
    assert sum(record.outcome == "done" for record in done.pages()) == 3
    assert f"127.0.0.1:{port}: address already in use; the crawl goes on without metrics." in caplog.text
