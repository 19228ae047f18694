"""Subcommands whose modules are imported when they are called, not when the others are."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


class Later(NamedTuple):
    """Import path and help line of a subcommand, loaded when it is called."""

    module: str
    attribute: str
    help: str


_WHOLE = 1_000  # characters, more than any sentence has

LATER = {
    "crawl": Later("focuscrawl.cli.crawl", "crawl", "Crawl the pages on a topic."),
    "recrawl": Later("focuscrawl.cli.recrawl", "recrawl", "Ask again for the pages of a run that are due."),
    "filter": Later(
        "focuscrawl.cli.filter", "filter_archives", "Judge and store pages of WARC files, without a crawl."
    ),
    "demo": Later("focuscrawl.cli.demo", "demo", "A first look: crawl a small sample web, without a network."),
    "topic": Later("focuscrawl.cli.topic", "app", "Make, check, show, list and teach topics."),
    "seeds": Later("focuscrawl.cli.seeds", "app", "Find seeds, import them, and look at those of a topic."),
    "train-extractor": Later(
        "focuscrawl.cli.train_extractor", "train_extractor", "Learn the numbers of density_svm from labelled pages."
    ),
    "fleet": Later("focuscrawl.cli.fleet", "app", "See and steer a crawl that runs, of one process or many."),
    "dashboard": Later(
        "focuscrawl.cli.dashboard", "dashboard", "Live page of a crawl in the browser, and its controls."
    ),
    "evaluate": Later("focuscrawl.cli.evaluate", "evaluate", "Compare strategies on recorded webs, without a network."),
}


class HelpGroup(TyperGroup):
    """A group whose help has the first sentence of each command whole; click cuts them to one line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands and their sentences, as many lines as they need."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(limit=_WHOLE)) for name, one in commands if one and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is to run; for a name there is none of, say which one may be meant."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from focuscrawl.topic.faults import did_you_mean

            known = self.list_commands(ctx)
            ctx.fail(f'no such command "{name}"; known: {", ".join(known)}.{did_you_mean(name, known)}')
        return super().resolve_command(ctx, args)


class LazyGroup(HelpGroup):
    """A group that knows the commands of `LATER` by name, and imports one when it is to run."""

    _running = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands there are."""
        return [*(name for name, later in LATER.items() if find_spec(later.module)), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, or for a list of commands a stand-in with its line of help."""
        later = LATER.get(cmd_name)
        if later is None or not find_spec(later.module):
            return super().get_command(ctx, cmd_name)
        return loaded(cmd_name) if self._running else TyperCommand(cmd_name, help=later.help)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is to run."""
        self._running = True
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, whose values are refused in a sentence of ours."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as fault:
            from focuscrawl.cli.usage import say_what_was_expected

            say_what_was_expected(fault)
            raise


def loaded(name: str) -> Any:
    """Return the command `name` of `LATER`, imported."""
    later = LATER[name]
    target = getattr(import_module(later.module), later.attribute)
    if isinstance(target, typer.Typer):
        command = get_command(target)
    else:
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(target)
        command = get_command(single)
    command.name = name
    return command
