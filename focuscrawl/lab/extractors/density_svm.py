"""Main content by support-vector machines on text densities (docs/formulas.md F).

One machine tells blocks of main content from others by five densities; another drops paragraphs inside the blocks that
were taken. Their numbers are learned from labelled pages (``focuscrawl train-extractor``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import numpy as np
from lxml import etree

from focuscrawl.errors import StoreError, os_reason
from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.segments import Segments, tree_lines
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.lab.extractors.density_features import (
    BLOCK_FEATURES,
    BLOCK_TAGS,
    PARAGRAPH_FEATURES,
    Matrix,
    Punctuation,
    TextBlock,
    block_features,
    paragraph_features,
    text_blocks,
)
from focuscrawl.lab.extractors.rbf_svm import RbfSvm
from focuscrawl.page.model import PageAnalysis
from focuscrawl.types import Explained, clip01

METHOD = "density_svm"
SHIPPED = "density_svm.json"
VERSION = 1
_MARKS: dict[str, Punctuation] = {name: name for name in get_args(Punctuation)}
_MAX_BYTES = 16 * 2**20  # of a model file; the shipped one has some 100 kB
_MAX_PATHS = 100  # an XPath costs a walk over the siblings of each level
_FULL_CHARS = 400  # text of this length is surely more than a teaser


@dataclass(frozen=True, slots=True, eq=False)
class DensityModel:
    """Both machines, and what their features were counted with. Without the second, blocks are kept whole."""

    block: RbfSvm
    paragraph: RbfSvm | None
    tags: frozenset[str] = BLOCK_TAGS
    punctuation: Punctuation = "all"

    def to_json(self, **facts: object) -> dict[str, object]:
        """Return the model as JSON-safe data; `facts` about its training stand beside."""
        return {
            "method": METHOD,
            "version": VERSION,
            "note": "learned from labelled pages; holds numbers only, no text",
            "tags": sorted(self.tags),
            "punctuation": self.punctuation,
            **facts,
            "block": self.block.to_json(),
            "paragraph": self.paragraph.to_json() if self.paragraph is not None else None,
        }


def read_model(path: Path) -> DensityModel:
    """Return the model in a file that ``focuscrawl train-extractor`` wrote.

    Raises
    ------
    StoreError
        If it cannot be read, or holds something else.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {os_reason(error)}.") from error
    try:
        if len(data) > _MAX_BYTES:
            raise ValueError(f"longer than {_MAX_BYTES // 2**20} MB")
        return parse_model(data)
    except (ValueError, RecursionError) as error:
        hint = "a file that focuscrawl train-extractor wrote is expected"
        raise StoreError(f"{path}: no model of {METHOD}: {error}; {hint}.") from error


def parse_model(text: bytes) -> DensityModel:
    """Return the model in JSON text.

    Raises
    ------
    ValueError
        If the text is not JSON, or not of this form.
    """
    try:
        data: Any = json.loads(text)
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("method") != METHOD:
        raise ValueError(f'an object with "method": "{METHOD}" is expected')
    if data.get("version") != VERSION:
        raise ValueError(f'"version" is {data.get("version")!r}, and {VERSION} is expected')
    tags, punctuation = data.get("tags"), data.get("punctuation")
    if not isinstance(tags, list) or not tags or not all(isinstance(tag, str) for tag in tags):
        raise ValueError('"tags" has to be a list of names of elements')
    if not isinstance(punctuation, str) or punctuation not in _MARKS:
        raise ValueError(f'"punctuation" is {punctuation!r}, and one of {", ".join(_MARKS)} is expected')
    block = _machine(data, "block", BLOCK_FEATURES)
    paragraph = None
    if data.get("paragraph", "missing") is not None:
        # The third feature may be left out: the paper speaks of two, and defines three.
        paragraph = _machine(data, "paragraph", PARAGRAPH_FEATURES - 1, PARAGRAPH_FEATURES)
    return DensityModel(block, paragraph, frozenset(tags), _MARKS[punctuation])


