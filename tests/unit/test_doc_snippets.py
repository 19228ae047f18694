"""The snippets of the documentation: every command is parsed by its own parser, every block is loaded or run."""

from __future__ import annotations

import argparse
import ast
import configparser
import io
import json
import re
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from docs_kit import (
    DOCS,
    PAGES,
    ROOT,
    Block,
    Command,
    blocks,
    codes,
    commands,
    indented_commands,
    inline_commands,
    prose,
)
from scrapy.settings import default_settings
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

import focuscrawl
from focuscrawl.cli.main import app
from focuscrawl.commands.crawl import Command as CrawlCommand
from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.logins import Logins
from focuscrawl.glue.setting_types import check_setting_types
from focuscrawl.page.analysis import analyse
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.text.tokenize import make_auto
from focuscrawl.topic.spec import load_topic

# Programs of others: what they do is not ours to test.
OTHERS = {"python3", "python", ".", "pip", "pytest", "jq", "mkdir", "redis-server", "redis-cli", "xargs", "sleep"}
OTHERS |= {"apt", "docker", "sqlite3", "export", "unset"}
# Commands that need no network and no run, and are done in less than a second.
EXECUTED = {("topic", "check"), ("topic", "list"), ("topic", "show")}
# Output that is shown of something else than the files of the page so far.
SHOWN_OTHERWISE = {
    "docs/tutorial.md tournament": "the file with two mistakes in it that the text describes",
    "docs/tutorial.zh.md [term]：未知的键": "the file with the mistake in it that the text describes",
}
# Parts of a topic file and files of other kinds, told by page and number.
LOGINS = "docs/settings.md toml 1"
NOT_A_TOPIC = {LOGINS: "the file of logins and proxies", "docs/plugins.md toml 1": "the pyproject.toml of a package"}
NOT_RUN = {
    "README.md python 1": "crawls the live web",
    "README.zh.md python 1": "crawls the live web",
    "docs/python.md python 1": "crawls the live web",
    "docs/python.md python 2": "crawls the live web",
    "docs/scrapy.md python 3": "needs a package that is not among ours; tests/integration runs it",
    "docs/scrapy.md python 5": "starts a crawl of the live web, and the reactor",
    "docs/teach.md python 1": "needs a run that was crawled",
}
HTML = (
    b"<html><title>Green tea</title><body><h1>Green tea</h1><p>"
    + b"Green tea is steamed. " * 30
    + b"</p></body></html>"
)
FEED = b"<rss version='2.0'><channel><item><title>Tea</title><link>https://blog.example/1</link></item></channel></rss>"

BLOCKS = [block for page in PAGES for block in blocks(page)]
COMMANDS = [command for block in BLOCKS if block.language in ("sh", "bash", "console") for command in commands(block)]
COMMANDS += [command for page in PAGES for command in indented_commands(page)]
INLINE = [command for page in PAGES for command in inline_commands(page)]


def name_of(thing: Block | Command) -> str:
    return thing.name if isinstance(thing, Block) else f"{thing.page.name}: {thing.line}"


def of(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def _is_about_shipped(command: Command) -> bool:
    """Tell whether a command is about topics that come with the package, not about a file of the page."""
    names = command.words[3:]
    return command.words[1:3] in EXECUTED and all(re.fullmatch(r"clc:\w*|[一-鿿]+|tang-poetry", name) for name in names)


def leaf(words: tuple[str, ...]) -> tuple[Any, Any, list[str]]:
    """Return the command of ours that words name, its context, and the words that are its own."""
    command: Any = get_command(app)
    rest = list(words[1:])
    context = command.make_context("focuscrawl", [], resilient_parsing=True)
    while isinstance(command, TyperGroup) and rest and not rest[0].startswith("-"):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command, context = found, found.make_context(name, [], parent=context, resilient_parsing=True)
    return command, context, rest


def check_settings(settings: dict[str, str]) -> None:
    ours = {name: value for name, value in settings.items() if name.startswith("FOCUSCRAWL_")}
    FocusConfig.from_settings(ours)
    assert [name for name in settings if name not in ours and name not in vars(default_settings)] == []


def pairs(given: list[str] | tuple[str, ...]) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in given)


def test_there_are_snippets_of_all_kinds() -> None:
    assert len(COMMANDS) > 80
    assert len(INLINE) > 50
    assert {block.language for block in BLOCKS} == {
        "sh",
        "bash",
        "console",
        "text",
        "toml",
        "python",
        "json",
        "sql",
        "ini",
    }


