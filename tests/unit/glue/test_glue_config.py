"""Settings: declared once, checked, documented."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from focuscrawl.config import FocusConfig, setting_name, setting_names
from focuscrawl.errors import ConfigError
from focuscrawl.topic.files import find_topic

DOCS = Path(__file__).resolve().parents[3] / "docs" / "settings.md"


def test_defaults_are_a_valid_configuration() -> None:
    config = FocusConfig.from_settings({"BOT_NAME": "x"})
    assert config.frontier == "sqlite"
    assert config.allow_private is False


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"FOCUSCRAWL_LEASE_S": "60"}, "lease_s", 60.0),
        ({"FOCUSCRAWL_KEEP_IRRELEVANT": "1"}, "keep_irrelevant", True),
        ({"FOCUSCRAWL_REPORT": "False"}, "report", False),
        ({"FOCUSCRAWL_REPORT": 0}, "report", False),
        ({"FOCUSCRAWL_STORES": "jsonl"}, "stores", ("jsonl",)),
        ({"FOCUSCRAWL_STORES": '["jsonl"]'}, "stores", ("jsonl",)),
        ({"FOCUSCRAWL_STORES": ""}, "stores", ()),
        ({"FOCUSCRAWL_ALLOW_PRIVATE": "True"}, "allow_private", True),
        ({"FOCUSCRAWL_ALLOW_PRIVATE": "no"}, "allow_private", False),
        (
            {"FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1, intranet.example"},
            "allow_private",
            ("127.0.0.1", "intranet.example"),
        ),
        ({"FOCUSCRAWL_ALLOW_PRIVATE": ["10.0.0.0/8"]}, "allow_private", ("10.0.0.0/8",)),
        ({"FOCUSCRAWL_TOPIC": None}, "topic", ""),
        ({"FOCUSCRAWL_RUN": Path("runs") / "tea"}, "run", "runs/tea"),
    ],
)
def test_values_come_as_the_command_line_gives_them(given: dict[str, object], field: str, value: object) -> None:
    assert getattr(FocusConfig.from_settings(given), field) == value


# Every text among the settings that is no path of a file to be read: names, addresses, and folders that are written.
_NO_FILES = {
    *("run", "crawls", "frontier", "frontier_url", "crawl", "extractor", "postgres_url", "opensearch_url", "operator"),
    "metrics_address",
}
_FILES = sorted({name for name, field in FocusConfig.model_fields.items() if field.annotation is str} - _NO_FILES)


@pytest.mark.parametrize("field", _FILES)
def test_files_are_looked_for_here_and_then_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    project, here = tmp_path / "project", tmp_path / "project" / "deeper"
    (here / "own").mkdir(parents=True)
    (project / "own").mkdir()
    (project / "scrapy.cfg").touch()
    (project / "own" / "one.toml").touch()
    (project / "plain").touch()
    monkeypatch.chdir(here)

    def found(name: str) -> Path:
        named = str(getattr(FocusConfig.from_settings({setting_name(field): name}), field))
        return find_topic(named) if field == "topic" else Path(named)

    assert found("own/one.toml") == project / "own" / "one.toml"
    assert found("own/two.toml") == Path("own/two.toml")
    assert found(str(here / "own" / "one.toml")) == here / "own" / "one.toml"
    (here / "own" / "one.toml").touch()
    assert found("own/one.toml") == Path("own/one.toml")
    if field != "topic":
        assert found("plain") == Path("plain")


def test_a_new_setting_that_is_a_text_is_a_file_or_none() -> None:
    assert _FILES == ["browser", "lexicon", "logins", "topic"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"FOCUSCRAWL_FRONTEIR": 1},
            'FOCUSCRAWL_FRONTEIR: there is no such setting. Did you mean "FOCUSCRAWL_FRONTIER"?',
        ),
        ({"FOCUSCRAWL_FRONTIER": "sqlit"}, 'FOCUSCRAWL_FRONTIER = "sqlit": unknown frontier; known: '),
        (
            {"FOCUSCRAWL_FRONTIER_URL": "redsi://me:geheim@h:6379/0"},
            'FOCUSCRAWL_FRONTIER_URL = "redsi://me:***@h:6379/0": "redsi" is no scheme of a Redis; expected'
            ' redis://host:6379/0, rediss://… for TLS, unix://… for a socket, or redis+sentinel://. Did you mean "redis://"?',
        ),
        ({"FOCUSCRAWL_FRONTIER_URL": "keydb://h/0"}, 'Did you mean "redis://"?'),
        ({"FOCUSCRAWL_FRONTIER_URL": "redis+cluster://h/0"}, 'Did you mean "redis://"?'),
        ({"FOCUSCRAWL_FRONTIER_URL": "http://h/0"}, '"http" is no scheme of a Redis'),
        (
            {"FOCUSCRAWL_FRONTIER_URL": "127.0.0.1:6379"},
            'FOCUSCRAWL_FRONTIER_URL = "127.0.0.1:6379": the scheme is missing; expected redis://host:6379/0,'
            ' rediss://… for TLS, unix://… for a socket, or redis+sentinel://. Did you mean "redis://127.0.0.1:6379"?',
        ),
        ({"FOCUSCRAWL_FRONTIER_URL": "redis//h:6379/0"}, 'Did you mean "redis://h:6379/0"?'),
        ({"FOCUSCRAWL_FRONTIER_URL": "rediss:/h:6379/0"}, 'Did you mean "rediss://h:6379/0"?'),
        ({"FOCUSCRAWL_FRONTIER_URL": "redis:6379"}, 'Did you mean "redis://redis:6379"?'),
        ({"FOCUSCRAWL_FRONTIER_URL": "me:geheim@h"}, 'FOCUSCRAWL_FRONTIER_URL = "***@h": the scheme is missing'),
        ({"FOCUSCRAWL_FRONTIER_URL": "/run/redis.sock"}, 'Did you mean "unix:///run/redis.sock"?'),
        (
            {"FOCUSCRAWL_FRONTIER": "redis", "FOCUSCRAWL_FRONTIER_URL": "redsi://h"},
            '"redsi" is no scheme of a Redis',
        ),
        ({"FOCUSCRAWL_LEASE_S": "long"}, 'FOCUSCRAWL_LEASE_S = "long": expected a number.'),
        ({"FOCUSCRAWL_LEASE_S": 0}, "FOCUSCRAWL_LEASE_S = 0: expected 1.0 or more."),
        ({"FOCUSCRAWL_LEASE_S": float("nan")}, "FOCUSCRAWL_LEASE_S = NaN: expected"),
        ({"FOCUSCRAWL_MAX_LINKS": 2.5}, "FOCUSCRAWL_MAX_LINKS = 2.5: expected a whole number."),
        ({"FOCUSCRAWL_MODE": "all"}, "FOCUSCRAWL_MODE = \"all\": expected 'score', 'frontier' or 'full'."),
        ({"FOCUSCRAWL_REPORT": "maybe"}, 'FOCUSCRAWL_REPORT = "maybe": expected True or False.'),
        (
            {"FOCUSCRAWL_ALLOW_PRIVATE": "10.0.0.0/99"},
            'FOCUSCRAWL_ALLOW_PRIVATE = "10.0.0.0/99": expected True, False, or',
        ),
        ({"FOCUSCRAWL_STORES": 5}, "FOCUSCRAWL_STORES = 5: expected names, with commas between them or as a list."),
        ({"FOCUSCRAWL_STORES": '["jsonl"'}, 'STORES = "[\\"jsonl\\"": expected names, with commas between them'),
        ({"FOCUSCRAWL_FRONTIER_URL": ["redis://:geheim@h/0"]}, "FOCUSCRAWL_FRONTIER_URL is a list: expected a text."),
        ({"FOCUSCRAWL_POSTGRES_URL": {"geheim": 1}}, "FOCUSCRAWL_POSTGRES_URL is a dict: expected a text."),
        ({"FOCUSCRAWL_MIN_HARVEST": 2}, "FOCUSCRAWL_MIN_HARVEST = 2: expected 1.0 or less."),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError) as raised:
        FocusConfig.from_settings(given)
    assert sentence in str(raised.value)
    assert "geheim" not in str(raised.value)


def test_all_faults_are_said_together() -> None:
    with pytest.raises(ConfigError) as raised:
        FocusConfig.from_settings({"FOCUSCRAWL_X": 1, "FOCUSCRAWL_LEASE_S": "x", "FOCUSCRAWL_MODE": "x"})
    assert len(str(raised.value).splitlines()) == 3


@pytest.mark.parametrize(("concurrent", "buffer"), [(1, 2), (8, 2), (16, 4), (64, 16)])
def test_the_buffer_is_small(concurrent: int, buffer: int) -> None:
    assert FocusConfig().buffer_size(concurrent) == buffer
    assert FocusConfig(frontier_buffer=7).buffer_size(concurrent) == 7


def test_every_setting_has_a_heading_and_no_heading_is_left_over() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert re.findall(r"^### `(FOCUSCRAWL_\w+)`$", text, re.MULTILINE) == setting_names()


def test_the_documented_defaults_and_meanings_are_those_of_the_code() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for name, field in FocusConfig.model_fields.items():
        section = text.split(f"### `{setting_name(name)}`\n", 1)[1].split("\n### ", 1)[0]
        assert f"Default: `{field.default!r}`" in section
        assert field.description in " ".join(section.split())
        choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        assert [choice for choice in choices if f"`{choice}`" not in section and choice != field.default] == []
