"""Texts and dataset cards of a run, as a person exports them."""

from __future__ import annotations

import dataclasses
import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import page  # type: ignore[attr-defined]
from lxml import html

from focuscrawl.cli.export_texts import SEPARATOR, file_name, write_files
from focuscrawl.errors import StoreError
from focuscrawl.extraction.licence import licence_of
from focuscrawl.page.tree import parse
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.page_rows import PAGES

Command = Callable[..., tuple[int, str, str]]


def with_fields(run: Any, **fields: Any) -> None:
    """Give the results of a run further fields."""
    with CrawlDb.open(run.folder.db) as db:
        records = [record for record in db.pages() if record.relevant]
        with db.transaction() as connection:
            connection.executemany(
                PAGES.insert, [PAGES.to_row(dataclasses.replace(record, **fields)) for record in records]
            )


def test_texts_are_one_file_with_borders(finished: Any, command: Command) -> None:
    code, out, _ = command("export", "chess", "--format", "text")
    assert code == 0
    assert out.splitlines()[:4] == [
        f"{SEPARATOR} https://chess.example.org/openings/italian",
        "意大利开局",
        "",
        "白方第三步走象。",
    ]
    assert out.count(f"{SEPARATOR} ") == 2


def test_a_border_in_a_text_is_moved(finished: Any, command: Command) -> None:
    with_fields(finished, text="one\n===== https://evil.example/\ntwo")
    out = command("export", "chess", "--format", "text")[1]
    assert sum(line.startswith(SEPARATOR) for line in out.splitlines()) == 2
    assert "\n ===== https://evil.example/\n" in out


@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_a_text_acts_on_no_terminal(finished: Any, command: Command, format_: str) -> None:
    text = "one\x1b]0;title\x07\n\x9b===== two\u202e"
    with_fields(finished, title="Chess \x1b[2J", text=text, markdown=text)
    out = command("export", "chess", "--format", format_)[1]
    assert "Chess [2J" in out
    assert not [character for character in out if not character.isprintable() and character != "\n"]
    assert "\n===== two" not in out if format_ == "text" else "\n===== two" in out


@pytest.mark.parametrize("options", [(), ("--fields", "title")])
def test_json_lines_act_on_no_terminal_and_lose_nothing(finished: Any, command: Command, options: list[str]) -> None:
    title = "Chess \x1b[2J\x9b31m\u202e\u2028\x7f"
    with_fields(finished, title=title)
    line = command("export", "chess", *options)[1].splitlines()[0]
    assert line.isprintable()
    assert json.loads(line)["title"] == title