def test_every_exception_is_still_there() -> None:
    names = {block.name for block in BLOCKS}
    assert set(NOT_A_TOPIC) | set(NOT_RUN) <= names
    shown = [command for command in COMMANDS if any(_is_told(command, key) for key in SHOWN_OTHERWISE)]
    assert len(shown) == len(SHOWN_OTHERWISE)
    assert {command.words[0] for command in COMMANDS} - {"focuscrawl", "scrapy"} == OTHERS


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.words[0] == "focuscrawl"], ids=name_of)
def test_a_command_is_taken_by_its_parser(command: Command) -> None:
    found, context, rest = leaf(command.words)
    assert not isinstance(found, TyperGroup), "a command is missing"
    parsed = found.make_context(context.info_name, rest, parent=context.parent)
    check_settings(pairs(parsed.params.get("setting") or ()))


@pytest.mark.parametrize("command", [c for c in INLINE if c.words[0] == "focuscrawl"], ids=name_of)
def test_a_command_in_a_sentence_and_its_options_are_there(command: Command) -> None:
    found, _, rest = leaf(command.words)
    known = {option for parameter in found.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in rest if word.startswith("-")} <= known


def options_below(words: tuple[str, ...]) -> set[str]:
    """Return the options of a command, or of all the commands of a group."""
    found, context, _ = leaf(words)
    if not isinstance(found, TyperGroup):
        return {option for one in found.params for option in (*one.opts, *one.secondary_opts)}
    return set().union(*(options_below((*words, name)) for name in found.list_commands(context)))


def test_the_options_that_a_command_has_in_its_section_are_its_own() -> None:
    text = prose(DOCS / "commands.md")
    sections = re.findall(r"^## (focuscrawl [a-z-]+)[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert {command.split()[1] for command, _ in sections} == set(get_command(app).list_commands(None))
    for command, body in sections:
        named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", " ".join(codes(body))))
        assert (command, named - options_below(tuple(command.split()))) == (command, set())


@pytest.mark.parametrize("command", [c for c in COMMANDS + INLINE if c.words[:2] == ("scrapy", "crawl")], ids=name_of)
def test_a_crawl_of_scrapy_is_taken_by_its_parser(command: Command) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    scrapy_crawl = CrawlCommand()
    scrapy_crawl.settings = default_settings_of_scrapy()
    scrapy_crawl.add_options(parser)
    options, rest = parser.parse_known_args(list(command.words[2:]))
    rest = [word for word in rest if word != "…"]  # of a sentence: and what else belongs there
    assert rest in ([], ["focused"], ["feed"], ["recrawl"])
    given = pairs(options.spargs)
    if rest == ["feed"]:
        given.pop("feed", None)
    # a sentence may name the command alone, and a feed needs no topic
    CrawlArguments.parse({"topic": "tea"} | given)
    check_settings(pairs(options.set))


def default_settings_of_scrapy() -> Any:
    from scrapy.settings import Settings

    settings = Settings()
    check_setting_types(settings)
    return settings


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.words[:2] == ("pip", "install")], ids=name_of)
def test_what_is_installed_is_an_extra(command: Command) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = re.search(r"\[([^\]]+)\]", command.words[2])
    assert wanted is None or set(wanted[1].split(",")) <= set(extras)


