"""Scripts as the documentation and they themselves call them: each is there, and takes the words it is given."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from docs_kit import PAGES, ROOT, Command, blocks, commands, indented_commands, inline_commands, parted
from scrapy.settings import default_settings
from script_kit import UnknownWordsError, is_started, parser_of

from focuscrawl import plugins
from focuscrawl.config import FocusConfig
from focuscrawl.options import options_of

SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))


def of_page(page: Path) -> list[Command]:
    """Return the commands of a page that start a script."""
    fenced = [command for block in blocks(page) if block.language in ("sh", "bash") for command in commands(block)]
    return [command for command in [*fenced, *indented_commands(page)] if _starts(command)]


def of_docstring(script: Path) -> list[Command]:
    """Return the commands that a script shows of itself, with what may be left out, and the first of each choice."""
    text = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").replace("\\\n", " ")
    shown = re.sub(r"[\[\]]|\s?\|\s?[\w-]+", "", text)
    return [
        Command(script, words) for line in re.findall(r"python benchmarks/[^`\n]+", shown) for words in parted(line)
    ]


def _starts(command: Command) -> bool:
    return command.words[0] in ("python", "python3") and command.words[1].endswith(".py")


def name_of(given: Command | str) -> str:
    return f"{given.page.name}: {given.line}" if isinstance(given, Command) else given


WHOLE = [command for page in PAGES for command in of_page(page)]
WHOLE += [command for script in SCRIPTS for command in of_docstring(script)]
NAMED = [command for page in PAGES for command in inline_commands(page)]
NAMED = [command for command in NAMED if _starts(command) or command.words[0].endswith(".py")]


def script_of(command: Command) -> tuple[Path, list[str]]:
    words = list(command.words[command.words[0] in ("python", "python3") :])
    return ROOT / words[0], words[1:]


def test_there_are_commands_of_all_kinds() -> None:
    assert len(WHOLE) > 90
    assert len(NAMED) > 20


@pytest.mark.parametrize("command", WHOLE, ids=name_of)
def test_a_script_takes_what_it_is_given(command: Command) -> None:
    script, words = script_of(command)
    assert is_started(script)
    try:
        parser_of(script).parse_args(words)
    except UnknownWordsError as error:
        pytest.fail(str(error))


@pytest.mark.parametrize("command", NAMED, ids=name_of)
def test_a_script_in_a_sentence_and_its_options_are_there(command: Command) -> None:
    script, words = script_of(command)
    assert script.is_file()
    if words:
        known = parser_of(script)._option_string_actions
        assert [word for word in words if word.startswith("-") and word not in known] == []


KINDS = {"--strategies": "rankers", "--strategy": "rankers", "--judges": "judges", "--methods": "extractors"}
GIVEN = [(option, command) for command in WHOLE + NAMED for option in (*KINDS, "--set") if option in command.words]


def value_of(command: Command, option: str) -> str:
    return command.words[command.words.index(option) + 1]


@pytest.mark.parametrize(("option", "command"), [one for one in GIVEN if one[0] in KINDS], ids=name_of)
def test_a_plug_in_that_a_script_is_given_and_its_options_are_there(option: str, command: Command) -> None:
    for given in value_of(command, option).split(","):
        name, *options = given.split(":")
        if name != "…":
            declared = options_of(plugins.load(KINDS[option], name)).names
            assert {one.partition("=")[0] for one in options} <= declared


@pytest.mark.parametrize("command", [one for option, one in GIVEN if option == "--set"], ids=name_of)
def test_a_setting_that_a_script_is_given_is_there(command: Command) -> None:
    for name in [
        word.partition("=")[0]
        for word, option in zip(command.words[1:], command.words, strict=False)
        if option == "--set"
    ]:
        assert name.removeprefix("FOCUSCRAWL_").lower() in FocusConfig.model_fields or name in vars(default_settings)
