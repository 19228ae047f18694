"""The draft as a topic file with comments, for a person to go on with."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from focuscrawl.drafting.draft import Draft, shortened
from focuscrawl.drafting.texts import SourceText
from focuscrawl.topic.faults import key_text, toml_string
from focuscrawl.wording import drafting as words
from focuscrawl.wording.base import Say, Text

_NAME_CHARS = 200


def topic_text(draft: Draft, *, file: str, say: Say) -> str:
    """Return the text of the topic file: keys in the order of the documentation, each table with a comment.

    Parameters
    ----------
    file
        As the person will name it.
    """
    lines = [*_comment(say(words.FILE_HEAD, file=shlex.quote(file))), ""]
    lines += [f"name = {toml_string(draft.name)}"]
    for key, value in (("title", draft.title), ("language", draft.language), ("description", draft.about)):
        if value:
            lines.append(f"{key} = {toml_string(value)}")
    if draft.classification:
        lines += ["", *_comment(say(words.FILE_CLASS)), f"classification = {toml_string(draft.classification)}"]
    lines += ["", *_comment(say(words.FILE_SEEDS if draft.seeds else words.FILE_NO_SEEDS, file=shlex.quote(file)))]
    lines += ["seeds = [", *(f"  {toml_string(url)}," for url in dict.fromkeys(draft.seeds)), "]"]
    lines += ["", *_comment(say(words.FILE_TERMS)), "[terms]"]
    lines += [f"{key_text(word)} = {weight:g}" for word, weight in _heaviest_first(draft)]
    lines += ["", *_comment(say(words.FILE_SYNONYMS)), "[synonyms]"]
    for word, names in draft.synonyms.items():
        lines.append(f"{key_text(word)} = [{', '.join(toml_string(name) for name in names)}]")
    lines += ["", *_comment(say(words.FILE_EXCLUDED)), "[excluded]"]
    lines += ["", *_comment(say(words.FILE_SAMPLES)), "[samples]", *_samples(draft.samples, say)]
    lines += ["", *_comment(say(words.FILE_BUDGET)), "[budget]", "pages = 1000"]
    return "\n".join(lines) + "\n"


def _samples(samples: Sequence[SourceText], say: Say) -> list[str]:
    if not samples:
        return []
    lines = ["relevant_text = ["]
    for one in samples:
        written: Text = words.FILE_WRITTEN_BY if one.by else words.FILE_FROM
        lines += _comment(say(written, name=one.by or one.name)[:_NAME_CHARS])
        lines.append(f"{text_block(shortened(one.text))},")
    return [*lines, "]"]


def text_block(text: str) -> str:
    """Return a text as a TOML string of several lines that reads as exactly this text."""
    lines = [toml_string(line)[1:-1].replace('\\"', '"') for line in text.split("\n")]
    safe = "\n".join(lines).replace('"""', '""\\"')
    return f'"""\n{safe}\\\n"""'


def _comment(text: str) -> list[str]:
    """Return comment lines; what a comment may not hold becomes a space."""
    lines = ("".join(char if char.isprintable() else " " for char in line) for line in text.split("\n"))
    return [f"# {line}".rstrip() for line in lines]


def _heaviest_first(draft: Draft) -> list[tuple[str, float]]:
    return sorted(draft.terms.items(), key=lambda item: -item[1])
