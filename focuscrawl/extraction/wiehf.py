"""WIEHF: main content by headings, punctuation and place of container blocks (docs/formulas.md E).

A page is taken apart into containers (``div``, ``table`` and the like). A container's value is

    SD = DSD * (TSD + PSD)

where PSD rewards punctuation and text outside links, TSD the words of title and headings, and DSD a place near the
start of few levels. Alike siblings are merged, so that a text cut into several containers stands as one; the best
container and those near it in the tree make up the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lxml import etree

from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.segments import Segments, tree_lines
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tree import Element
from focuscrawl.text.normalize import nfc
from focuscrawl.text.stopwords import stopwords
from focuscrawl.types import Explained, clip01

if TYPE_CHECKING:
    from focuscrawl.extraction.main_content import Judged

Q = 10.0
"""Base of the level weights of DSD: a level further down counts a tenth."""
ALPHA, BETA = 0.5, 1.0
"""Weights of the most and the second most frequent heading word."""
TOP = 7
"""Containers of largest SD that are looked at."""
SINGLE_SHARE = 0.5
"""From this share of the text of the seven on, the best container is the body of a single-body page."""

CONTAINERS = frozenset({"div", "table", "tbody", "article", "section", "main", "td"})
"""Container elements; the paper names ``div``, ``table`` and ``tbody`` "and so on"."""

COPYRIGHT_WORDS = (
    "版权",
    "版权所有",
    "备案",
    "icp",
    "联系我们",
    "关于我们",
    "免责声明",
    "网站地图",
    "友情链接",
    "copyright",
    "all rights reserved",
    "contact us",
    "privacy policy",
    "terms of use",
)
_COPYRIGHT_HITS = 3
_PUNCTUATION = re.compile(r"[，。、；：？！…,.;:?!]")
_FULL_CHARS = 400  # text of this length is surely more than a teaser
# A page of more containers is a data dump; each costs a string search for the two words.
_MAX_CONTAINERS = 20_000


@dataclass(slots=True)
class Container:
    """A container, or several alike siblings merged into one."""

    path: tuple[tuple[str, int], ...]  # (tag, ordinal among container siblings) from html and body on
    ordinals: tuple[int, ...]  # rd of each level below body
    text: str
    sd: float
    order: int
    parent: int
    attributes: Mapping[str, str]
    element: Element = None  # of the first member


def psd(nc: int, hc: int, punctuation: int) -> float:
    """Return the punctuation value: FP * NC / max(HC, 1).

    Parameters
    ----------
    nc, hc
        Characters without white space outside and inside links.
    punctuation
        Punctuation marks. Fewer than 3 give FP = 0.001, fewer than 6 give 0.1, more give 0.5.
    """
    fp = 0.001 if punctuation < 3 else 0.1 if punctuation < 6 else 0.5
    return fp * nc / max(hc, 1)


def tsd(first: int, second: int) -> float:
    """Return the heading value of a container that holds the two most frequent heading words so many times."""
    return ALPHA * first + BETA * second


def dsd(ordinals: Sequence[int]) -> float:
    """Return the place value: 1 / sum of rd_i * q**-(i-1) over the levels below body; 1 for body itself.

    The paper's formula has a positive exponent, its example a negative one; the example decides.
    """
    total = sum(rd * Q**-level for level, rd in enumerate(ordinals))
    return 1.0 / total if total > 0.0 else 1.0


def juli(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the distance of two paths: the steps not shared by both, less one; 0 for the same path."""
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return max(0, len(one) + len(other) - 2 * shared - 1)


def heading_words(containers: Sequence[str], words: Sequence[str]) -> tuple[str, str]:
    """Return the two of `words` that are most frequent in `containers`, '' where there is none.

    `words` are the content words of title and headings in their order; ties go to the earlier one.
    """
    whole = "\n".join(containers).lower()
    counts = {word: whole.count(word) for word in dict.fromkeys(words)}
    ranked = sorted((word for word in counts if counts[word] > 0), key=lambda word: -counts[word])
    return (ranked[0] if ranked else "", ranked[1] if len(ranked) > 1 else "")


