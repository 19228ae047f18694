"""A topic while it is made: what was gathered, and the checked topic that comes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from focuscrawl.drafting.texts import SourceText
from focuscrawl.errors import TopicError
from focuscrawl.text.language import guess_language
from focuscrawl.text.normalize import collapse, fold
from focuscrawl.text.tokenize import is_han
from focuscrawl.topic.asking import subject_of
from focuscrawl.topic.faults import faults_of
from focuscrawl.topic.ruled_out import wanted_clauses, wanted_sentences
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.tables import topic_name
from focuscrawl.topic.taxonomy import library_classification

SAMPLE_CHARS = 3_000
"""Characters kept of an example: about two pages of print."""
_LONG_TITLE = 60
_NAME = re.compile(r"[a-z0-9]+")
_NAME_WORDS = 3
_LATIN_WORDS = re.compile(r"[a-z]{2}", re.IGNORECASE)


@dataclass(slots=True)
class Draft:
    """What was gathered for a topic.

    Parameters
    ----------
    terms
        Word -> weight in (0, 1].
    synonyms
        Word of the terms -> its other names.
    samples
        Texts that show what pages on the subject read like.
    hints
        Texts that only words are taken from: titles of bookmarks.
    """

    name: str = ""
    title: str = ""
    about: str = ""
    language: str = ""
    classification: str = ""
    terms: dict[str, float] = field(default_factory=dict)
    synonyms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    seeds: list[str] = field(default_factory=list)
    samples: list[SourceText] = field(default_factory=list)
    hints: list[SourceText] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing says yet what is wanted."""
        return not (self.terms or self.samples or self.classification)

    def add(self, word: str, weight: float, names: tuple[str, ...] = ()) -> None:
        """Take a word with its weight and its other names; one that is there already stays as it is."""
        word = " ".join(word.split())
        if not word or self.has(word):
            return
        known = self._forms()
        known.add(collapse(fold(word)))
        self.terms[word] = weight
        kept = []
        for name in (" ".join(name.split()) for name in names):
            if name and collapse(fold(name)) not in known:
                known.add(collapse(fold(name)))
                kept.append(name)
        if kept:
            self.synonyms[word] = tuple(kept)

    def has(self, word: str) -> bool:
        """Tell whether a word is among the terms or their other names."""
        return collapse(fold(word)) in self._forms()

    def _forms(self) -> set[str]:
        return {collapse(fold(form)) for term in self.terms for form in (term, *self.synonyms.get(term, ()))}

    def drop(self, word: str) -> None:
        """Leave a word out again."""
        self.terms.pop(word, None)
        self.synonyms.pop(word, None)

    def guessed_language(self) -> str:
        """Return the one language of words and texts; "auto" where they have several, or nothing tells."""
        found = {guess_language(text) for text in (self.about, *(one.text for one in self.samples)) if text.strip()}
        found.discard("")
        if "zh" in found and _LATIN_WORDS.search(self.about):
            return "auto"  # "and" and "of" are no Chinese words, and would be words of the topic
        forms = [form for term in self.terms for form in (term, *self.synonyms.get(term, ()))]
        han = sum(any(map(is_han, form)) for form in forms)
        if han:
            found.add("zh" if "ja" not in found else "ja")
        if len(found) != 1 or (han and han < len(forms)):
            return "auto"
        return found.pop()

    def guessed_title(self) -> str:
        """Return a title: the first sentence, the first clause of a long one, or the two heaviest words."""
        # Words of the title count in links, so what the sentence rules out is not in it.
        for first in (*wanted_sentences(self.about)[:1], *wanted_clauses(self.about)[:1]):
            title = subject_of(first)
            if len(title) <= _LONG_TITLE:
                is_cut = title != first and title.split(" ", 1)[0].islower()  # no "IPhone"
                return " ".join(f"{title[0].upper()}{title[1:]}".split() if is_cut else title.split())
        words = sorted(self.terms, key=lambda word: -self.terms[word])[:2]
        if words:
            return "、".join(words) if any(map(is_han, words[0])) else ", ".join(words)
        return library_classification().node(self.classification).title if self.classification else ""

    def guessed_name(self) -> str:
        """Return a name in letters a-z: of the heaviest word that has some, of the title, of the class; else ""."""
        terms = sorted(self.terms, key=lambda term: -self.terms[term])
        forms = [form for term in terms for form in (term, *self.synonyms.get(term, ()))]
        for form in (*forms, self.title):
            name = "-".join(_NAME.findall(fold(form))[:_NAME_WORDS])
            if len(name) > 1 and not topic_name(name):
                return name
        return library_classification().node(self.classification).topic_name if self.classification else ""

    def spec(self, *, file: str) -> TopicSpec:
        """Return the topic, checked.

        Parameters
        ----------
        file
            Names it in faults.

        Raises
        ------
        TopicError
            With a sentence for each key that cannot be what was given.
        """
        data = self.data()
        try:
            return TopicSpec.model_validate(data)
        except ValidationError as error:
            raise TopicError(faults_of(error, file=file, data=data, model=TopicSpec)) from error

    def data(self) -> Mapping[str, Any]:
        """Return the keys of the topic file; empty ones are left out."""
        given: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "language": self.language,
            "description": self.about,
            "classification": self.classification,
            "seeds": list(dict.fromkeys(self.seeds)),
            "terms": dict(self.terms),
            "synonyms": {word: list(names) for word, names in self.synonyms.items()},
            "samples": {"relevant_text": [shortened(one.text) for one in self.samples]} if self.samples else {},
        }
        return {key: value for key, value in given.items() if value or key == "name"}


def shortened(text: str, chars: int = SAMPLE_CHARS) -> str:
    """Return the beginning of a text, up to the end of a line or a sentence within `chars`.

    >>> shortened("One sentence. Another one.", 20)
    'One sentence.'
    """
    if len(text) <= chars:
        return text
    start = text[:chars]
    cut = max(start.rfind(sign) + len(sign.rstrip()) for sign in ("\n", "。", "！", "？", ". ", "! ", "? "))
    return start[: cut if cut > chars // 2 else chars].rstrip()


def parse_words(text: str) -> list[tuple[str, float, tuple[str, ...]]]:
    """Return words as a person lists them: commas between them, ``=0.5`` after one, ``|`` before its other names.

    >>> parse_words("茶|tea=0.9、 oolong tea，gaiwan = 0.4")
    [('茶', 0.9, ('tea',)), ('oolong tea', 1.0, ()), ('gaiwan', 0.4, ())]

    Raises
    ------
    TopicError
        If a weight is no number in (0, 1], or a word is missing.
    """
    found = []
    faults = []
    for part in re.split(r"[,，、;；\n]", text):
        if not part.strip():
            continue
        forms, equals, number = part.partition("=")
        names = [" ".join(form.split()) for form in forms.split("|")]
        try:
            weight = float(number) if equals else 1.0
        except ValueError:
            weight = 0.0
        if not names[0] or not 0.0 < weight <= 1.0:
            faults.append(f'"{part.strip()}": expected a word, as in tea, tea=0.5 or tea|chai; weights are in (0, 1]')
            continue
        found.append((names[0], weight, tuple(filter(None, names[1:]))))
    if faults:
        raise TopicError(faults)
    return found
