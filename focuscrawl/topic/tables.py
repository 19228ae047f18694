"""The tables of a topic file and what their keys may hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator

from focuscrawl.topic.seeds import url_fault
from focuscrawl.topic.url_patterns import patterns_fault

MAX_REGEX_CHARS = 500
"""A longer regular expression on URLs is a list in disguise, which belongs in allow_hosts or deny_hosts."""
MAX_TERM_CHARS = 200
"""A longer term is a text, which no page has word for word; the patterns that find terms hold 500 of this length."""
_MAX_NAME_CHARS = 64  # it becomes the name of a folder


def check(test: Callable[[Any], str]) -> AfterValidator:
    """Turn a function that returns what was expected ("" when all is well) into a validator."""

    def validate(value: Any) -> Any:
        expectation = test(value)
        if expectation:
            raise ValueError(expectation)
        return value

    return AfterValidator(validate)


def _not_blank(text: str) -> str:
    return "" if text.strip() else "must not be empty"


def _term(text: str) -> str:
    if len(text) > MAX_TERM_CHARS:
        return f"has {len(text)} characters; a term has {MAX_TERM_CHARS} at most, and a text belongs in [samples]"
    return _not_blank(text)


def topic_name(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+", name):
        return "must consist of lower-case letters a-z, digits and hyphens"
    return "" if len(name) <= _MAX_NAME_CHARS else f"must have at most {_MAX_NAME_CHARS} characters"


def language_tag(tag: str) -> str:
    if tag == "auto" or re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", tag):
        return ""
    return 'must be a BCP-47 language tag such as "zh" or "en-GB", or "auto"'


def _share(value: float) -> str:
    return "" if 0.0 <= value <= 1.0 else "must be in [0, 1]"


def _weight(value: float) -> str:
    return "" if 0.0 < value <= 1.0 else "weight must be in (0, 1]"


def _threshold(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value <= 1.0:
        return value
    if value == "adaptive":
        return value
    raise ValueError('must be "adaptive" or a number in [0, 1]')


def _not_negative(value: float) -> str:
    return "" if value >= 0 else "must be 0 (no limit) or more"


def _depth(value: int) -> str:
    return "" if value >= 0 else "must be 0 or more"


def _host(host: str) -> str:
    """Return a host as URLs have it: lower case, international names in their ASCII form."""
    expected = 'must be a host name such as "example.org" (its subdomains are meant too), without scheme, port or path'
    if not re.fullmatch(r"\[[0-9A-Fa-f:.]+\]|[^\s/:@?#*\[\]]+", host):
        raise ValueError(expected)
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:  # an empty or overlong label
        raise ValueError(expected) from None


def _regex(pattern: str) -> str:
    if len(pattern) > MAX_REGEX_CHARS:
        return f"regular expression of {len(pattern)} characters; at most {MAX_REGEX_CHARS} are taken"
    return patterns_fault([pattern])


def as_tuple(value: object) -> object:
    """Return a list of TOML as a tuple, and anything else as it is."""
    return tuple(value) if isinstance(value, list) else value


Text = Annotated[str, Strict()]
Word = Annotated[str, Strict(), check(_not_blank)]
Term = Annotated[str, Strict(), check(_term)]
Weight = Annotated[float, Strict(), check(_weight)]
Share = Annotated[float, Strict(), check(_share)]
Texts = Annotated[tuple[Word, ...], BeforeValidator(as_tuple), Strict()]
Terms = Annotated[tuple[Term, ...], BeforeValidator(as_tuple), Strict()]
Hosts = Annotated[tuple[Annotated[str, Strict(), AfterValidator(_host)], ...], BeforeValidator(as_tuple), Strict()]
Regexes = Annotated[
    tuple[Annotated[str, Strict(), check(_regex)], ...], BeforeValidator(as_tuple), Strict(), check(patterns_fault)
]
Urls = Annotated[tuple[Annotated[str, Strict(), check(url_fault)], ...], BeforeValidator(as_tuple), Strict()]
Amount = Annotated[float, Strict(), Field(allow_inf_nan=False), check(_not_negative)]
Count = Annotated[int, Strict(), check(_not_negative)]
Options = dict[str, Any]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _TableWithOptions(Table):
    """A table whose unknown keys are the options of whatever it names."""

    options: Options = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: object) -> object:
        if not isinstance(data, Mapping):
            return data
        known = {key: value for key, value in data.items() if key in cls.model_fields}
        others = {key: value for key, value in data.items() if key not in cls.model_fields}
        given = known.get("options", {})
        return {**known, "options": {**given, **others}} if isinstance(given, Mapping) else known


class SampleTable(Table):
    """``[samples]``: files (globs relative to the topic file) and texts, for and against the topic.

    `inherit` and `drop` choose among the texts of the topic's class; without `inherit` all are taken.
    """

    relevant: Texts = ()
    relevant_text: Texts = ()
    irrelevant: Texts = ()
    irrelevant_text: Texts = ()
    inherit: Texts | None = None
    drop: Texts = ()


class Budget(Table):
    """``[budget]``: when a crawl ends; 0 is no limit."""

    pages: Count = 1000
    minutes: Amount = 0.0
    relevant: Count = 0


class ScopeTable(Table):
    """``[scope]``: which URLs may be fetched at all."""

    allow_hosts: Hosts = ()
    deny_hosts: Hosts = ()
    include: Regexes = ()
    exclude: Regexes = ()
    max_depth: Annotated[int, Strict(), check(_depth)] | None = None


class JudgeChoice(_TableWithOptions):
    """``[judge]``: which judge, its threshold; other keys are the judge's options."""

    name: Word = "focus"
    threshold: Annotated[float | Literal["adaptive"], BeforeValidator(_threshold)] = "adaptive"


class RankingChoice(Table):
    """``[ranking]``: which strategy ("" leaves the default) and its options."""

    strategy: Text = ""
    options: Options = Field(default_factory=dict)


class ScorerChoice(_TableWithOptions):
    """``[scorers.NAME]``: weight in a mix (None leaves the strategy's) and options of a scorer."""

    weight: Share | None = None
