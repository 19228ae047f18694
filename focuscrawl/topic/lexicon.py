"""Lexicons: similarity of words by a dictionary, for the relatedness of words to a topic (docs/formulas.md B.6).

Two kinds: a file in the format of the word forest Tongyici Cilin, and the word nets that the package wn has installed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import re2

from focuscrawl.errors import TopicError
from focuscrawl.page.decode import decode
from focuscrawl.text.normalize import collapse, lower
from focuscrawl.text.simplified import simplified
from focuscrawl.text.tokenize import is_han
from focuscrawl.topic.files import display, read_bytes
from focuscrawl.topic.relatedness import CilinCodes

WORDNET = "wordnet"
"""Names the installed word nets in the place of a file."""
EXTRA = "wordnet"
"""The extra of this project that installs wn."""
DEPTH = 2
"""Steps in a word net that count: at three the similarity is a quarter, and half of the nouns are that near."""
_MOST_NEAR = 2_000
"""Words near a word at most; "entity" has all of them."""
_GROUP = 5
"""Characters of a Cilin code that name an atomic group, "Aa01A": its rows are synonyms or of one kind."""
_LINE = re2.compile(r"([A-Z][a-z]\d\d[A-Z]\d\d[=#@])\s+(.*)")
_LEAST_SHARE = 0.5  # of the lines of a file, that must be of the format


class Lexicon(ABC):
    """Base class of dictionaries that tell how similar two words are."""

    @abstractmethod
    def __call__(self, a: str, b: str) -> float:
        """Return the similarity of two words in [0, 1]; 0 for words it does not have."""

    @abstractmethod
    def near(self, word: str) -> Mapping[str, float]:
        """Return words near a word, with their similarity in (0, 1]; the word itself is not among them."""


def open_lexicon(name: str, *, base: Path | None = None) -> Lexicon:
    """Return the lexicon that a topic file or a setting names.

    Parameters
    ----------
    name
        ``wordnet``, or a file in Cilin's format.
    base
        Folder that a relative file is seen from; the current one by default.

    Raises
    ------
    TopicError
        If the file cannot be read or is of another format, wn is not installed, or has no word net.
    """
    if name == WORDNET:
        return WordNetLexicon()
    path = (base or Path()) / name
    return CilinLexicon(read_cilin(path))


def read_cilin(path: Path) -> dict[str, list[str]]:
    """Return word -> codes of a file in Cilin's format: a code and its words a line, as ``Aa01A01= 人 士 人物``.

    Raises
    ------
    TopicError
        If it cannot be read, or fewer than half of its lines are of that format.
    """
    codes: defaultdict[str, list[str]] = defaultdict(list)
    lines = [line.strip() for line in decode(read_bytes(path)).text.splitlines() if line.strip()]
    read = 0
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        read += 1
        for word in match[2].split():
            codes[_plain(word)].append(match[1])
    if not read or read < _LEAST_SHARE * len(lines):
        wrong = next((line for line in lines if _LINE.fullmatch(line) is None), "")[:40]
        expected = f'expected lines such as "Aa01A01= 人 士", found "{wrong}"'
        raise TopicError([f"{display(path)}: is no lexicon in the format of Cilin; {expected}"])
    return dict(codes)


class CilinLexicon(Lexicon):
    """Similarity by the codes of the word forest Tongyici Cilin.

    Parameters
    ----------
    codes
        Word to its codes. No word list ships with this package.
    """

    def __init__(self, codes: Mapping[str, Iterable[str]]) -> None:
        self._codes = CilinCodes({word: tuple(known) for word, known in codes.items()})
        self._groups: defaultdict[str, list[str]] = defaultdict(list)
        for word, known in codes.items():
            for group in {code[:_GROUP] for code in known}:
                self._groups[group].append(word)

    def __call__(self, a: str, b: str) -> float:
        """Return the similarity of the best pair of codes; 0 when one of the words is not listed."""
        return self._codes(_plain(a), _plain(b))

    def near(self, word: str) -> Mapping[str, float]:
        """Return the words of the atomic groups a word is in, which differ from it in the last level at most."""
        plain = _plain(word)
        groups = {code[:_GROUP] for code in self._codes.of(plain)}
        found = {other: self._codes(plain, other) for group in sorted(groups) for other in self._groups[group]}
        return {other: value for other, value in found.items() if value > 0.0 and other != plain}


class WordNetLexicon(Lexicon):
    """Similarity by the word nets that the package wn has installed: ``1 / (1 + d)`` of the path of d steps.

    Steps go to broader and narrower concepts, two of them at most; words of one concept are 1.

    Raises
    ------
    TopicError
        If wn is not installed, or has no word net.

    References
    ----------
    .. [1] R. Rada, H. Mili, E. Bicknell, M. Blettner, Development and application of a metric on semantic nets, IEEE
       Transactions on Systems, Man, and Cybernetics 19(1), 1989.
    """

    def __init__(self) -> None:
        try:
            import wn
        except ImportError as error:
            raise TopicError(
                [f"lexicon {WORDNET}: needs the package wn: pip install 'focuscrawl[{EXTRA}]', then a word net"]
            ) from error
        if not wn.lexicons():
            raise TopicError([f"lexicon {WORDNET}: no word net is installed: python -m wn download oewn:2024"])
        self._net: Any = wn.Wordnet()
        self._near: dict[str, dict[str, float]] = {}

    def __call__(self, a: str, b: str) -> float:
        """Return the similarity of the nearest concepts of two words; 0 for more than two steps."""
        return 1.0 if _plain(a) == _plain(b) and self._table(b) else self._table(b).get(_plain(a), 0.0)

    def near(self, word: str) -> Mapping[str, float]:
        """Return the words of the concepts within two steps."""
        return {other: value for other, value in self._table(word).items() if other != _plain(word)}

    def _table(self, word: str) -> dict[str, float]:
        written = _written(word)  # word nets have traditional and Japanese characters as they are
        if written not in self._near:
            self._near[written] = self._walk(written)
        return self._near[written]

    def _walk(self, word: str) -> dict[str, float]:
        """Return the words within reach, breadth-first."""
        found: dict[str, float] = {}
        ring = [concept for form in dict.fromkeys((word, _plain(word))) for concept in self._net.synsets(form)]
        seen = {concept.id for concept in ring}
        for distance in range(DEPTH + 1):
            beyond = []
            for concept in ring:
                for lemma in concept.lemmas():
                    found.setdefault(_plain(lemma), 1.0 / (1.0 + distance))
                if len(found) > _MOST_NEAR:
                    return found
                for other in (*concept.hypernyms(), *concept.hyponyms()) if distance < DEPTH else ():
                    if other.id not in seen:
                        seen.add(other.id)
                        beyond.append(other)
            ring = beyond
        return found


def _plain(word: str) -> str:
    """Return a word as words are compared: folded, and Chinese without the spaces between its parts."""
    return simplified(_written(word))


def _written(word: str) -> str:
    plain = collapse(lower(word))
    return plain.replace(" ", "") if any(map(is_han, plain)) else plain
