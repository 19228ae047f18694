"""``focuscrawl topic new``: from an idea to a topic file, by questions on a terminal and by options elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from focuscrawl.cli import console
from focuscrawl.cli.options import AskOption, InsecureOption, LangOption, ModelOption, check_model
from focuscrawl.cli.topic_dialogue import Dialogue
from focuscrawl.cli.topic_maker import Target, make_topic
from focuscrawl.cli.topic_sources import Sources
from focuscrawl.cli.usage import EXPECTED_SOURCE
from focuscrawl.topic.tables import language_tag, topic_name
from focuscrawl.wording import drafting as words
from focuscrawl.wording.base import speaker

TAKEN = 12


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Short name of a-z, 0-9 and -; else made of the words.")
    ] = "",
    about: Annotated[str, typer.Option(metavar="SENTENCE", help="What it is about.")] = "",
    words_: Annotated[
        str, typer.Option("--words", metavar="WORDS", help='Its words by commas: "tea|茶, oolong=0.8, gaiwan=0.5".')
    ] = "",
    class_: Annotated[str, typer.Option("--class", metavar="clc:CODE", help="A class of the classification.")] = "",
    example: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE_OR_URL", help="A page, text or PDF on the subject; may be given again."),
    ] = None,
    bookmarks: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Bookmarks, OPML or a list: its words and seeds.")
    ] = None,
    folder: Annotated[str, typer.Option(metavar="NAME", help="Only bookmarks in folders with this in the name.")] = "",
    run: Annotated[str, typer.Option(metavar="RUN", help="An earlier run: its best pages, hosts and words.")] = "",
    against: Annotated[
        str, typer.Option(metavar="RUN", help="A run on another subject: words its pages have hit too much.")
    ] = "",
    ask: AskOption = "",
    model: ModelOption = "",
    allow_insecure: InsecureOption = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch examples from addresses that are not public, too.")
    ] = False,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title; else made of the rest.")] = "",
    language: Annotated[str, typer.Option(metavar="TAG", help='As in "zh"; else guessed.')] = "",
    take: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help=f"Take the N best proposed words, unasked. [default: {TAKEN}]"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="File to write. [default: topics/NAME.toml]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    lang: LangOption = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for programs; nobody is asked.")] = False,
) -> None:
    """Make a topic file from a sentence, words, a class, bookmarks, examples or an earlier run.

    On a terminal it asks, and proposes words one by one; --take N answers for you.
    """
    from focuscrawl.drafting.texts import is_url

    check_model(ask, model)
    if name and topic_name(name):
        about = name.replace('"', "")
        raise typer.BadParameter(
            f'"{name}": a name {topic_name(name)}; what the topic is about is said by --about "{about}"'
        )
    for option, value in (("--about", about), ("--words", words_), ("--title", title), ("--folder", folder)):
        if not is_text(value):
            raise typer.BadParameter(f"{option}: is no text in UTF-8; set the terminal, or the script, to UTF-8")
    if language and (fault := language_tag(language)):
        raise typer.BadParameter(f'--language "{language}": {fault}')
    for source in example or ():
        if "://" in source and not is_url(source):
            raise typer.BadParameter(f"--example {source}: {EXPECTED_SOURCE}")
    say = speaker(lang)
    sources = Sources(
        about=about,
        words=words_,
        classification=class_,
        examples=list(example or ()),
        bookmarks=list(bookmarks or ()),
        folder=folder,
        run=run,
        against=against,
        ask=ask,
        model=model,
        allow_insecure=allow_insecure,
        allow_private=allow_private,
    )
    asked = sys.stdin.isatty() and sys.stdout.isatty() and not as_json and take is None
    if not asked and not sources.any:
        raise typer.BadParameter(
            "nobody is here to ask: say what it is about by --about, --words, --class, --example, --bookmarks or --run"
        )
    if folder and not bookmarks and not asked:
        raise typer.BadParameter("--folder goes with --bookmarks FILE: the folder of these that is taken")
    target = Target(name=name, title=title, language=language, out=out, force=force)
    dialogue = Dialogue(_line, console.write_text, say) if asked else None
    tell = console.warn if as_json else console.print_line
    try:
        made = make_topic(sources, target, dialogue=dialogue, take=TAKEN if take is None else take, say=say, tell=tell)
    except KeyboardInterrupt:
        console.warn(say(words.INTERRUPTED))
        raise typer.Exit(1) from None
    if made is None:
        console.warn(say(words.NOT_WRITTEN))
        raise typer.Exit(1)
    if as_json:
        console.print_json(made.facts())


def is_text(value: str) -> bool:
    """Tell whether an argument was text: bytes that are none in the locale come as lone surrogates."""
    return not any("\ud800" <= char <= "\udfff" for char in value)


def _line() -> str:
    """Return the next line of the input; bytes that are no text are replaced, for a person to see."""
    return sys.stdin.buffer.readline().decode(sys.stdin.encoding or "utf-8", "replace")
