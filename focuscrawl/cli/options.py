"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

from focuscrawl.wording.base import VARIABLE, Choice

OutsideOption = Annotated[
    bool,
    typer.Option("--allow-outside", help="Let the topic name samples and seed lists outside its folder."),
]
LangOption = Annotated[
    Choice,
    typer.Option("--lang", envvar=VARIABLE, help="Language of what is shown; auto: that of the locale."),
]
