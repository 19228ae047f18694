"""Training of the `density_svm` extractor on labelled pages (docs/formulas.md F.2, F.4).

scikit-learn does the fitting; what comes out are numbers that the extractor applies without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.errors import MissingPackageError
from focuscrawl.extraction.segments import Segments, tree_lines
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.lab.extractors.density_features import (
    BLOCK_TAGS,
    PARAGRAPH_FEATURES,
    Matrix,
    Punctuation,
    TextBlock,
    block_features,
    paragraph_features,
    text_blocks,
)
from focuscrawl.lab.extractors.density_svm import DensityModel, chosen_lines
from focuscrawl.lab.extractors.gold_lines import LineFigures, gold_shares, line_figures
from focuscrawl.lab.extractors.rbf_svm import RbfSvm, gamma, scale
from focuscrawl.page.model import PageAnalysis

BLOCK_C, BLOCK_SIGMA = 3.0, 1.6
PARAGRAPH_C, PARAGRAPH_SIGMA = 2.0, 1.2
"""The paper's values."""
GRID_C = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
GRID_SIGMA = (0.4, 0.8, 1.2, 1.6, 2.4)
FOLDS = 5
PAGES_PER_SITE = 10  # as in the paper; more of one site teach little and drown the others
LEAST_PARAGRAPHS = 100
# A machine's size and time grow with its samples, those of its training with their square and more. Twice as many
# were no better on sites left out.
MAX_SAMPLES = 1500
_PAGE_SAMPLES = 40  # of one page: a long menu must not teach all
_BODY_SHARE = 0.5  # of a block's or line's tokens, in the gold text

_ONE_CLASS = "both main text and other text are needed, on several pages"

Labels = NDArray[np.int64]
Fit = Callable[[Matrix, Labels], RbfSvm]


