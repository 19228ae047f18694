"""What the image and the compose file rest on."""

from __future__ import annotations

import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import focuscrawl.settings
from focuscrawl.cli.main import app

ROOT = Path(__file__).resolve().parents[2]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    monkeypatch.setenv("FOCUSCRAWL_FRONTIER_URL", "redis://redis:6379/0")
    yield importlib.reload(focuscrawl.settings)
    monkeypatch.undo()
    importlib.reload(focuscrawl.settings)


def test_workers_find_their_redis_in_the_environment(settings: object) -> None:
    assert focuscrawl.settings.FOCUSCRAWL_FRONTIER_URL == "redis://redis:6379/0"
    assert "FOCUSCRAWL_FRONTIER_URL: redis://redis:6379/0" in text_of("compose.yaml")


def test_the_image_installs_extras_that_exist() -> None:
    extras = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    named = re.findall(r"\[([a-z,]+)\]'", text_of("Dockerfile"))
    assert len(named) == 2
    assert {extra for names in named for extra in names.split(",")} <= extras.keys()


def test_what_the_build_needs_is_sent_to_it() -> None:
    """The build sees only what .dockerignore lets through: all the package's own files must be among them."""
    allowed = {line[1:] for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert {project["readme"], "focuscrawl", "topics", "seeds", "setup.py", "pyproject.toml"} <= allowed
    assert all((ROOT / name).exists() for name in allowed)


def test_the_image_runs_as_an_ordinary_user_and_writes_to_one_volume() -> None:
    image = text_of("Dockerfile")
    assert image.index("USER crawler") < image.index("ENTRYPOINT")
    assert re.findall(r"^VOLUME (.*)$", image, re.MULTILINE) == ['["/data/crawls"]']


def test_the_dashboard_is_led_to_loopback_of_the_machine_under_the_same_port() -> None:
    """The compose file is read by hand: no YAML library is a dependency."""
    service = text_of("compose.yaml").partition("  dashboard:\n")[2].partition("\nvolumes:")[0]
    words = shlex.split(service.partition("command: [")[2].partition("]")[0].replace(",", " "))
    result = CliRunner().invoke(app, [*words, "--help"])
    assert result.exit_code == 0
    assert {"--shared", "--listen", "--no-open"} <= set(words)
    port = words[words.index("--port") + 1]
    assert f'ports: ["127.0.0.1:{port}:{port}"]' in service
    place = re.search(r"- crawls:(\S+)", service)
    assert place is not None
    assert f"- crawls:{place[1]}\n" in text_of("compose.yaml").partition("  worker:\n")[2].partition("  dashboard:")[0]
