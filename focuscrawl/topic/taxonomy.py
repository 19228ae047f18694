"""The Chinese Library Classification (中图法): classes to name as topics, with words and sample texts of each.

The data are the files ``topics/clc/<LETTER>.toml``, one a first-level class. A second-level class is a *leaf*; a
first-level class and a number that merely gathers leaves (B8 of B80 to B84) are *branches*.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import re2

from focuscrawl.errors import TopicError
from focuscrawl.text.normalize import collapse, fold, nfkc
from focuscrawl.topic.faults import did_you_mean
from focuscrawl.topic.files import read_text, shipped_topics

PREFIX = "clc:"
FOLDER = "clc"
_RANGE = re.compile(r"([A-Z]+)(\d+)/(\d+)")
_EXACT_NAME, _EXACT_WORD, _IN_NAME, _IN_WORD = 4.0, 3.0, 2.0, 1.0
"""Search: a class whose name is what was asked for comes before one that has it as a word, or as a part of either."""


@dataclass(frozen=True, slots=True)
class ClassSample:
    """A sample text of a class."""

    name: str  # "R2/1": the class and the number of the text
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class TaxonomyNode:
    """A class of the taxonomy with its own words and texts; those of its children are theirs."""

    code: str
    zh: str
    en: str
    terms: Mapping[str, float]  # word -> weight in (0, 1]
    synonyms: Mapping[str, tuple[str, ...]]
    samples: tuple[ClassSample, ...] = ()
    children: tuple[TaxonomyNode, ...] = ()
    parent: str = ""  # code; "" for a first-level class

    @property
    def reference(self) -> str:
        """What names it as a topic."""
        return f"{PREFIX}{self.code}"

    @property
    def topic_name(self) -> str:
        """The name of the topic that is this class."""
        return re.sub(r"[^a-z0-9]+", "-", self.reference.lower())

    @property
    def title(self) -> str:
        """Both names."""
        return f"{self.zh} ({self.en})"

    def walk(self) -> Iterator[TaxonomyNode]:
        """Yield the node and all below it, in the order of the schedule."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node that a search found, and the word it was found by."""

    node: TaxonomyNode
    word: str
    score: float


