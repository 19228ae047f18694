"""The default extractor: judges every line of a page by its text, its place and its neighbours.

Boosted trees give each line a probability from its features; where to cut is decided for each page by the F1 that
these probabilities promise. The numbers of the trees were learned from labelled pages
(``benchmarks/train_main_content.py``), and only the numbers are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from lxml import etree

from focuscrawl.extraction.alike_lines import Ints, with_alike, with_rest_of_lists
from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.body_block import NEIGHBOUR, settle, with_enclosed, with_heading_above, with_neighbours
from focuscrawl.extraction.callouts import with_callouts
from focuscrawl.extraction.comments_below import comments_below
from focuscrawl.extraction.control_lines import control_lines
from focuscrawl.extraction.features import Features, Floats, line_features
from focuscrawl.extraction.fields import PageFields, page_fields
from focuscrawl.extraction.footnotes import with_notes
from focuscrawl.extraction.forest import Forest, load_forests
from focuscrawl.extraction.mail_messages import header_lines
from focuscrawl.extraction.page_type import PAGE_TYPES, UNKNOWN, PageType, declared_body, page_type
from focuscrawl.extraction.records import find_records
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.segments import Segments, tree_lines
from focuscrawl.extraction.site_notice import site_notices
from focuscrawl.extraction.table_rows import with_whole_rows
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.page.model import PageAnalysis, PageKind
from focuscrawl.types import Explained, clip01

MODEL = "main_content.json.gz"
LOWEST_CUT, HIGHEST_CUT = 0.1, 0.6
"""Bounds of `page_threshold`; chosen on pages of sites left out of the training."""
SURE, SURE_WORDS = 0.7, 40.0
"""An article of which so many words are so probable is cut at the higher bound."""
_FULL_CHARS = 400
_ARTICLE, _THREAD, _ABOUT, _PRODUCT = (
    1 << PAGE_TYPES.index(kind) for kind in ("article", "thread", "about", "product")
)
_OTHERS = 1 << PAGE_TYPES.index("listing") | _PRODUCT


@dataclass(frozen=True, slots=True)
class Judged:
    """The lines of a page and how probably each is main content."""

    found: Segments
    probabilities: Floats
    weights: Floats
    threshold: float
    article: bool = False  # the page says that it is one
    page_type: PageType = UNKNOWN  # all it says of its type
    notices: frozenset[int] = frozenset()  # whose probability is 0, as of `control_lines`
    places: Ints | None = None  # `Features.place`; None on a thread, whose posts are compared by `threads`
    several: bool = False  # the page has several bodies, whose headings are titles of theirs
    likeness: Floats | None = None  # `Features.likeness`; None on threads and products, whose headings are titles

    @property
    def chosen(self) -> list[int]:
        """Numbers of the lines that are main content."""
        taken = settle(self.found, self.probabilities, self.weights, self.threshold, article=self.article)
        if self.places is not None:
            taken = with_alike(self.found, taken, self.probabilities, self.weights, self.places)
        least = NEIGHBOUR
        if self.threshold >= HIGHEST_CUT:
            taken = with_neighbours(self.found, taken, self.probabilities)
        else:
            least *= self.threshold / HIGHEST_CUT
        taken = with_callouts(self.found, taken, self.probabilities, self.weights)
        taken = with_enclosed(self.found, taken, self.probabilities, least, likeness=self.likeness)
        if self.article and not self.several and self.likeness is not None:
            taken = with_heading_above(self.found, taken, self.probabilities, least, self.likeness)
        taken = with_whole_rows(self.found, taken, self.probabilities)
        taken = with_rest_of_lists(self.found, taken, self.probabilities, self.weights)
        taken = with_notes(self.found, taken, self.probabilities)
        return [int(at) for at in np.flatnonzero(taken)]

    def mean_probability(self, lines: Iterable[int]) -> float:
        """Return how probably lines, given by their numbers, are main content, weighted by words, 0 for none."""
        chosen = list(lines)
        weights = self.weights[chosen]
        return clip01(float((self.probabilities[chosen] * weights).sum() / max(float(weights.sum()), 1e-6)))


@cache
def _forest() -> Forest:
    return load_forests(MODEL)[1][0]


def judge_lines(page: PageAnalysis) -> Judged | None:
    """Return the lines of a page with their probabilities, None when the page has no line."""
    if page.tree is None:
        return None
    found = visible(page.tree.once(tree_lines))
    if not found.lines:
        return None
    said = page_type(page.tree, page.url)
    features = page_features(page, found, said)
    p = _forest().probabilities(features.matrix)
    judged = settled(found, p, features, said)
    return replace(judged, several=page.kind is PageKind.MULTI_BODY)


def settled(found: Segments, p: Floats, features: Features, kind: PageType) -> Judged:
    """Return the judgement of a page of which the lines' probabilities and features and its type are known."""
    weights, thread = features.weight, bool(kind.said & _THREAD)
    notices = site_notices(found) | control_lines(found) | header_lines(found)
    if not thread:
        notices |= comments_below(found, p, weights, sure=SURE, words=SURE_WORDS)
    if notices:
        p = p.copy()
        p[list(notices)] = 0.0
    cut = page_threshold(p, weights, sure_from=SURE if says_only_article(kind) else 1.0)
    places = None if thread else features.place
    likeness = None if kind.said & (_THREAD | _PRODUCT) else features.likeness
    return Judged(found, p, weights, cut, says_article(kind), kind, notices, places, likeness=likeness)