def _machine(data: Mapping[str, object], name: str, *features: int) -> RbfSvm:
    try:
        return RbfSvm.from_json(data.get(name), features=features)
    except ValueError as error:
        raise ValueError(f'"{name}": {error}') from error


def shipped_model() -> DensityModel:
    """Return the model of the package."""
    return parse_model((files("focuscrawl.lab.extractors") / SHIPPED).read_bytes())


def kept_paragraphs(values: Sequence[float] | Matrix, chars: Sequence[int]) -> list[int]:
    """Return the numbers of a block's paragraphs to keep: those above 0, the longest where none is.

    The only paragraph of a block is kept whatever its value.
    """
    if len(chars) < 2:
        return list(range(len(chars)))
    kept = [at for at, value in enumerate(values) if value > 0.0]
    return kept or [max(range(len(chars)), key=lambda at: chars[at])]


def chosen_lines(found: Segments, blocks: Sequence[TextBlock], values: Matrix, model: DensityModel) -> list[int]:
    """Return the numbers of the lines that are kept of `blocks` whose decision `values` are given, in order."""
    taken = [blocks[int(at)] for at in np.flatnonzero(values > 0.0)]
    lines: list[int] = []
    if model.paragraph is None:
        return sorted(at for block in taken for at in block.lines)
    several = [block for block in taken if len(block.lines) > 1]
    decided: dict[int, Matrix] = {}
    if several:
        # One product for all blocks of the page: there may be hundreds.
        rows = np.vstack([paragraph_features(found, block, punctuation=model.punctuation) for block in several])
        whole = model.paragraph.decide(rows[:, : model.paragraph.features])
        ends = np.cumsum([len(block.lines) for block in several])[:-1]
        decided = {id(block): part for block, part in zip(several, np.split(whole, ends), strict=True)}
    for block in taken:
        kept = kept_paragraphs(decided.get(id(block), ()), [found.lines[at].chars for at in block.lines])
        lines += [block.lines[at] for at in kept]
    return sorted(lines)


class DensitySvmExtractor:
    """The paper's method alone.

    Parameters
    ----------
    model
        File that ``focuscrawl train-extractor`` wrote; the package's own when None.

    Raises
    ------
    StoreError
        If the file cannot be read or holds something else.
    """

    name = METHOD

    def __init__(self, *, model: str | Path | None = None) -> None:
        self._model = shipped_model() if model is None else read_model(Path(model))

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the paragraphs kept; empty, with a reason, when no block is main content."""
        if page.tree is None:
            return None
        found = visible(page.tree.once(tree_lines))
        blocks = text_blocks(found, page.tree.root, tags=self._model.tags, punctuation=self._model.punctuation)
        if not blocks:
            return self._empty(page, "no line of text")
        values = self._model.block.decide(block_features(blocks))
        lines = chosen_lines(found, blocks, values, self._model)
        if not lines:
            return self._empty(page, f"none of {len(blocks)} blocks is main content, the best has {values.max():.2f}")
        taken = [at for at in range(len(blocks)) if values[at] > 0.0]
        chars = np.array([blocks[at].chars for at in taken], float)
        # A decision of 1 is the margin of the training.
        margin = clip01(float((np.clip(values[taken], 0.0, 1.0) * chars).sum() / max(float(chars.sum()), 1.0)))
        text = render(found, lines)
        length = clip01(len(text) / _FULL_CHARS)
        tree = etree.ElementTree(page.tree.root)
        return Extraction(
            method=self.name,
            text=text,
            title=page.title,
            xpaths=tuple(tree.getpath(blocks[at].element) for at in taken[:_MAX_PATHS]),
            confidence=Explained(
                clip01(0.7 * margin * length),
                {"margin": margin, "length": length},
                f"{len(taken)} of {len(blocks)} blocks, {len(lines)} of "
                f"{sum(len(blocks[at].lines) for at in taken)} paragraphs in them"
                + ("; the page is longer than is read" if found.truncated else ""),
            ),
        )

    def _empty(self, page: PageAnalysis, reason: str) -> Extraction:
        return Extraction(method=self.name, text="", title=page.title, confidence=Explained(0.0, {}, reason))
