"""Wrong arguments, settings and files: one clear sentence each, and nothing left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crawl_kit import crawl_here, topic_file
from site_kit import Site

from focuscrawl.errors import ConfigError, FocusCrawlError, FrontierError, PluginError, StoreError, TopicError


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return str(topic_file(tmp_path, site.url("/")))


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "words"),
    [
        ({"pages": "many"}, {}, ConfigError, "pages = many: expected a whole number, 0 or more."),
        ({"minutes": "-1"}, {}, ConfigError, "minutes = -1: expected a number, 0 or more."),
        ({"page": "3"}, {}, ConfigError, "-a page=3: there is no such argument; known: "),
        ({"page": "3"}, {}, ConfigError, 'Did you mean "pages"?'),
        ({"strategy": "heuristc"}, {}, PluginError, 'Did you mean "heuristic"?'),
        ({"seeds": "missing.txt"}, {}, TopicError, "missing.txt: there is no such file"),
        ({"seeds": "http://exa mple/"}, {}, TopicError, "expected an http or https URL"),
        ({"topic": "lighthous"}, {}, TopicError, 'topic "lighthous": no such file'),
        ({}, {"FOCUSCRAWL_FRONTEIR": "x"}, ConfigError, 'Did you mean "FOCUSCRAWL_FRONTIER"?'),
        ({}, {"FOCUSCRAWL_FRONTIER": "sqlit"}, ConfigError, 'Did you mean "sqlite"?'),
        ({}, {"FOCUSCRAWL_LEASE_S": "long"}, ConfigError, 'FOCUSCRAWL_LEASE_S = "long": expected a number.'),
        ({}, {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}, ConfigError, "Remove SCHEDULER"),
        ({}, {"SCHEDULER": "integration_parts.OtherScheduler"}, ConfigError, "is 'integration_parts.OtherScheduler'"),
        ({}, {"JOBDIR": "jobs"}, ConfigError, "Remove JOBDIR"),
    ],
)
def test_what_is_wrong_is_said_and_no_run_folder_made(
    site: Site,
    topic: str,
    tmp_path: Path,
    arguments: dict[str, Any],
    settings: dict[str, Any],
    error: type[FocusCrawlError],
    words: str,
) -> None:
    run = tmp_path / "run"
    with pytest.raises(error) as raised:
        crawl_here(run, settings=settings, **{"topic": topic, **arguments})
    assert words in str(raised.value)
    assert not run.exists()
    assert site.log(pages_only=False) == []


def test_a_topic_and_seeds_are_asked_for(site: Site, topic: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="-a topic= is missing"):
        crawl_here(tmp_path, pages=3, run="")
    path = Path(topic)
    path.write_text(path.read_text(encoding="utf-8").replace("seeds =", "# seeds ="), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"No seeds: topic .*lighthouses.toml names none"):
        crawl_here(tmp_path / "run", topic=topic)
    assert not (tmp_path / "run").exists()


def test_all_faults_are_said_together(topic: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        crawl_here(tmp_path / "run", topic=topic, pages="x", relevant="y", topics="z")
    assert str(raised.value).count("\n") == 2


def test_a_folder_with_other_files_is_left_alone(topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "letter.txt").write_text("dear reader", encoding="utf-8")
    with pytest.raises(StoreError, match="not a run folder"):
        crawl_here(run, topic=topic)
    assert [path.name for path in run.iterdir()] == ["letter.txt"]


def test_a_run_about_another_topic_is_left_alone(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_here(tmp_path / "run", topic=topic, pages=1)
    with pytest.raises(ConfigError, match='this run is about "lighthouses", not "tea"'):
        crawl_here(tmp_path / "run", topic="tea")


def test_a_database_that_was_cut_off_is_said(site: Site, topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl_here(run, topic=topic, pages=20)
    for name in ("crawl.db-wal", "crawl.db-shm"):
        (run / name).unlink(missing_ok=True)
    content = (run / "crawl.db").read_bytes()
    (run / "crawl.db").write_bytes(content[: len(content) // 3])
    with pytest.raises((FrontierError, StoreError), match="damaged"):
        crawl_here(run, pages=40)
