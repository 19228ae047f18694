"""The list of commands: what loads when, what is documented."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from focuscrawl.cli.lazy import LATER, loaded
from focuscrawl.cli.main import app, run

Command = Callable[..., tuple[int, str, str]]
DOCS = Path(__file__).parents[3] / "docs" / "commands.md"
LINKED = re.compile(r"\]\(([\w-]+\.md)")
THERE = [name for name, later in LATER.items() if find_spec(later.module)]


def options(command: Any, words: str) -> Iterator[tuple[str, str]]:
    """Return the long options of a command and of those below it that its help shows, each with the command's words."""
    for name, below in getattr(command, "commands", {}).items():
        yield from options(below, f"{words} {name}")
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            yield from ((words, option) for option in parameter.opts if option.startswith("--"))


def test_every_command_and_option_is_documented() -> None:
    """In the command's own section, in the words before all sections, or on a page that the section links to."""
    first, *parts = re.split(r"^## (?:focuscrawl )?", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = {part.split(maxsplit=1)[0]: part for part in parts}
    group: Any = get_command(app)
    commands = {name: loaded(name) for name in THERE} | group.commands
    assert set(LATER) | set(group.commands) <= set(sections)
    missing = []
    for name, command in commands.items():
        pages = [(DOCS.parent / page).read_text(encoding="utf-8") for page in LINKED.findall(sections[name])]
        text = "\n".join([first, sections[name], *pages])
        for words, option in options(command, name):
            if option != "--set" and not re.search(rf"{option}(?![\w-])", text):  # -s, as the pages call it
                missing.append(f"{words} {option}")
    assert not missing


@pytest.mark.parametrize("name", THERE)
def test_commands_that_are_loaded_later_load(name: str, command: Command) -> None:
    assert loaded(name).name == name
    code, out, _ = command(name, "--help")
    assert code == 0
    assert out.startswith("Usage: focuscrawl " + name)


def test_help_lists_all_commands(command: Command) -> None:
    code, out, _ = command("--help")
    assert code == 0
    for name in [*THERE, "status", "explain", "report", "export", "extract"]:
        assert f"\n  {name} " in out
    for group in ("", "topic", "seeds", "fleet"):
        assert "..." not in command(*group.split(), "--help")[1].partition("Commands:")[2], "a sentence is cut"


@pytest.mark.parametrize(
    "arguments",
    [
        ("extract", "--pages", "FILE"),
        ("extract", "--pages", "FILE", "--feed", "FILE"),
        ("extract", "FILE", "--method", "density_svm", "--model", "FILE"),
        ("evaluate", "FILE"),
        ("filter", "tea", "FILE"),
        ("train-extractor", "FILE", "--out", "model.json"),
        ("topic", "teach", "latest", "--labels", "FILE"),
    ],
    ids=" ".join,
)
def test_a_file_that_may_not_be_read_is_no_wrong_usage(
    arguments: tuple[str, ...], command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser leaves it to the command, which says so and ends with 1; root may read everything, so it is asked."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").touch()
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    code, _, told = command(*arguments)
    assert code != 2, told


def test_wrong_usage_is_2(command: Command) -> None:
    assert command("nonsense")[0] == 2
    assert command("status")[0] == 2
    assert command("explain", "latest")[0] == 2
    assert command("status", "latest", "--nonsense")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("extract", "page.html", "--out", "x.txt"), 2, "--out goes with --pages"),
        (("crawl", "tea.toml", "-s", "FOO"), 2, "-s FOO: expected NAME=VALUE, as in -s DOWNLOAD_DELAY=2"),
        (("crawl", "tea.toml", "-s", "=2"), 2, "-s =2: expected NAME=VALUE"),
        (("export", "latest", "--excel"), 2, '--excel: expected with --format csv, found "jsonl".'),
    ],
)
def test_options_that_are_none_or_would_do_nothing_are_refused(
    command: Command, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    ended, _, err = command(*arguments)
    assert ended == code
    assert sentence in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["crawl", "tea.toml", "--pages", "many"],
            "Invalid value for '--pages': expected a whole number, found \"many\"",
        ),
        (["crawl", "tea.toml", "--pages", "-3"], 'expected 0 or more, found "-3"'),
        (["demo", "--port", "9" * 200], 'expected 65535 or less, found "' + "9" * 80 + '…"'),
        (["crawl", "tea.toml", "--minutes", "茶"], 'expected a number, found "茶"'),
        (["export", "latest", "--format", "docx"], "'--format' / '-f': 'docx' is not one of 'jsonl', "),
        (["exprot"], 'no such command "exprot"; known: crawl, '),
        (["topic", "chek"], 'known: check, show, list, new, teach. Did you mean "check"?'),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str], arguments: list[str], told: str) -> None:
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    assert ended.value.code == 2
    assert told in " ".join(capsys.readouterr().err.split())