class TooFewError(ValueError):
    """The pages do not have enough of something to learn from."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPage:
    """Training examples of a page; its tree is not kept."""

    site: str
    found: Segments
    blocks: Sequence[TextBlock]
    rows: Matrix  # features of the blocks
    is_body: NDArray[np.bool_]  # of each block
    gold: tuple[int, ...]  # lines of the main text


@dataclass(frozen=True, slots=True)
class GridPoint:
    """A pair of parameters and the mean F1 of the wanted class over the folds."""

    c: float
    sigma: float
    f1: float


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """Trained model with its sources and its quality in cross-validation."""

    model: DensityModel
    pages: int
    sites: int
    blocks: int
    paragraphs: int
    grouped_by: str  # 'site', or 'page' where there are fewer sites than folds
    block_grid: tuple[GridPoint, ...]
    paragraph_grid: tuple[GridPoint, ...]
    lines: LineFigures


@dataclass(frozen=True, slots=True, eq=False)
class _Samples:
    rows: Matrix
    labels: Labels
    folds: Labels


def label_page(
    page: PageAnalysis,
    gold: str,
    *,
    site: str,
    tags: Collection[str] = BLOCK_TAGS,
    punctuation: Punctuation = "all",
) -> LabelledPage | None:
    """Return what can be learned from a page whose main text is `gold`, None when it has no text at all."""
    if page.tree is None:
        return None
    found = visible(page.tree.once(tree_lines))
    blocks = text_blocks(found, page.tree.root, tags=tags, punctuation=punctuation)
    if not blocks:
        return None
    shares = gold_shares([line.text for line in found.lines], gold)
    chars = np.array([line.chars for line in found.lines], float)
    body = [float((shares[b.lines] * chars[b.lines]).sum()) > _BODY_SHARE * b.chars for b in blocks]
    for node in found.nodes:
        node.element = None
    for block in blocks:
        block.element = None
    return LabelledPage(
        site=site,
        found=found,
        blocks=blocks,
        rows=block_features(blocks),
        is_body=np.array(body, bool),
        gold=tuple(int(at) for at in np.flatnonzero(shares > _BODY_SHARE)),
    )


def svm_class() -> Any:
    """Return scikit-learn's support-vector machine.

    Raises
    ------
    MissingPackageError
        If scikit-learn is not installed.
    """
    try:
        from sklearn.svm import SVC
    except ImportError as error:
        raise MissingPackageError(
            "Training density_svm needs scikit-learn, which is not installed: pip install 'focuscrawl[train]'."
        ) from error
    return SVC


def fit_svm(rows: Matrix, labels: Labels, *, c: float, sigma: float) -> RbfSvm:
    """Return the machine fitted to rows of unscaled features and their classes, +1 and -1, of balanced weight.

    Raises
    ------
    TooFewError
        If one of the classes is missing.
    MissingPackageError
        If scikit-learn is not installed.
    """
    svc = svm_class()
    if len(np.unique(labels)) < 2:
        raise TooFewError(_ONE_CLASS)
    minimum, maximum = rows.min(0), rows.max(0)
    fitted = svc(C=c, kernel="rbf", gamma=gamma(sigma), class_weight="balanced")
    fitted.fit(scale(rows, minimum, maximum), labels)
    return RbfSvm(
        c,
        sigma,
        float(fitted.intercept_[0]),
        minimum,
        maximum,
        np.asarray(fitted.support_vectors_, float),
        np.asarray(fitted.dual_coef_[0], float),
    )


def best_point(points: Sequence[GridPoint]) -> GridPoint:
    """Return the point of the best F1; ties go to the smaller C, then the larger sigma."""
    return min(points, key=lambda point: (-round(point.f1, 6), point.c, -point.sigma))


def grid_search(
    rows: Matrix,
    labels: Labels,
    folds: Labels,
    *,
    grid_c: Sequence[float] = GRID_C,
    grid_sigma: Sequence[float] = GRID_SIGMA,
) -> tuple[GridPoint, ...]:
    """Return the cross-validated F1 of the class +1 for each pair of parameters.

    Raises
    ------
    TooFewError
        If no fold can be left out without losing a class.
    """
    samples = _Samples(rows, labels, folds)
    usable = _usable(samples)
    if not usable:
        raise TooFewError(_ONE_CLASS)
    points = []
    for c in grid_c:
        for sigma in grid_sigma:
            scores = []
            for fold in usable:
                wanted = labels[folds == fold] > 0
                said = fit_svm(*_without(samples, fold), c=c, sigma=sigma).decide(rows[folds == fold]) > 0.0
                right = int((said & wanted).sum())
                both = int(said.sum()) + int(wanted.sum())
                scores.append(2.0 * right / both if both else 1.0)
            points.append(GridPoint(c, sigma, float(np.mean(scores))))
    return tuple(points)


def train(
    pages: Sequence[LabelledPage],
    *,
    search: bool = True,
    seed: int = 0,
    tags: Collection[str] = BLOCK_TAGS,
    punctuation: Punctuation = "all",
    features: int = PARAGRAPH_FEATURES,
) -> Training:
    """Return the model learned from labelled pages.

    With fewer than `LEAST_PARAGRAPHS` paragraphs in blocks that have several, or none that is not main text, the model
    has no machine for paragraphs.

    Parameters
    ----------
    pages
        Labelled pages, not many more than `PAGES_PER_SITE` of one site.
    search
        Search C and sigma over the grid; otherwise the paper's values are taken, and the grids are empty.
    seed
        Which folds, blocks and paragraphs are drawn.
    tags, punctuation
        What the pages were labelled with.
    features
        3, or 2 to leave out the place of a paragraph: the paper defines three densities, and speaks of two.

    Raises
    ------
    TooFewError
        If there are fewer than two pages, or only main text, or none.
    """
    if len(pages) < 2:
        raise TooFewError(f"two pages with text are needed at least, and there are {len(pages)}")
    grouped_by, fold = split_folds(pages, seed=seed)
    blocks = _samples([page.rows for page in pages], [page.is_body for page in pages], fold, seed)
    if not _usable(blocks):
        raise TooFewError(_ONE_CLASS)
    fit_blocks, block_grid = _fitting(blocks, BLOCK_C, BLOCK_SIGMA, search=search)
    by_fold = {number: fit_blocks(*_without(blocks, number)) for number in _usable(blocks)}
    values = [by_fold[own].decide(page.rows) if own in by_fold else None for page, own in zip(pages, fold, strict=True)]
    # What the second machine has to clean is what the first takes of a page it has not seen. Blocks that are labelled
    # main text would teach it little: nineteen of twenty paragraphs in them are.
    taken = [_taken_paragraphs(page, value, punctuation) for page, value in zip(pages, values, strict=True)]
    paragraphs = _samples([rows[:, :features] for rows, _ in taken], [wanted for _, wanted in taken], fold, seed)
    paragraph_grid: tuple[GridPoint, ...] = ()
    paragraph, paragraph_by_fold = None, {}
    if len(paragraphs.labels) >= LEAST_PARAGRAPHS and _usable(paragraphs):
        fit_paragraphs, paragraph_grid = _fitting(paragraphs, PARAGRAPH_C, PARAGRAPH_SIGMA, search=search)
        paragraph = fit_paragraphs(paragraphs.rows, paragraphs.labels)
        paragraph_by_fold = {number: fit_paragraphs(*_without(paragraphs, number)) for number in _usable(paragraphs)}
    kept = []
    for number, machine in by_fold.items():
        model = DensityModel(machine, paragraph_by_fold.get(number), frozenset(tags), punctuation)
        kept += [
            (chosen_lines(page.found, page.blocks, value, model), page.gold)
            for page, value, own in zip(pages, values, fold, strict=True)
            if own == number and value is not None
        ]
    return Training(
        model=DensityModel(fit_blocks(blocks.rows, blocks.labels), paragraph, frozenset(tags), punctuation),
        pages=len(pages),
        sites=len({page.site for page in pages}),
        blocks=len(blocks.labels),
        paragraphs=len(paragraphs.labels),
        grouped_by=grouped_by,
        block_grid=block_grid,
        paragraph_grid=paragraph_grid,
        lines=line_figures(kept),
    )


def drawn_order(count: int, *, seed: int) -> list[int]:
    """Return the numbers below `count` in an order drawn by `seed`."""
    return sorted(range(count), key=lambda at: _draw(seed, str(at)))


def split_folds(pages: Sequence[LabelledPage], *, seed: int) -> tuple[str, list[int]]:
    """Return what is never split, a site or a page, and the fold of each page.

    Sites are not split where there are as many as folds; a page never is.
    """
    by_site = len({page.site for page in pages}) >= FOLDS
    names = [page.site if by_site else str(at) for at, page in enumerate(pages)]
    sizes = Counter(names)
    filled = [0] * min(FOLDS, len(sizes))
    fold_of = {}
    # The largest first, each to the emptiest fold, so that folds are alike in pages.
    for name in sorted(sizes, key=lambda name: (-sizes[name], _draw(seed, name))):
        fold_of[name] = filled.index(min(filled))
        filled[fold_of[name]] += sizes[name]
    return ("site" if by_site else "page"), [fold_of[name] for name in names]


def _draw(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}|{name}".encode(), digest_size=8).digest()


def _usable(samples: _Samples) -> list[int]:
    """Return the folds that can be left out without losing a class."""
    folds = [int(fold) for fold in np.unique(samples.folds)]
    return [fold for fold in folds if len(np.unique(_without(samples, fold)[1])) == 2]


def _without(samples: _Samples, fold: int) -> tuple[Matrix, Labels]:
    kept = samples.folds != fold
    return samples.rows[kept], samples.labels[kept]


def _taken_paragraphs(
    page: LabelledPage, values: Matrix | None, punctuation: Punctuation
) -> tuple[Matrix, NDArray[np.bool_]]:
    """Return the features of the paragraphs of blocks that are taken and have several, and which are main text."""
    above = np.flatnonzero(values > 0.0) if values is not None else ()
    taken = [page.blocks[int(at)] for at in above if len(page.blocks[int(at)].lines) > 1]
    if not taken:
        return np.empty((0, PARAGRAPH_FEATURES)), np.empty(0, bool)
    rows = np.vstack([paragraph_features(page.found, block, punctuation=punctuation) for block in taken])
    return rows, np.isin([at for block in taken for at in block.lines], page.gold)


def _fitting(samples: _Samples, c: float, sigma: float, *, search: bool) -> tuple[Fit, tuple[GridPoint, ...]]:
    grid: tuple[GridPoint, ...] = ()
    if search:
        grid = grid_search(samples.rows, samples.labels, samples.folds)
        point = best_point(grid)
        c, sigma = point.c, point.sigma
    return (lambda rows, labels: fit_svm(rows, labels, c=c, sigma=sigma)), grid


def _samples(rows: Sequence[Matrix], wanted: Sequence[NDArray[np.bool_]], folds: Sequence[int], seed: int) -> _Samples:
    """Return samples of all pages, at most `_PAGE_SAMPLES` of each and `MAX_SAMPLES` of all, drawn by `seed`."""
    rng = np.random.default_rng(seed)
    parts = [np.sort(rng.permutation(len(labels))[:_PAGE_SAMPLES]) for labels in wanted]
    joined = np.vstack([page[part] for page, part in zip(rows, parts, strict=True)])
    labels = np.concatenate([page[part] for page, part in zip(wanted, parts, strict=True)])
    fold = np.repeat(np.array(folds, np.int64), [len(part) for part in parts])
    kept = np.sort(rng.permutation(len(labels))[:MAX_SAMPLES])
    return _Samples(joined[kept], np.where(labels[kept], 1, -1).astype(np.int64), fold[kept])
