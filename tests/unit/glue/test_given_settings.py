"""What a run keeps of the settings it was given."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import Settings

from focuscrawl.config import FocusConfig
from focuscrawl.glue.given_settings import given_settings
from focuscrawl.report.read import read_run
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run_settings import RunSettings


def given(**values: object) -> dict[str, object]:
    settings = Settings(values)
    return given_settings(settings, FocusConfig.from_settings(settings))


def test_settings_of_scrapy_and_of_ours_are_kept_as_they_were_understood() -> None:
    assert given(ROBOTSTXT_OBEY=True, FOCUSCRAWL_RENDER="auto", FOCUSCRAWL_FTP="0", FOCUSCRAWL_STORES="jsonl,warc") == {
        "FOCUSCRAWL_FTP": False,
        "FOCUSCRAWL_RENDER": "auto",
        "FOCUSCRAWL_STORES": "jsonl,warc",
        "ROBOTSTXT_OBEY": True,
    }


def test_a_report_names_them_without_passwords(tmp_path: Path) -> None:
    overrides = given(FOCUSCRAWL_RENDER="auto", FOCUSCRAWL_POSTGRES_URL="postgresql://me:geheim@h/crawls")
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        RunSettings(topic="chess", overrides=overrides).save(db)
        data = read_run(db)
    assert data.settings["FOCUSCRAWL_RENDER"] == "auto"
    assert data.settings["FOCUSCRAWL_POSTGRES_URL"] == "postgresql://***@h/crawls"
