"""Examples: pages a person has called relevant or not, with what is kept of them.

They stand as ``[[examples]]`` in a topic file, or in a file of their own beside it, which ``focuscrawl topic teach``
writes and `load_topic` reads: ``chess.examples.toml`` beside ``chess.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, Strict, ValidationError

from focuscrawl.atomic_file import replacement
from focuscrawl.errors import TopicError, os_reason
from focuscrawl.topic.dump import to_toml
from focuscrawl.topic.faults import fault_at, faults_of
from focuscrawl.topic.files import EXAMPLES_SUFFIX, display, read_text
from focuscrawl.topic.seeds import url_fault
from focuscrawl.topic.tables import Share, Table, Text, as_tuple, check

TEXT_CHARS = 4_000
"""Characters kept of the text of an example, which is more than a judge reads of a page."""
MAX_EXAMPLES = 2_000
"""Of a topic: to fit so many takes some seconds."""
_HEAD = """\
# Answers to "is this page on the topic?", which the judge of {topic} learns from: focuscrawl topic teach.
# An answer may be changed or taken out here; the text is what the judge knows of the page.
"""


class Example(Table):
    """An answer: a page that is on the topic, or is not."""

    url: Annotated[str, Strict(), check(url_fault), Field(description="the address of the page is required")]
    relevant: Annotated[bool, Strict(), Field(description="true or false is required")]
    title: Text = ""
    text: Text = ""
    score: Share | None = None  # relevance of the page by the judge that knows no examples
    version: Text = ""  # of the topic without examples that gave this score
    by: Text = ""  # who answered, where it was not the user: a model, a file
    reason: Text = ""  # that was given


Examples = Annotated[tuple[Example, ...], BeforeValidator(as_tuple), Field(max_length=MAX_EXAMPLES)]


class ExampleFile(Table):
    """A file of examples."""

    examples: Examples = ()


def examples_file(topic: Path) -> Path:
    """Return the file that holds the examples of a topic file.

    >>> examples_file(Path("topics/chess.toml")).name
    'chess.examples.toml'
    """
    return topic.with_name(topic.stem + EXAMPLES_SUFFIX)


def read_examples(path: Path) -> tuple[Example, ...]:
    """Return the examples of a file; none when there is no such file.

    Raises
    ------
    TopicError
        If it cannot be read, with a sentence for each fault.
    """
    if not path.is_file():
        return ()
    file = display(path)
    try:
        data = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise TopicError([f"{file}: not valid TOML: {error}"]) from error
    try:
        examples = ExampleFile.model_validate(data).examples
    except ValidationError as error:
        raise TopicError(faults_of(error, file=file, data=data, model=ExampleFile)) from error
    faults = contradictions(examples, file=file, data=data)
    if faults:
        raise TopicError(faults)
    return examples


def write_examples(path: Path, topic: str, examples: Sequence[Example]) -> None:
    """Write the examples of a topic; the file is replaced as a whole, or stays as it was.

    Raises
    ------
    TopicError
        If it cannot be written.
    """
    text = _HEAD.format(topic=topic)
    for example in examples:
        text += "\n[[examples]]\n" + to_toml(example.model_dump(mode="json", exclude_defaults=True))
    try:
        with replacement(path) as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        why = os_reason(error)
        raise TopicError([f"{display(path)}: the examples cannot be written: {why}"]) from error


def merged(*groups: Sequence[Example]) -> tuple[Example, ...]:
    """Return all examples, one of each page: the last."""
    return tuple({example.url: example for group in groups for example in group}.values())


def contradictions(examples: Sequence[Example], *, file: str, data: object) -> list[str]:
    """Return a sentence for each page that is called relevant and not relevant in one file."""
    first: dict[str, Example] = {}
    faults = []
    for at, example in enumerate(examples):
        if first.setdefault(example.url, example).relevant != example.relevant:
            why = "is called relevant once and not relevant once; keep one of the two"
            faults.append(fault_at(file, ("examples", at, "url"), data, why))
    return faults


def without_examples(version: str) -> str:
    """Return the version of a topic (`TopicSpec.digest`) without what its examples add.

    >>> without_examples("751f77193ca9348b+0badcafe"), without_examples("751f77193ca9348b")
    ('751f77193ca9348b', '751f77193ca9348b')
    """
    return version.partition("+")[0]
