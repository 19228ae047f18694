"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

OutsideOption = Annotated[
    bool,
    typer.Option("--allow-outside", help="Let the topic name samples and seed lists outside its folder."),
]
