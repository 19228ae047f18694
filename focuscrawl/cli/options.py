"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from focuscrawl.wording.base import VARIABLE, Choice


@dataclass(slots=True)
class Chosen:
    """What options have chosen for the whole command."""

    language: Choice | None = None


OutsideOption = Annotated[
    bool,
    typer.Option("--allow-outside", help="Let the topic name samples and seed lists outside its folder."),
]
AskOption = Annotated[
    str,
    typer.Option(
        "--ask", metavar="URL", help="A language model: http://localhost:11434/v1; its key in OPENAI_API_KEY."
    ),
]
ModelOption = Annotated[str, typer.Option("--model", metavar="NAME", help="Name of the model that --ask asks.")]
InsecureOption = Annotated[
    bool,
    typer.Option("--allow-insecure", help="Let --ask send texts and key over http beyond this machine."),
]
EndJsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs at the end.")]


def _remember_language(context: typer.Context, language: Choice) -> Choice:
    """Let whoever reports an error of the command know its language."""
    if isinstance(context.obj, Chosen):
        context.obj.language = language
    return language


LangOption = Annotated[
    Choice,
    typer.Option(
        "--lang",
        envvar=VARIABLE,
        help="Language of what is shown; auto: that of the locale.",
        callback=_remember_language,
    ),
]

SettingOption = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NAME=VALUE", help="Setting of the crawl or of Scrapy; may be repeated."),
]


def given_settings(settings: Sequence[str] | None, lang: Choice) -> list[str]:
    """Return the settings of a crawl, NAME=VALUE each, as `SettingOption` and `LangOption` give them.

    Raises
    ------
    typer.BadParameter
        If one is not of that form: Scrapy would show the usage of its own command.
    """
    for setting in settings or []:
        name, equals, _ = setting.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"-s {setting}: expected NAME=VALUE, as in -s DOWNLOAD_DELAY=2")
    return [*(settings or []), *([f"{VARIABLE}={lang}"] if lang != "auto" else [])]


def check_model(ask: str, model: str) -> None:
    """Refuse an address without a model, and a model without an address.

    Raises
    ------
    typer.BadParameter
        If one of them is given alone.
    """
    if bool(ask) != bool(model):
        raise typer.BadParameter("--ask URL and --model NAME go together")
