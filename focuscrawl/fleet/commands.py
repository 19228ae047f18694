"""Commands to a running crawl: one pydantic union, checked where they are given and where they are read.

The commands of a crawl are a list that only grows. A worker that joins later takes them from the first on, so a banned
host stays banned and a changed topic stays changed, on every worker.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from focuscrawl.errors import ConfigError
from focuscrawl.page.urls import host_of, normalize_url
from focuscrawl.topic.faults import did_you_mean

MAX_COMMANDS = 10_000
MAX_BYTES = 8 * 1024 * 1024
"""Of one command: a topic with its samples is the largest."""
MAX_SEEDS = 10_000

LIMITS: Mapping[str, str] = {
    "pages": "stop after so many pages of all workers together; 0: no limit",
    "minutes": "stop after so many minutes, counted from the start of each worker; 0: no limit",
    "relevant": "stop after so many relevant pages stored; 0: no limit",
    "min_harvest": "stop when fewer of the last 100 pages are relevant, in [0, 1]; 0: never",
}
"""What `SetLimit` can change."""
_WHOLE = ("pages", "relevant")


class _Command(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    at: float = Field(default_factory=time.time)  # Unix time it was given


class Pause(_Command):
    """Fetch nothing more until told to go on."""

    command: Literal["pause"] = "pause"


class Resume(_Command):
    """Go on after a pause."""

    command: Literal["resume"] = "resume"


class Stop(_Command):
    """End the crawl, on all workers."""

    command: Literal["stop"] = "stop"
    reason: str = "stopped"
    detail: str = ""


class Retopic(_Command):
    """Change the topic; the fields are those of `focuscrawl.topic.packed`."""

    command: Literal["retopic"] = "retopic"
    topic: str
    samples: list[Any] = []
    seeds: list[str] = []
    file: str = ""  # where the giver has it


class AddSeeds(_Command):
    """Fetch URLs before all others."""

    command: Literal["add-seeds"] = "add-seeds"
    urls: Annotated[list[str], Field(min_length=1, max_length=MAX_SEEDS)]

    @field_validator("urls")
    @classmethod
    def _normal(cls, urls: list[str]) -> list[str]:
        normal = {url: normalize_url(url, url) for url in urls}
        bad = next((url for url, form in normal.items() if form is None), None)
        if bad is not None:
            raise ValueError(f'"{bad}": cannot be crawled; expected an http or https URL.')
        return list(dict.fromkeys(form for form in normal.values() if form is not None))


class BanHost(_Command):
    """Leave a host alone, and all below it."""

    command: Literal["ban-host"] = "ban-host"
    host: str

    @field_validator("host")
    @classmethod
    def _normal(cls, text: str) -> str:
        name = text.strip()
        if "://" in name:
            name = name.split("://", 1)[1].partition("/")[0].rpartition("@")[2]
        url = f"http://{name}/"
        normal = None if set(name) & set("/@?#*") else normalize_url(url, url)
        if normal is None or not name:
            raise ValueError(
                f'"{text}": no host; expected a name such as example.org, with which all below it are meant.'
            )
        return host_of(normal)


class SetLimit(_Command):
    """Change one of `LIMITS`."""

    command: Literal["set"] = "set"
    name: str
    value: Annotated[float, Field(strict=True)]

    @model_validator(mode="after")
    def _suits(self) -> SetLimit:
        name, value = self.name, self.value
        if name not in LIMITS:
            known = ", ".join(LIMITS)
            raise ValueError(
                f'"{name}" cannot be set while a crawl runs; known: {known}.{did_you_mean(name, list(LIMITS))}'
            )
        whole = name in _WHOLE
        if not math.isfinite(value) or value < 0.0 or (whole and value != int(value)):
            raise ValueError(f"{name} = {value:g}: expected {'a whole' if whole else 'a'} number, 0 or more.")
        if name == "min_harvest" and value > 1.0:
            raise ValueError(f"min_harvest = {value:g}: expected a share in [0, 1], as in 0.05.")
        return self


Command = Pause | Resume | Stop | Retopic | AddSeeds | BanHost | SetLimit
_commands: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="command")])


class Unreadable(BaseModel):
    """A line of the list that is no command of this version; it keeps its number, and is passed over."""

    model_config = ConfigDict(frozen=True)

    sentence: str


def to_json(command: Command) -> str:
    """Return one line of JSON.

    Raises
    ------
    ConfigError
        If it is too long to be sent.
    """
    line = json.dumps(command.model_dump(), ensure_ascii=False, allow_nan=False)
    if len(line.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ConfigError(
            f"{command.command}: {len(line):,} characters are too many to send; at most {MAX_BYTES:,} bytes."
        )
    return line


def from_json(line: str | bytes) -> Command | Unreadable:
    """Return the command in a line."""
    try:
        data = json.loads(line)
        if isinstance(data, dict) and "order" in data:
            data["command"] = data.pop("order")  # a run folder of an earlier version
        return _commands.validate_python(data)
    except ValidationError as error:
        return Unreadable(sentence=_sentence(error))
    except (ValueError, RecursionError):
        return Unreadable(sentence="it is no JSON.")


def _sentence(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    where = ".".join(map(str, fault["loc"]))
    return f"{where}: {fault['msg']}." if where else f"{fault['msg']}."


def _checked(command: type[_Command], **fields: Any) -> Any:
    try:
        return command(**fields)
    except ValidationError as error:
        raise ConfigError(_sentence(error)) from None


def ban_host(text: str) -> BanHost:
    """Return the command to leave a host alone, and all below it; a URL stands for its host.

    A host of another alphabet is meant in the form links have it (``xn--…``), one with a port only with that port.

    Raises
    ------
    ConfigError
        If it is no host.
    """
    command: BanHost = _checked(BanHost, host=text)
    return command


def add_seeds(urls: Sequence[str]) -> AddSeeds:
    """Return the command to fetch URLs first.

    Raises
    ------
    ConfigError
        If there are none, too many, or one is no http or https URL; nothing is sent then.
    """
    if not urls:
        raise ConfigError("add-seeds: no URLs are given.")
    if len(urls) > MAX_SEEDS:
        raise ConfigError(f"add-seeds: {len(urls):,} URLs; at most {MAX_SEEDS:,} at once.")
    command: AddSeeds = _checked(AddSeeds, urls=list(urls))
    return command


def set_limit(text: str) -> SetLimit:
    """Return the command for ``KEY=VALUE``.

    Raises
    ------
    ConfigError
        If the key is none of `LIMITS`, or the value does not suit it.
    """
    name, equals, value = text.partition("=")
    name = name.strip().lower().replace("-", "_")
    if not equals or not name:
        raise ConfigError(f'"{text}": expected KEY=VALUE, as in pages=5000.')
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isnan(number) and name in LIMITS:
        raise ConfigError(
            f"{name} = {value.strip() or 'nothing'}: expected {'a whole' if name in _WHOLE else 'a'} number, 0 or more."
        )
    command: SetLimit = _checked(SetLimit, name=name, value=number)
    return command


def paused_since(commands: Sequence[Command | Unreadable]) -> float | None:
    """Return the Unix time since when a fleet is paused after `commands`, None where it is not."""
    since: float | None = None
    for command in commands:
        if isinstance(command, Pause):
            since = command.at if since is None else since
        elif isinstance(command, Resume):
            since = None
    return since


def limits_of(commands: Sequence[Command | Unreadable]) -> dict[str, float]:
    """Return the limits changed by `commands`."""
    return {one.name: one.value for one in commands if isinstance(one, SetLimit)}