@pytest.mark.parametrize("page", sorted({block.page for block in of("toml")}), ids=lambda page: page.name)
def test_topic_files_are_loaded_and_commands_about_them_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page as a reader follows it: each block of TOML joins the topic file, each command sees it as it is then."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topics").mkdir()
    samples = tmp_path / "topics" / "samples" / "chess"
    samples.mkdir(parents=True)
    (samples / "one.txt").write_text("chess " * 80, encoding="utf-8")
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "chess.txt").write_text("https://chess.example/\n", encoding="utf-8")
    monkeypatch.setenv("FOCUSCRAWL_LANG", "zh" if page.name.endswith(".zh.md") else "en")
    name, text = "", ""
    for block in blocks(page):
        if block.language == "toml" and block.name not in NOT_A_TOPIC:
            named = tomllib.loads(block.text).get("name")
            name, text = (named, block.text) if named else (name or "part", _joined(text, block.text))
            file = tmp_path / "topics" / f"{name}.toml"
            file.write_text(text, encoding="utf-8")
            (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
            load_topic(str(file)).samples_loaded()
        for command in commands(block) if block.language in ("sh", "console") else ():
            if command.words[0] == "focuscrawl" and command.words[1:3] in EXECUTED and name:
                _run(command)


@pytest.mark.parametrize(
    ("page", "parts", "change"),
    [
        ("tutorial.md", 1, lambda text: text + '"tournament" = 1.5\n[synonym]\n'),
        ("tutorial.zh.md", 2, lambda text: text.replace("[terms]", "[term]")),
    ],
)
def test_a_file_with_the_mistakes_that_a_page_describes_is_told_as_shown(
    page: str, parts: int, change: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOCUSCRAWL_LANG", "zh" if page.endswith(".zh.md") else "en")
    (command,) = [c for c in COMMANDS if c.page == DOCS / page and any(_is_told(c, key) for key in SHOWN_OTHERWISE)]
    text = "".join(block.text for block in blocks(DOCS / page) if block.language == "toml" and block.number <= parts)
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / f"{command.words[3]}.toml").write_text(change(text), encoding="utf-8")
    done = CliRunner().invoke(app, list(command.words[1:]))
    assert done.exit_code == 1
    shown = ".*".join(re.escape(part) for part in command.shown.strip().split("…"))
    assert re.fullmatch(shown, done.stdout.strip()), done.stdout


def _joined(text: str, block: str) -> str:
    """Return a topic file with another block; a page that shows no whole file gets the least that is one."""
    return (text or 'name = "part"\nterms = { part = 1.0 }\n') + block


def _run(command: Command) -> None:
    done = CliRunner().invoke(app, list(command.words[1:]))
    told = any(_is_told(command, key) for key in SHOWN_OTHERWISE)
    assert told or done.exit_code == 0, done.output
    if command.shown and not told:
        assert command.shown.strip().splitlines() == [line.rstrip() for line in done.stdout.strip().splitlines()]


def _is_told(command: Command, key: str) -> bool:
    page, _, words = key.partition(" ")
    return command.page == ROOT / page and words in command.shown


@pytest.mark.parametrize("command", [c for c in COMMANDS if _is_about_shipped(c)], ids=name_of)
def test_commands_about_shipped_topics_run(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, list(command.words[1:]))
    assert done.exit_code == 0, done.output
    assert done.stdout


@pytest.mark.parametrize("block", of("python"), ids=name_of)
def test_python_is_run_or_names_what_is_there(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = compile(block.text, block.name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if block.name in NOT_RUN:
        names = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_ours(node.value)]
        assert [name for name in names if name not in dir(focuscrawl)] == []
        return
    monkeypatch.chdir(tmp_path)
    Path("tea.toml").write_text('name = "tea"\n[terms]\ntea = 1.0\n', encoding="utf-8")
    run = Path("crawls/chess/20261121T120000Z")
    run.mkdir(parents=True)
    CrawlDb.open(run / "crawl.db").close()
    tokenizer = make_auto(language="en")
    page = analyse(HTML, "https://blog.example/1", tokenizer=tokenizer)
    given = {
        "focuscrawl": focuscrawl,
        "body": HTML,
        "html": HTML,
        "url": "https://blog.example/1",
        "tokenizer": tokenizer,
        "feed_bytes": FEED,
        "pages": [page],
        "other_page": page,
    }
    with redirect_stdout(io.StringIO()):
        exec(compile(tree, block.name, "exec"), given)


def _is_ours(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "focuscrawl"


@pytest.mark.parametrize("block", of("sql"), ids=name_of)
def test_queries_are_taken_by_a_run(block: Block, tmp_path: Path) -> None:
    CrawlDb.open(tmp_path / "crawl.db").close()
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as db, db:
        for query in _queries(block.text):
            db.execute(query.replace("focuscrawl.pages", "(SELECT *, '' AS crawl, '' AS worker FROM pages)"))
    db.close()


def _queries(text: str) -> Iterator[str]:
    query = ""
    for line in text.splitlines(keepends=True):
        query += line
        if sqlite3.complete_statement(query):
            yield query
            query = ""
    assert not query.strip()


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.words[0] == "sqlite3"], ids=name_of)
def test_a_query_on_the_command_line_is_taken_by_a_run(command: Command, tmp_path: Path) -> None:
    CrawlDb.open(tmp_path / "crawl.db").close()
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as db, db:
        db.execute(command.words[2])
    db.close()


def test_other_files_are_read() -> None:
    for block in of("json"):
        assert json.loads(block.text)
    for block in of("ini"):
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.read_string(block.text)
        assert parser.sections()


def test_the_file_of_logins_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [block] = [block for block in BLOCKS if block.name == LOGINS]
    file = tmp_path / "logins.toml"
    file.write_text(block.text, encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("LIBRARY_PASSWORD", "secret")
    assert Logins.load(file).of("https://library.example/book") is not None
