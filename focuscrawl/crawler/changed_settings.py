"""Settings of a run whose topic was changed while it ran."""

from __future__ import annotations

from pathlib import Path

from focuscrawl.fleet.commands import Retopic
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.topic.packaged import is_packaged
from focuscrawl.topic.packed import unpack_topic
from focuscrawl.topic.taxonomy import is_reference


def is_there(reference: str) -> bool:
    """Tell whether the topic a run was started with, or changed to, can still be read from where it was."""
    return is_reference(reference) or is_packaged(reference) or Path(reference).is_file()


def changed_settings(command: Retopic, before: RunSettings) -> dict[str, object]:
    """Return the settings of the run, as of `focuscrawl.storage.run_settings.RunSettings`, that the topic gives.

    Raises
    ------
    TopicError
        If the topic cannot be read.
    """
    spec = unpack_topic(command.model_dump(include={"topic", "samples", "seeds"}))
    return {
        "topic": spec.name,
        "title": spec.title,
        "topic_file": command.file,
        "topic_text": command.topic,
        "topic_version": spec.digest,
        "examples_file": "",  # the command has the examples
        "former_topics": former_topics(before, spec.name),
    }


def former_topics(before: RunSettings, name: str) -> list[str]:
    """Return the names of topics a run was about before it is about `name`; those of teaching are the same."""
    names = dict.fromkeys([*before.former_topics, before.topic])
    return [one for one in names if one not in ("", name)]