class Taxonomy:
    """The classes of a folder of data files; a file is read when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, _ClassFile] = {}

    @property
    def letters(self) -> list[str]:
        """The codes of the first-level classes."""
        return sorted(path.stem for path in self.folder.glob("*.toml"))

    def roots(self) -> list[TaxonomyNode]:
        """Return the first-level classes."""
        return [self._file(letter).root for letter in self.letters]

    def walk(self) -> Iterator[TaxonomyNode]:
        """Yield all nodes in the order of the schedule."""
        for root in self.roots():
            yield from root.walk()

    def node(self, reference: str) -> TaxonomyNode:
        """Return the node meant by ``clc:R2`` or ``R2``; upper or lower case, a number of a range stands for it.

        Raises
        ------
        TopicError
            If there is none; it names the nearest one.
        """
        code = re.sub(r"\s", "", nfkc(reference)).upper().removeprefix(PREFIX.upper())
        seen = {code}
        while True:
            file = self._file(code[0]) if code[:1] in self.letters else None
            node = file.find(code) if file is not None else None
            if node is not None:
                return node
            target = file.alternates.get(code, ("", "", ""))[2] if file is not None else ""
            if not target or target in seen:
                raise TopicError([f'"{reference}": {self._unknown(reference, code)}'])
            code = target
            seen.add(code)

    def search(self, text: str) -> list[FoundNode]:
        """Return the nodes whose code, names or words have `text`, in Chinese or English, the best first."""
        wanted = collapse(fold(text))
        found = []
        for node in self.walk() if wanted else ():
            best = _match(node, wanted)
            if best is not None:
                found.append(best)
        return sorted(found, key=lambda item: -item.score)

    def path(self, node: TaxonomyNode) -> list[TaxonomyNode]:
        """Return the nodes from the first-level class down to `node`."""
        up = [node]
        while up[0].parent:
            up.insert(0, self.node(up[0].parent))
        return up

    def _file(self, letter: str) -> _ClassFile:
        if letter not in self._files:
            self._files[letter] = _read(self.folder / f"{letter}.toml")
        return self._files[letter]

    def _unknown(self, reference: str, code: str) -> str:
        """Return what is wrong with a reference and what is nearest to it."""
        if not re.fullmatch(r"[A-Z]", code[:1]) or not re.search(r"\d", code):
            hits = self.search(re.sub(rf"^{PREFIX}", "", reference, flags=re.IGNORECASE))
            if hits:
                best = hits[0].node
                return f"no class has this code. Did you mean {best.reference}, {best.title}?"
        known = [node.code for node in self._file(code[0]).root.walk()] if code[:1] in self.letters else self.letters
        above = max((other for other in known if code.startswith(other)), key=len, default="")
        if len(above) > 1:
            near = self.node(above)
            return f"the taxonomy ends at the second level. Did you mean {near.reference}, {near.title}?"
        hint = did_you_mean(code, known)
        return f"no class has this code; known: {', '.join(known)}.{hint}"


@dataclass(frozen=True, slots=True)
class _ClassFile:
    """A first-level class with the other numbers its schedule has."""

    root: TaxonomyNode
    alternates: Mapping[str, tuple[str, str, str]]  # code -> Chinese name, English name, code that is used

    def find(self, code: str) -> TaxonomyNode | None:
        for node in self.root.walk():
            if node.code == code or _in_range(node.code, code):
                return node
        return None


def _in_range(span: str, code: str) -> bool:
    """Tell whether `code` is a number of a range such as D33/37, or its beginning: D33 to D37, and D3."""
    match = _RANGE.fullmatch(span)
    if match is None or not code.startswith(match[1]) or len(code) == len(match[1]):
        return False
    numbers = code[len(match[1]) :]
    return any(str(n) == numbers or str(n)[:1] == numbers for n in range(int(match[2]), int(match[3]) + 1))


def _match(node: TaxonomyNode, wanted: str) -> FoundNode | None:
    best: FoundNode | None = None
    names = {node.code: 1.0, node.zh: 1.0, node.en: 1.0}
    words = {form: weight for term, weight in node.terms.items() for form in (term, *node.synonyms.get(term, ()))}
    for forms, exact, part in ((names, _EXACT_NAME, _IN_NAME), (words, _EXACT_WORD, _IN_WORD)):
        for form, weight in forms.items():
            folded = collapse(fold(form))
            score = exact + weight if folded == wanted else part + weight if _has(folded, wanted) else 0.0
            if score > (best.score if best is not None else 0.0):
                best = FoundNode(node, form, score)
    return best


def _has(text: str, wanted: str) -> bool:
    """Tell whether `text` has `wanted`; a word of letters has to begin where a word begins."""
    if not wanted.isascii():
        return wanted in text
    return re2.search(rf"\b{re2.escape(wanted)}", text) is not None


def _read(path: Path) -> _ClassFile:
    try:
        data = tomllib.loads(read_text(path))
        groups = {code: _group(code, names) for code, names in data.get("groups", {}).items()}
        leaves = [_leaf(entry) for entry in data["class"]]
        terms, synonyms = _words(data["terms"])
        code = str(data["code"])
        alternates = {str(key): (str(a), str(b), str(c)) for key, (a, b, c) in data.get("alternates", {}).items()}
        root = TaxonomyNode(
            code, data["zh"], data["en"], terms, synonyms, children=_gathered(leaves, groups, parent=code)
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TopicError([f"{path}: this file of the classification is damaged ({error}); install anew"]) from error
    return _ClassFile(root, alternates)


def _words(table: Mapping[str, list[Any]]) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    terms = {word: float(entry[0]) for word, entry in table.items()}
    return terms, {word: tuple(str(form) for form in entry[1:]) for word, entry in table.items()}


def _leaf(entry: Mapping[str, Any]) -> TaxonomyNode:
    code = str(entry["code"])
    terms, synonyms = _words(entry["terms"])
    samples = tuple(
        ClassSample(f"{code}/{number}", str(sample["text"]).strip(), str(sample.get("language", "zh")))
        for number, sample in enumerate(entry["sample"], start=1)
    )
    return TaxonomyNode(code, str(entry["zh"]), str(entry["en"]), terms, synonyms, samples)


def _group(code: str, names: list[str]) -> TaxonomyNode:
    zh, en = names
    return TaxonomyNode(code, zh, en, {}, {})


def _gathered(
    leaves: list[TaxonomyNode], groups: Mapping[str, TaxonomyNode], *, parent: str
) -> tuple[TaxonomyNode, ...]:
    """Return the children of a first-level class; leaves of a group stand below it, at the place of the first."""
    children: list[TaxonomyNode] = []
    for leaf in leaves:
        group = next((code for code in groups if leaf.code.startswith(code)), "")
        if not group:
            children.append(replace(leaf, parent=parent))
            continue
        if not children or children[-1].code != group:
            children.append(replace(groups[group], parent=parent))
        children[-1] = replace(children[-1], children=(*children[-1].children, replace(leaf, parent=group)))
    return tuple(children)


def is_reference(reference: str) -> bool:
    """Tell whether `reference` names a class (``clc:…``)."""
    return reference.lower().startswith(PREFIX)


@cache
def library_classification() -> Taxonomy:
    """Return the classification that comes with the package.

    Raises
    ------
    TopicError
        If its files are missing.
    """
    shipped = shipped_topics()
    if shipped is None or not (shipped / FOLDER).is_dir():
        raise TopicError(["The files of the library classification are missing: install focuscrawl anew."])
    return Taxonomy(shipped / FOLDER)
