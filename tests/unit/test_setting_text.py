"""Settings that a Python caller gives, as the crawl's process reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scrapy.downloadermiddlewares.stats import DownloaderStats

from focuscrawl.api.setting_text import setting_text
from focuscrawl.errors import ConfigError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),  # as text it would be the user agent, or the log file, of that name
        (True, "True"),
        (0.5, "0.5"),
        (Path("a/b"), "a/b"),
        (DownloaderStats, "scrapy.downloadermiddlewares.stats.DownloaderStats"),
        (setting_text, "focuscrawl.api.setting_text.setting_text"),
    ],
)
def test_single_values(value: object, text: str) -> None:
    assert setting_text("X", value) == text


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"warc", "jsonl"}, ["jsonl", "warc"]),
        (("jsonl", Path("x")), ["jsonl", "x"]),
        ({Path("a.csv"): {"format": "csv", "fields": None}}, {"a.csv": {"format": "csv", "fields": None}}),
        ({DownloaderStats: 850}, {"scrapy.downloadermiddlewares.stats.DownloaderStats": 850}),
    ],
)
def test_lists_and_mappings(value: object, plain: object) -> None:
    assert json.loads(setting_text("X", value)) == plain


def test_what_another_process_cannot_have_is_told() -> None:
    class Own:
        pass

    with pytest.raises(ConfigError, match=r"setting EXTENSIONS: the crawl runs in a process of its own.*Own from here"):
        setting_text("EXTENSIONS", {Own: 1})
    with pytest.raises(ConfigError, match=r"setting X: <object .* cannot be handed"):
        setting_text("X", [object()])