def says_article(kind: PageType) -> bool:
    """Tell whether a page says that it is an article and nothing says that it is a thread or a list of posts."""
    return bool(kind.said & _ARTICLE) and not kind.said & _THREAD and not kind.archive


def says_only_article(kind: PageType) -> bool:
    """Tell whether a page says that it is an article and neither its address nor its types say anything else."""
    return says_article(kind) and not (kind.by_url & (_OTHERS | _ABOUT) or (kind.declared | kind.by_maker) & _OTHERS)


def page_features(page: PageAnalysis, found: Segments, said: PageType) -> Features:
    """Return the features of the lines `found` on a page of the type `said`."""
    return line_features(
        found,
        title=page.title,
        kind=str(page.kind),
        page_type=said,
        declared=declared_body(page.tree) if page.tree is not None else "",
        description=page.description,
    )


def page_threshold(p: Floats, weights: Floats, *, sure_from: float = 1.0) -> float:
    """Return the cut of a page: lines more probable than it are taken.

    Where the lines from the most probable down to one are taken, the F1 to expect is about
    2 * sum(p * w of the taken) / (sum(w of the taken) + sum(p * w of all)), w being the words of a line. The cut is
    just below the line where that is greatest, within `LOWEST_CUT` and `HIGHEST_CUT`: so it is low on a page whose best
    lines are unsure, a thread of a few words or a script the judge has not seen. Cf. Jansche, "A maximum expected
    utility framework for binary sequence labeling", ACL 2007.

    Parameters
    ----------
    p, weights
        Probability and words of each line, arrays of one length, not empty.
    sure_from
        The cut is `HIGHEST_CUT` when `SURE_WORDS` words are more probable than this. For articles: doubtful lines below
        a sure text are seldom part of it, those below a sure post or list item often are.
    """
    if float(weights[p > sure_from].sum()) > SURE_WORDS:
        return HIGHEST_CUT
    order = np.argsort(-p, kind="stable")
    ranked, held = p[order].astype(np.float64), weights[order].astype(np.float64)
    mass = np.cumsum(ranked * held)
    expected = 2.0 * mass / np.maximum(np.cumsum(held) + mass[-1], 1e-9)
    cut = float(ranked[int(expected.argmax())])
    return min(max(float(np.nextafter(np.float32(cut), np.float32(0.0))), LOWEST_CUT), HIGHEST_CUT)


class MainContentExtractor:
    """Main content of pages of any kind, with title, date, author and category."""

    name = "main-content"

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content; empty, with a reason, when the page has none. None for a page without a tree."""
        return self.extract_judged(page, judge_lines(page))

    def extract_judged(self, page: PageAnalysis, judged: Judged | None) -> Extraction | None:
        """Return the main content of a page whose lines are judged already; `judged` is None when it has no line."""
        if page.tree is None:
            return None
        fields = page_fields(page)
        if judged is None:
            return _extraction(self.name, "", fields, Explained(0.0, {}, "no line of text"))
        chosen = judged.chosen
        text = render(judged.found, chosen)
        mean = judged.mean_probability(chosen)
        length = clip01(len(text) / _FULL_CHARS)
        confidence = Explained(
            clip01(mean * (0.5 + 0.5 * length)),
            {"probability": mean, "length": length},
            f"{len(chosen)} of {len(judged.found.lines)} lines above {judged.threshold:.2f}"
            + ("; the page is longer than is read" if judged.found.truncated else ""),
        )
        made = _extraction(self.name, text, fields, confidence, _places(judged, chosen, page))
        if page.kind is PageKind.MULTI_BODY:
            made = replace(made, records=find_records(judged.found, chosen))
        return made


def _places(judged: Judged, chosen: list[int], page: PageAnalysis) -> tuple[str, ...]:
    """Return the XPath of the innermost block that holds every line chosen."""
    nodes = judged.found.nodes
    held = [judged.found.lines[line].node for line in chosen]
    if not held or page.tree is None:
        return ()
    # Blocks stand in the order of the document, each after its parent: what holds the first and the last holds all.
    first, last = min(held), max(held)
    while first != last:
        if first < last:
            last = nodes[last].parent
        else:
            first = nodes[first].parent
    return (etree.ElementTree(page.tree.root).getpath(nodes[first].element),) if first >= 0 else ()


def _extraction(
    name: str, text: str, fields: PageFields, confidence: Explained, xpaths: tuple[str, ...] = ()
) -> Extraction:
    return Extraction(
        method=name,
        text=text,
        title=fields.title,
        published=fields.published,
        author=fields.author,
        category=fields.category,
        tags=fields.tags,
        xpaths=xpaths,
        confidence=confidence,
    )
