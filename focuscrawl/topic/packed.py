"""A topic as one piece of JSON: the file with all samples and seeds it names, for a crawl on another machine."""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from focuscrawl.errors import TopicError
from focuscrawl.topic.files import Sample
from focuscrawl.topic.lexicon import WORDNET
from focuscrawl.topic.spec import TopicSpec, dump_topic


def pack_topic(spec: TopicSpec) -> dict[str, Any]:
    """Return `spec` as JSON-safe data.

    Raises
    ------
    TopicError
        If a file it names cannot be read any more.
    """
    if spec.lexicon and spec.lexicon != WORDNET:  # too large to send: every machine has it at the same place
        base = spec.path.parent if spec.path is not None else Path()
        spec = spec.model_copy(update={"lexicon": str((base / spec.lexicon).resolve())})
    return {
        "topic": dump_topic(spec),
        "samples": [
            [one.kind, one.text, base64.b64encode(one.html).decode("ascii") if one.html is not None else None]
            for one in spec.samples_loaded()
        ],
        "seeds": spec.seed_urls(),
        "file": spec.reference,
    }


def unpack_topic(data: Mapping[str, Any]) -> TopicSpec:
    """Return what `pack_topic` was given; it has no path.

    Raises
    ------
    TopicError
        If the data is damaged, or of another version.
    """
    try:
        spec = TopicSpec.model_validate(tomllib.loads(data["topic"]))
        spec._samples = tuple(
            Sample(str(kind), None, text=str(text), html=base64.b64decode(html) if html is not None else None)
            for kind, text, html in data["samples"]
        )
        spec._seed_urls = tuple(str(url) for url in data["seeds"])
    except (KeyError, TypeError, ValueError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise TopicError([f"The topic that was sent cannot be read: {error}"]) from error
    return spec