def test_texts_are_a_file_a_page_with_names_that_can_be_read(finished: Any, command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "文本"
    code, out, _ = command("export", "chess", "--format", "text", "--files", "--out", str(folder))
    assert (code, out) == (0, f"2 pages written to {folder}\n")
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.txt"))
    assert len(names) == 2
    (chess,) = (name for name in names if name.startswith("chess.example.org/"))
    assert chess.startswith("chess.example.org/意大利开局-")
    assert (folder / chess).read_text("utf-8") == "意大利开局\n\n白方第三步走象。\n"
    code, _, err = command("export", "chess", "--format", "text", "--files", "--out", str(folder))
    assert code == 1
    assert "expected a new or empty folder" in err


def test_a_folder_of_texts_that_could_not_be_finished_is_named(tmp_path: Path) -> None:
    pages = [page(f"https://a.example/{n}", n, title=str(n), text="x" * n) for n in (1, 20_000)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(StoreError, match=r"file too large; it is not complete, 1 written so far: delete it"):
            write_files(pages, "text", tmp_path / "texts")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_names_of_files_stay_inside_and_are_short() -> None:
    hostile = page("https://a.example/", 1, title="../../etc/passwd\n*?" + "棋" * 200, host="../x:8080")
    name = file_name(hostile, ".md")
    host, _, rest = name.partition("/")
    assert (host, "/" in rest) == ("_x_8080", False)
    assert len(rest.encode()) < 120
    assert rest.startswith("etc-passwd-棋棋")
    assert file_name(page("https://a.example/", 1, title="…", host=""), ".txt").startswith("host/")
    lone = page("https://a.example/", 1, title="\ud800x")
    assert file_name(lone, ".txt").encode()


def test_markdown_has_front_matter_and_asks_for_the_setting(finished: Any, command: Command, tmp_path: Path) -> None:
    code, _, err = command("export", "chess", "--format", "markdown", "--out", str(tmp_path / "all.md"))
    assert code == 1
    assert "FOCUSCRAWL_MARKDOWN=1" in err
    assert not (tmp_path / "all.md").exists()
    with_fields(finished, markdown="# 开局\n\n- 象", licence="https://creativecommons.org/licenses/by/4.0/")
    out = command("export", "chess", "--format", "markdown")[1]
    assert out.startswith(
        '---\ntitle: "意大利开局"\nurl: "https://chess.example.org/openings/italian"\nlanguage: "zh"\n'
        'fetched_at: "2026-09-21T14:13:21+00:00"\nlicence: "https://creativecommons.org/licenses/by/4.0/"\n'
        "relevance: 0.612\n---\n\n# 开局\n\n- 象\n"
    )
    command("export", "chess", "--format", "markdown", "--files", "--out", str(tmp_path / "md"))
    assert len(list((tmp_path / "md").rglob("*.md"))) == 2


def test_the_card_says_what_is_in_the_file(finished: Any, command: Command, tmp_path: Path) -> None:
    with_fields(finished, licence="https://creativecommons.org/licenses/by/4.0/")
    target, card = tmp_path / "pages.jsonl", tmp_path / "README.md"
    assert command("export", "chess", "--out", str(target), "--card", str(card))[0] == 0
    text = card.read_text("utf-8")
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert 'pretty_name: "国际象棋"' in head
    assert 'path: "pages.jsonl"' in head
    assert "- n<1K" in head
    for wanted in (
        "2 pages of 2 hosts on the topic",
        "| fetched | 2026-09-21 to 2026-09-21 |",
        "strategy `heuristic`",
        "Pages read: 4; judged to be on the topic: 3. Of these, left out as duplicates: 1;",
        "Further fetches, which gave no page: 2.",
        "robots.txt was NOT obeyed",
        "`noindex` not to be indexed are left out",
        "| https://creativecommons.org/licenses/by/4.0/ | 2 |",
        "| chess.example.org | 1 |",
    ):
        assert wanted in body, wanted


def test_a_card_of_one_page_counts_in_the_singular(finished: Any, command: Command, tmp_path: Path) -> None:
    with CrawlDb.open(finished.folder.db) as db, db.transaction() as connection:
        connection.execute("DELETE FROM pages WHERE NOT (relevant AND host = 'chess.example.org')")
    card = tmp_path / "README.md"
    assert command("export", "chess", "--out", str(tmp_path / "pages.jsonl"), "--card", str(card))[0] == 0
    assert "\n1 page of 1 host on the topic" in card.read_text("utf-8")
    assert "1 pages" not in card.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--files",), "--files: expected with --format markdown or text"),
        (("--format", "text", "--files"), "the folder for the files with --out"),
        (("--format", "gexf", "--card", "x"), "--card: expected with a format of pages"),
        (("--format", "text", "--fields", "url"), "--fields: expected with"),
        (
            ("--format", "wacz", "--hosts", "--out", "x"),
            '--hosts: expected with --format graphml or gexf, found "wacz"',
        ),
        (
            ("--format", "wacz", "--all", "--out", "x"),
            '--all: expected with a format of pages, texts or links, found "wacz"',
        ),
        (("--format", "warc", "--all", "--to", "s3://b/x"), "--all: expected with a format of pages, texts or links"),
        (("--hosts",), '--hosts: expected with --format graphml or gexf, found "jsonl"'),
    ],
)
def test_what_does_not_go_together_is_said(
    finished: Any, command: Command, arguments: tuple[str, ...], sentence: str
) -> None:
    code, _, err = command("export", "chess", *arguments)
    assert code == 2
    assert sentence in err


def test_a_format_of_charts_needs_charts(finished: Any, command: Command) -> None:
    told = "--chart-format png: expected with --charts FOLDER.\n"
    assert command("report", "chess", "--chart-format", "png") == (2, "", told)


CC_BY = "https://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    ("page", "licence"),
    [
        ("<a rel='license nofollow' href='/by'>CC</a>", "https://a.example/by"),
        ("<link rel=license href='https://cc.example/by'>", "https://cc.example/by"),
        ("<meta name='DC.rights' content=' all  rights '><p>x", "all rights"),
        ("<meta name='dcterms.license' content='x'><a rel=license href=/by>y</a>", "https://a.example/by"),
        ("<a rel=license href='javascript:x'>y</a><a href=/license>z</a>", ""),
        ("<link rel=license><a rel=license href=''>x</a>", ""),
        ("<a rel=license href='#rights'>x</a><meta name=license content='CC BY'>", "CC BY"),
        (f"<footer><p><a href='{CC_BY}'>CC BY</a></p></footer>", CC_BY),
        (f"<div class=post-copyright><a href='https://creativecommons.org/'>c</a><a href='{CC_BY}'>x</a></div>", CC_BY),
        (f"<p id=licence-notice><b class=license-text><a href='{CC_BY}'>CC BY</a></b></p>", CC_BY),
        (f"<footer><a href='{CC_BY}'>CC BY</a></footer><a rel=license href=/by>y</a>", "https://a.example/by"),
        (f"<article><p>Picture: Ann Lee, <a href='{CC_BY}'>CC BY</a></p></article>", ""),
        ("<footer><a href='https://creativecommons.org/licenses/'>licences</a></footer>", ""),
    ],
)
def test_the_licence_is_what_the_page_names(page: str, licence: str) -> None:
    tree = parse(page)
    assert tree is not None
    assert html.tostring(tree.root)
    assert licence_of(tree, "https://a.example/x/") == licence
    assert licence_of(None, "https://a.example/") == ""