def alike(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Tell whether two siblings are alike: equal class, else equal style, else all other attributes equal."""
    for name in ("class", "style"):
        mine, theirs = one.get(name, ""), other.get(name, "")
        if mine and mine == theirs:
            return True
    rest = {name: value for name, value in one.items() if name not in ("class", "style")}
    return bool(rest) and rest == {name: value for name, value in other.items() if name not in ("class", "style")}


def is_copyright(text: str) -> bool:
    """Tell whether a text has three words of a copyright notice or more and no punctuation."""
    low = text.lower()
    hits = sum(word in low for word in COPYRIGHT_WORDS)
    return hits >= _COPYRIGHT_HITS and _PUNCTUATION.search(text) is None


def merge_siblings(containers: Sequence[Container]) -> list[Container]:
    """Return the containers with alike siblings joined; a group keeps its first member's path and the sum of SD."""
    groups: dict[int, list[Container]] = {}
    by_parent: dict[int, list[Container]] = {}
    for item in containers:
        by_parent.setdefault(item.parent, []).append(item)
    for siblings in by_parent.values():
        keys: dict[object, int] = {}
        root = list(range(len(siblings)))

        def find(at: int, root: list[int] = root) -> int:
            while root[at] != at:
                root[at] = root[root[at]]
                at = root[at]
            return at

        # Equal class, equal style, equal rest: each is an equivalence of its own, so a look-up joins all pairs.
        for at, item in enumerate(siblings):
            rest = tuple(sorted((k, v) for k, v in item.attributes.items() if k not in ("class", "style")))
            for key in (
                ("class", item.attributes.get("class", "")),
                ("style", item.attributes.get("style", "")),
                ("rest", rest),
            ):
                if not key[1]:
                    continue
                if key in keys:
                    root[find(at)] = find(keys[key])
                else:
                    keys[key] = at
        for at, item in enumerate(siblings):
            groups.setdefault(siblings[find(at)].order, []).append(item)
    merged = []
    for members in groups.values():
        members.sort(key=lambda item: item.order)
        first = members[0]
        text = "\n\n".join(item.text for item in members if item.text)
        merged.append(
            Container(
                first.path,
                first.ordinals,
                text,
                sum(item.sd for item in members),
                first.order,
                first.parent,
                first.attributes,
                first.element,
            )
        )
    return sorted(merged, key=lambda item: item.order)


def choose(containers: Sequence[Container]) -> tuple[list[Container], float]:
    """Return the containers that make up the text, in document order, and the best one's share of the seven."""
    top = sorted(containers, key=lambda item: (-item.sd, item.order))[:TOP]
    total = sum(len(item.text) for item in top)
    if not total:
        return [], 0.0
    best = top[0]
    share = len(best.text) / total
    bound = 2 if share >= SINGLE_SHARE else 4
    chosen = [item for item in top if item is best or juli(best.path, item.path) <= bound]
    if len(chosen) > 1:
        chosen = [item for item in chosen if not is_copyright(item.text)] or [best]
    return sorted(chosen, key=lambda item: item.order), share


def containers_of(found: Segments, words: Sequence[str]) -> list[Container]:
    """Return the containers of a page with their values; a container's text is that outside nested containers."""
    home: list[int] = []  # container that holds a block's own text
    items: list[Container] = []
    ordinals: list[int] = []
    for node in found.nodes:
        up = home[node.parent] if node.parent >= 0 else -1
        if (node.tag in CONTAINERS and len(items) < _MAX_CONTAINERS) or node.tag == "body":
            above = items[up] if up >= 0 else None
            if node.tag == "body" or above is None:
                path: tuple[tuple[str, int], ...] = (("html", 1), ("body", 1))
                places: tuple[int, ...] = ()
            else:
                ordinals[up] += 1
                path = (*above.path, (node.tag, ordinals[up]))
                places = (*above.ordinals, ordinals[up])
            items.append(Container(path, places, "", 0.0, len(items), up, dict(node.element.items()), node.element))
            ordinals.append(0)
            home.append(len(items) - 1)
        else:
            home.append(up)
    texts: list[list[str]] = [[] for _ in items]
    nc, hc = [0] * len(items), [0] * len(items)
    for line in found.lines:
        at = home[line.node]
        if at >= 0:
            texts[at].append(line.text)
            nc[at] += line.chars - line.link_chars
            hc[at] += line.link_chars
    for item, lines in zip(items, texts, strict=True):
        item.text = "\n\n".join(lines)
    first, second = heading_words([item.text for item in items], words)
    for at, item in enumerate(items):
        low = item.text.lower()
        value = psd(nc[at], hc[at], len(_PUNCTUATION.findall(item.text)))
        value += tsd(low.count(first) if first else 0, low.count(second) if second else 0)
        item.sd = dsd(item.ordinals) * value
    below = [item for item in items if item.ordinals and item.text]
    # Body is no container, but the only one a page without any has.
    return below or [item for item in items if item.text]


class WiehfExtractor:
    """The paper's method alone, for single- and multi-body pages."""

    name = "wiehf"

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the text of the containers chosen; empty, with a reason, when no container has any."""
        if page.tree is None:
            return None
        stops = stopwords()
        words = [w for w in (*page.title_tokens, *page.heading_tokens) if len(w) >= 2 and w not in stops]
        found = page.tree.once(tree_lines)
        items = containers_of(found, words)
        chosen, share = choose(merge_siblings(items))
        text = nfc("\n\n".join(item.text for item in chosen))
        if not text:
            return Extraction(method=self.name, text="", title=page.title, confidence=Explained(0.0, {}, "no text"))
        kind = "one body" if share >= SINGLE_SHARE else "several bodies"
        length = clip01(len(text) / _FULL_CHARS)
        tree = etree.ElementTree(page.tree.root)
        return Extraction(
            method=self.name,
            text=text,
            title=page.title,
            xpaths=tuple(tree.getpath(item.element) for item in chosen),
            confidence=Explained(
                clip01(0.7 * share * length),
                {"share": share, "length": length},
                f"{kind}: {len(chosen)} of {len(items)} containers",
            ),
        )

    def extract_judged(self, page: PageAnalysis, judged: Judged | None) -> Extraction | None:
        """Return the containers' text, no surer than its lines are judged as main content."""
        found = self.extract(page)
        if found is None or judged is None or not found.text:
            return found
        taken = frozenset(found.text.split("\n"))
        mean = judged.mean_probability(at for at, line in enumerate(judged.found.lines) if nfc(line.text) in taken)
        own = found.confidence
        value = min(own.value, mean * (0.5 + 0.5 * own.parts["length"]))
        return replace(found, confidence=Explained(value, {**own.parts, "probability": mean}, own.reason))
