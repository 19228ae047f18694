"""What the docs say of Scrapy's settings: the values of the bundled project, and what the add-on sets in any."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest
from docs_kit import DOCS, text_of
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from focuscrawl import settings as bundled
from focuscrawl.addon import FocusCrawlAddon
from focuscrawl.spiders.focused import FocusedSpider

TABLE = text_of(DOCS / "settings.md").partition("\n## Scrapy's own settings\n")[2].partition("\n## ")[0]
SECTION = text_of(DOCS / "scrapy.md").partition("\n## What the add-on sets\n")[2].partition("\n## ")[0]
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+)( \+)? \| `?(.+?)`? \|", re.MULTILINE)
MARKED = {name for names, mark, _ in ROW.findall(TABLE) if mark for name in re.findall(r"\w+", names)}
REDIS = "redis://127.0.0.1:1/0"  # nothing is connected to


def settings_of(mode: str, url: str = "", spider: Spider | None = None, *, addon: bool = True) -> BaseSettings:
    given = {"FOCUSCRAWL_TOPIC": "web-crawling", "FOCUSCRAWL_MODE": mode, "FOCUSCRAWL_FRONTIER_URL": url}
    crawler = Crawler(Spider, given)
    crawler.spider = spider
    if addon:
        FocusCrawlAddon(crawler).update_settings(crawler.settings)
    return crawler.settings


def added(with_addon: BaseSettings, without: BaseSettings, name: str) -> dict[object, Any]:
    before: Mapping[object, Any] = without[name]
    return {part: value for part, value in with_addon[name].items() if before.get(part, "") != value}


def set_by(settings: BaseSettings) -> set[str]:
    """Return the names of what the add-on has set, but for tables of components."""
    own = [name for name in settings if settings.getpriority(name) == SETTINGS_PRIORITIES["addon"]]
    return {name for name in own if isinstance(name, str) and not isinstance(settings[name], BaseSettings)}


@pytest.mark.parametrize("name", re.findall(r"`([A-Z_]+)`", "".join(row[0] for row in ROW.findall(TABLE))))
def test_the_table_has_the_values_of_the_bundled_project(name: str) -> None:
    [shown] = [row[2] for row in ROW.findall(TABLE) if f"`{name}`" in row[0]]
    module: ModuleType = bundled
    value = getattr(module, name)
    megabytes = f"{value // 2**20} MiB" if isinstance(value, int) else ""
    assert shown in (str(value), megabytes) or (shown.endswith("…") and value.startswith(shown[:-1]))


def test_the_marked_rows_are_what_the_add_on_sets() -> None:
    assert set_by(settings_of("frontier")) >= MARKED
    assert {"DOWNLOAD_DELAY", "REDIRECT_MAX_TIMES"} <= MARKED


@pytest.mark.parametrize("spider", [None, FocusedSpider(topic="web-crawling")], ids=["own", "focused"])
@pytest.mark.parametrize("url", ["", REDIS])
@pytest.mark.parametrize("mode", ["score", "frontier", "full"])
def test_everything_that_the_add_on_sets_is_named(mode: str, url: str, spider: Spider | None) -> None:
    settings, plain = settings_of(mode, url, spider), settings_of(mode, url, spider, addon=False)
    assert set_by(settings) - MARKED <= set(re.findall(r"`([A-Z_]+)", SECTION))
    for kind in ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"):
        numbers = {value for value in added(settings, plain, kind).values() if value is not None}
        assert [number for number in numbers if not re.search(rf"[( ]{number}[) ]", SECTION)] == []
    off = [scheme for scheme, handler in added(settings, plain, "DOWNLOAD_HANDLERS_BASE").items() if handler is None]
    assert [scheme for scheme in off if f"`{scheme}:`" not in SECTION] == []


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("REQUEST_FINGERPRINTER_CLASS", "links are told apart by the normal form of their URL"),
        ("SCHEDULER_START_DISK_QUEUE", "start requests come first"),
        ("SCHEDULER_START_MEMORY_QUEUE", "start requests come first"),
    ],
)
def test_settings_that_the_frontier_replaces_are_named(
    caplog: pytest.LogCaptureFixture, name: str, instead: str
) -> None:
    given = {"FOCUSCRAWL_TOPIC": "web-crawling", name: "library.own.Thing"}
    for mode, said in (("frontier", 1), ("score", 0)):
        crawler = Crawler(Spider, {**given, "FOCUSCRAWL_MODE": mode})
        caplog.clear()
        with caplog.at_level("INFO", logger="focuscrawl.addon"):
            FocusCrawlAddon(crawler).update_settings(crawler.settings)
        assert caplog.text.count(f"have no effect: {name} ({instead}") == said
