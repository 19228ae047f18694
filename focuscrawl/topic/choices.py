"""Choices of plug-ins in a topic file: tokenizer, judge, strategy and scorers, and where their faults stand."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from focuscrawl.errors import ConfigError, PluginError, TopicError
from focuscrawl.topic.files import display, find_topic, read_text
from focuscrawl.topic.packaged import is_packaged, packaged_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.taxonomy import is_reference

TOKENIZER, JUDGE, STRATEGY = "tokenizer", "[judge] name", "[ranking] strategy"
_CHOICES = ("tokenizer", "judge", "ranking", "scorers")
_STAND_IN = {"name": "stand-in", "terms": {"word": 1.0}}  # choices need a topic


@contextmanager
def placed(spec: TopicSpec, place: str) -> Iterator[None]:
    """Have what is wrong with a plug-in of a topic told with the file, the table and the key that name it.

    Parameters
    ----------
    place
        `TOKENIZER`, `JUDGE`, `STRATEGY`, or a table such as ``[scorers.dom]``.

    Raises
    ------
    TopicError
        For an unknown name, options that are wrong or do not go together, and a package that is not installed.
    """
    try:
        yield
    except (PluginError, ConfigError) as error:
        told = str(error)
        if told.startswith('"'):  # an unknown name
            told = f"{place}: {told.partition(': ')[2]}" if place.endswith("]") else f"{place} = {told}"
        elif not told.startswith("["):
            told = f"{place.partition(' ')[0]}: {told}"
        raise TopicError([f"{display(spec.path)}: {told}" if spec.path is not None else told]) from error


def sound_choices(reference: str) -> TopicSpec | None:
    """Return the choices of plug-ins in a topic file that has faults, with another topic; None where none can be read.

    Tables and keys that have faults themselves are left out.
    """
    if is_reference(reference):
        return None
    try:
        path = packaged_topic(reference) if is_packaged(reference) else find_topic(reference)
        data: Mapping[str, Any] = tomllib.loads(read_text(path))
    except (TopicError, ValueError, RecursionError):
        return None
    kept: dict[str, Any] = dict(_STAND_IN)
    for name in _CHOICES:
        one = {name: data[name]} if name in data else {}
        try:
            TopicSpec.model_validate({**_STAND_IN, **one})
        except ValidationError:
            continue
        kept.update(one)
    spec = TopicSpec.model_validate(kept)
    spec._path = path
    return spec
