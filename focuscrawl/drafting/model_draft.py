"""A first draft of a topic by a language model: words, other names, and two paragraphs in the manner of a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from focuscrawl.drafting.texts import LEAST_CHARS, SourceText
from focuscrawl.teaching.language_model import LanguageModel, ModelError

ANSWER_TOKENS = 2_000
MOST_WORDS = 30
_WORD_CHARS = 60
_TEXT_CHARS = 3_000
_SYSTEM = (
    "You prepare the topic of a focused web crawler. From what a person says of a subject you write the words that"
    " pages on the subject have and other pages have not: technical terms and phrases, with weights from 0.1 to 1, 1"
    " for a word that settles it alone; other names of these words (abbreviations, the name in English or Chinese);"
    " and two paragraphs of 80 words each as they would stand on a page about it. Write in the person's language."
    " Answer with one JSON object and nothing else:"
    ' {"title": "...", "terms": {"word": 1.0}, "synonyms": {"word": ["other name"]}, "paragraphs": ["...", "..."]}'
)


@dataclass(frozen=True, slots=True)
class ModelDraft:
    """What a model proposes; all of it is cleaned, none of it is checked by a person yet."""

    title: str = ""
    terms: dict[str, float] = field(default_factory=dict)  # word -> weight in (0, 1], heaviest first
    synonyms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    samples: tuple[SourceText, ...] = ()


def draft_by_model(model: LanguageModel, about: str, words: Sequence[str] = ()) -> ModelDraft:
    """Return a model's draft of a topic.

    Parameters
    ----------
    about
        What is wanted, in a person's words.
    words
        Words the person has given.

    Raises
    ------
    ModelError
        If the model cannot be asked, or its answer is no draft.
    """
    wanted = "\n".join(filter(None, [f"Subject: {about}" if about else "", f"Words: {', '.join(words)}" * bool(words)]))
    message = model.complete(
        [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": wanted}], most_tokens=ANSWER_TOKENS
    )
    if message.fault:
        raise ModelError(f"{model.model}: no draft: {message.fault}.")
    return read_draft(message.content, by=model.model)


def read_draft(content: str, *, by: str) -> ModelDraft:
    """Return the draft in a model's answer; what is not as it should be is left out.

    Raises
    ------
    ModelError
        If there is no word in it.
    """
    start, end = content.find("{"), content.rfind("}")
    data: Any = None
    if 0 <= start < end:
        try:
            data = json.loads(content[start : end + 1])
        except (ValueError, RecursionError):
            data = None
    data = data if isinstance(data, dict) else {}
    terms = _terms(data.get("terms"))
    if not terms:
        raise ModelError(f"{by}: the answer is no draft; expected a JSON object with terms.")
    named = data.get("synonyms")
    synonyms = {
        _line(word): tuple(filter(None, (_line(name) for name in names if isinstance(name, str))))
        for word, names in (named.items() if isinstance(named, dict) else ())
        if isinstance(names, list) and _line(word) in terms
    }
    paragraphs = data.get("paragraphs")
    texts = [
        " ".join(text.split())[:_TEXT_CHARS]
        for text in (paragraphs if isinstance(paragraphs, list) else ())
        if isinstance(text, str)
    ]
    title = data.get("title")
    return ModelDraft(
        title=_line(title) if isinstance(title, str) else "",
        terms=terms,
        synonyms={word: names for word, names in synonyms.items() if names},
        samples=tuple(SourceText(by, "", text, by=by) for text in texts[:2] if len(text) >= LEAST_CHARS),
    )


def _terms(value: object) -> dict[str, float]:
    """Return the words with weights in (0, 1]; a list of words is taken, too."""
    if isinstance(value, list):
        value = {word: 0.7 for word in value if isinstance(word, str)}
    found: dict[str, float] = {}
    for word, weight in value.items() if isinstance(value, dict) else ():
        usable = isinstance(weight, int | float) and not isinstance(weight, bool) and 0.0 < weight <= 1.0
        if _line(word) and usable:
            found.setdefault(_line(word), round(float(weight), 2))
    return dict(sorted(found.items(), key=lambda item: -item[1])[:MOST_WORDS])


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WORD_CHARS and line.isprintable() else ""
