"""Which frontier the settings name, and what of them may be shown."""

from __future__ import annotations

from pathlib import Path
from pprint import pformat
from typing import Any

import pytest
from scrapy.settings import Settings, overridden_settings

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.backends import make_frontier, redis_connection
from focuscrawl.errors import ConfigError
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.glue.fleet import hide_secrets


def test_a_url_of_redis_makes_a_worker_of_a_fleet(tmp_path: Path) -> None:
    settings = {"FOCUSCRAWL_FRONTIER_URL": "redis://127.0.0.1:6379/0", "DOWNLOAD_DELAY": "2", "CONCURRENT_REQUESTS": 8}
    config = FocusConfig.from_settings(settings)
    assert config.frontier == "redis"
    frontier = make_frontier(config, settings, db=tmp_path / "crawl.db", topic="chess")
    assert isinstance(frontier, RedisFrontier)
    assert (frontier.crawl, frontier._delay_s, frontier._dispatch.capacity) == ("chess", 2.0, 8.0)
    named = FocusConfig.from_settings({**settings, "FOCUSCRAWL_CRAWL": "chess-2"})
    again = make_frontier(named, settings, db=tmp_path / "crawl.db", topic="chess")
    assert isinstance(again, RedisFrontier)
    assert again.crawl == "chess-2"


def test_without_a_url_the_frontier_is_in_the_run_folder(tmp_path: Path) -> None:
    frontier = make_frontier(FocusConfig.from_settings({}), {}, db=tmp_path / "crawl.db", topic="chess")
    assert isinstance(frontier, SqliteFrontier)
    assert frontier.path == tmp_path / "crawl.db"


def test_a_url_of_redis_and_another_frontier_exclude_each_other() -> None:
    settings = {"FOCUSCRAWL_FRONTIER": "sqlite", "FOCUSCRAWL_FRONTIER_URL": "redis://127.0.0.1"}
    with pytest.raises(
        ConfigError, match='FOCUSCRAWL_FRONTIER = "sqlite", but FOCUSCRAWL_FRONTIER_URL is one of Redis'
    ):
        FocusConfig.from_settings(settings)


@pytest.mark.parametrize(
    ("url", "settings", "location", "connection"),
    [
        ("", {"REDIS_URL": "redis://b/1", "REDIS_HOST": "c"}, "redis://b/1", {}),
        ("redis://a/0", {"REDIS_URL": "redis://b", "REDIS_PARAMS": {"db": 3}}, "redis://a/0", {"db": 3}),
        ("", {"REDIS_HOST": "c", "REDIS_PORT": 6380, "REDIS_DB": 2}, "", {"host": "c", "port": 6380, "db": 2}),
        ("", {"REDIS_PARAMS": {"redis_cls": "x.Redis", "url": "redis://d"}}, "redis://d", {}),
        ("", {}, "", {}),
    ],
)  # fmt: skip
def test_scrapy_redis_settings_of_the_connection(
    url: str, settings: dict[str, Any], location: str, connection: dict[str, Any]
) -> None:
    assert redis_connection(url, settings) == (location, connection)


def test_redis_params_must_be_a_mapping() -> None:
    with pytest.raises(ConfigError, match="REDIS_PARAMS: expected a dictionary"):
        redis_connection("", {"REDIS_PARAMS": "password=x"})


def test_passwords_are_not_in_what_scrapy_logs() -> None:
    settings = Settings()
    settings.set("FOCUSCRAWL_FRONTIER_URL", "redis://me:pw1@127.0.0.1:6379/0", "cmdline")
    settings.set("REDIS_URL", "redis://me:pw2@127.0.0.1:6379/0", "project")
    settings.set("REDIS_PARAMS", {"password": "pw3", "db": 4}, "project")
    hide_secrets(settings)
    logged = pformat(dict(overridden_settings(settings)))  # as scrapy.crawler does
    assert not {"pw1", "pw2", "pw3"} & set(logged.replace("'", "@").replace(":", "@").split("@"))
    assert settings["FOCUSCRAWL_FRONTIER_URL"] == "redis://me:pw1@127.0.0.1:6379/0"
    assert settings["REDIS_PARAMS"]["password"] == "pw3"
    assert settings.getpriority("FOCUSCRAWL_FRONTIER_URL") == 40
