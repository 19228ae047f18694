"""Orders from the live page: each is a command of the control plane, or an answer for the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from focuscrawl.dashboard.answers import Answers
from focuscrawl.dashboard.source import Source
from focuscrawl.errors import ConfigError
from focuscrawl.fleet import commands
from focuscrawl.fleet.commands import Command, Pause, Resume, Retopic, Stop
from focuscrawl.topic.packed import pack_topic
from focuscrawl.topic.spec import load_topic


class _Order(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Nothing(_Order):
    pass


class _Host(_Order):
    host: str


class _Urls(_Order):
    urls: str = Field(max_length=1_000_000)  # one a line


class _Topic(_Order):
    topic: str = Field(min_length=1, max_length=4_000)  # a file, or the name of a topic


class _Limit(_Order):
    limit: str = Field(max_length=200)  # KEY=VALUE


class _Answer(_Order):
    key: str = Field(max_length=16)  # of the page, in hex
    relevant: bool


class Actions:
    """What the page may order, by name.

    Parameters
    ----------
    source
        The crawl that is steered.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.answers = Answers(source)

    def run(self, name: str, body: Any) -> dict[str, Any]:
        """Carry out an order; return what became of it.

        Raises
        ------
        KeyError
            If there is no such order.
        FocusCrawlError
            If it cannot be given, in one sentence.
        """
        order, work = _ORDERS[name]
        try:
            checked = order.model_validate(body)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(map(str, fault["loc"])) or name
            raise ConfigError(f"{where}: {fault['msg']}.") from None
        return work(self, checked)


def _give(source: Source, command: Command) -> dict[str, Any]:
    if source.place is None:
        raise ConfigError(source.why_not or "This crawl cannot be steered from here.")
    number, anybody = source.place.give(command)
    return {"command": command.command, "number": number, "anybody": anybody}


def _pause(actions: Actions, _: Any) -> dict[str, Any]:
    return _give(actions.source, Pause())


def _resume(actions: Actions, _: Any) -> dict[str, Any]:
    return _give(actions.source, Resume())


def _stop(actions: Actions, _: Any) -> dict[str, Any]:
    return _give(actions.source, Stop(detail="from the dashboard"))


def _ban_host(actions: Actions, order: _Host) -> dict[str, Any]:
    return _give(actions.source, commands.ban_host(order.host))


def _add_seeds(actions: Actions, order: _Urls) -> dict[str, Any]:
    # Addresses only: a name of a file would be read with the rights of whoever started the dashboard
    urls = [url for line in order.urls.splitlines() for url in line.replace(",", " ").split()]
    return _give(actions.source, commands.add_seeds(urls))


def _retopic(actions: Actions, order: _Topic) -> dict[str, Any]:
    from focuscrawl.crawler.build import build_step

    spec = load_topic(order.topic.strip())
    build_step(spec)  # a judge or strategy that is not known is better said here than in the logs of the workers
    return _give(actions.source, Retopic(**pack_topic(spec)))


def _set(actions: Actions, order: _Limit) -> dict[str, Any]:
    return _give(actions.source, commands.set_limit(order.limit))


def _answer(actions: Actions, order: _Answer) -> dict[str, Any]:
    return actions.answers.give(order.key, order.relevant)


def _undo_answer(actions: Actions, _: Any) -> dict[str, Any]:
    return actions.answers.undo()


def _apply_answers(actions: Actions, _: Any) -> dict[str, Any]:
    taught = actions.answers.apply()
    return {
        "command": "apply-answers",
        "running": taught.running,
        "judged": taught.judged,
        "now_relevant": taught.now_relevant,
        "no_more_relevant": taught.no_more_relevant,
        "rescored": taught.rescored,
        "examples": taught.examples,
        "file": str(taught.examples_file),
        **actions.answers.given(),
    }


_ORDERS: Mapping[str, tuple[type[_Order], Callable[[Actions, Any], dict[str, Any]]]] = {
    "pause": (_Nothing, _pause),
    "resume": (_Nothing, _resume),
    "stop": (_Nothing, _stop),
    "ban-host": (_Host, _ban_host),
    "add-seeds": (_Urls, _add_seeds),
    "retopic": (_Topic, _retopic),
    "set": (_Limit, _set),
    "answer": (_Answer, _answer),
    "undo-answer": (_Nothing, _undo_answer),
    "apply-answers": (_Nothing, _apply_answers),
}
ORDERS = tuple(_ORDERS)
"""Names of all orders."""
