"""Stories for the sample web: titles and paragraphs put together from the texts that ship with it.

Everything is drawn from (seed, key), never from a global generator, so that the same web comes out on every machine.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import TypeVar

from focuscrawl.types import digest64

T = TypeVar("T")

_NEWEST = date(2026, 4, 30)
_AGE_DAYS = 700
_AUTHORS_ZH = ("林间", "阿舟", "白石", "小满", "老陈", "南枝", "柳岸", "青禾")
_AUTHORS_ZH_HANT = ("阿土", "月桃", "石田", "春嬌")
_AUTHORS_EN = ("Maren", "Tobias", "Priya", "Ellis", "Joan", "Henrik", "Salma", "Wes")
# Titles that do not name their subject stand at every third place of the deck, as long as there are any.
_PLAIN_TITLE_EVERY = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """The texts of a subject, as its file has them."""

    name: str
    language: str
    things: tuple[str, ...]  # what a story may be about
    patterns: tuple[str, ...]  # forms of a title, with {thing}
    titles: tuple[str, ...]  # titles that say nothing of the subject
    intros: tuple[str, ...]  # sentences with {thing}
    sentences: tuple[str, ...]

    @property
    def joint(self) -> str:
        """What stands between two sentences."""
        return "" if self.language.startswith("zh") else " "


@dataclass(frozen=True, slots=True)
class Story:
    """A text with what sites show around it."""

    subject: str
    language: str
    title: str
    thing: str
    paragraphs: tuple[str, ...]
    published: date
    author: str

    @property
    def excerpt(self) -> str:
        """The start of the text, as listings quote it."""
        first = self.paragraphs[0]
        return first[: 60 if self.language.startswith("zh") else 150] + "…"


@cache
def subject(name: str) -> Subject:
    """Return the texts of a subject by the name of its file."""
    data = tomllib.loads(files("focuscrawl.demo").joinpath("texts", f"{name}.toml").read_text(encoding="utf-8"))
    lists = {key: tuple(data[key]) for key in ("things", "patterns", "titles", "intros", "sentences")}
    return Subject(name=name, language=data["language"], **lists)


def chance(seed: int, key: str, tag: str) -> float:
    """Return the number in [0, 1) that belongs to (`seed`, `key`, `tag`)."""
    return digest64(f"{seed}|{key}|{tag}") / 2**64


def shuffled(items: Sequence[T], *, seed: int, key: str) -> list[T]:
    """Return `items` in the order that belongs to (`seed`, `key`)."""
    order = sorted(range(len(items)), key=lambda i: chance(seed, key, str(i)))
    return [items[i] for i in order]


class Library:
    """Hands out stories, no title of a subject twice."""

    def __init__(self, *, seed: int) -> None:
        self.seed = seed
        self._decks: dict[str, Iterator[tuple[str, str]]] = {}
        self._told: dict[str, int] = {}

    def story(self, name: str, *, sentences: tuple[int, int] = (8, 13), mixed: str = "") -> Story:
        """Return the next story of a subject.

        Parameters
        ----------
        name
            The subject.
        sentences
            Fewest and most sentences after the opening.
        mixed
            Another subject of the same language that gives half of the sentences.

        Raises
        ------
        ValueError
            If the subject has no titles left.
        """
        about = subject(name)
        if name not in self._decks:
            self._decks[name] = self._deck(about)
        try:
            title, thing = next(self._decks[name])
        except StopIteration:
            raise ValueError(f"the sample texts have no more titles on {name}") from None
        number = self._told[name] = self._told.get(name, 0) + 1
        key = f"{name}-{number}"
        few, many = sentences
        wanted = few + int(chance(self.seed, key, "length") * (many - few + 1))
        lines = shuffled(about.sentences, seed=self.seed, key=key)[:wanted]
        if mixed:
            other = shuffled(subject(mixed).sentences, seed=self.seed, key=key)
            lines = shuffled(lines[: wanted // 2] + other[: wanted - wanted // 2], seed=self.seed, key=f"{key}-mixed")
        opening = [line.format(thing=thing) for line in shuffled(about.intros, seed=self.seed, key=key)[:2]]
        return Story(
            subject=name,
            language=about.language,
            title=title,
            thing=thing,
            paragraphs=self._paragraphs([*opening, *lines], about.joint, key),
            published=_NEWEST - timedelta(days=int(chance(self.seed, key, "date") * _AGE_DAYS)),
            author=shuffled(_authors(about), seed=self.seed, key=key)[0],
        )

    def stories(self, name: str, count: int, *, sentences: tuple[int, int] = (8, 13)) -> list[Story]:
        """Return the next `count` stories of a subject, newest first."""
        found = [self.story(name, sentences=sentences) for _ in range(count)]
        return sorted(found, key=lambda s: (s.published, s.title), reverse=True)

    def reply(self, first: Story) -> Story:
        """Return a short answer to a story: the same subject, title and thing, sentences of its own."""
        about = subject(first.subject)
        number = self._told["reply"] = self._told.get("reply", 0) + 1
        key = f"reply-{number}"
        wanted = 2 + int(chance(self.seed, key, "length") * 3)
        days = 1 + int(chance(self.seed, key, "date") * 5)
        return Story(
            subject=first.subject,
            language=first.language,
            title=first.title,
            thing=first.thing,
            paragraphs=(about.joint.join(shuffled(about.sentences, seed=self.seed, key=key)[:wanted]),),
            published=first.published + timedelta(days=days),
            author=shuffled(_authors(about), seed=self.seed, key=key)[0],
        )

    def _deck(self, about: Subject) -> Iterator[tuple[str, str]]:
        pairs = [(pattern, thing) for pattern in about.patterns for thing in about.things]
        named = iter(shuffled(pairs, seed=self.seed, key=f"titles-{about.name}"))
        plain = iter(shuffled(about.titles, seed=self.seed, key=f"plain-{about.name}"))
        for number, (pattern, thing) in enumerate(named, 1):
            title = next(plain, "") if number % _PLAIN_TITLE_EVERY == 0 else ""
            title = title or pattern.format(thing=thing)
            yield title[:1].upper() + title[1:], thing

    def _paragraphs(self, lines: Sequence[str], joint: str, key: str) -> tuple[str, ...]:
        paragraphs = []
        start = 0
        while start < len(lines):
            size = 2 + int(chance(self.seed, key, f"paragraph{start}") * 3)
            paragraphs.append(joint.join(lines[start : start + size]))
            start += size
        return tuple(paragraphs)


def _authors(about: Subject) -> tuple[str, ...]:
    if about.language == "zh-Hant":
        return _AUTHORS_ZH_HANT
    return _AUTHORS_ZH if about.language.startswith("zh") else _AUTHORS_EN
