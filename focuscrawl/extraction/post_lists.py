"""Lists of sibling blocks with one signature, rated as posts of a thread.

Blocks of one signature are taken together: how much of what the line judge finds probable they hold, how little else,
whether each has an author or a date near it, what their names say, where on the page they stand.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.block_sums import ends_of
from focuscrawl.extraction.class_names import GROUPS, PHRASES, phrase_bits
from focuscrawl.extraction.features import Floats
from focuscrawl.extraction.line_similarity import title_similarity
from focuscrawl.extraction.segments import HEADINGS, Segments
from focuscrawl.extraction.stamps import stamped_date

_TAGS = frozenset(
    {"div", "li", "article", "section", "table", "tbody", "tr", "td", "dl", "dd", "blockquote", "p", "ul"}
)
# Of these even nameless ones are a list; a nameless div or p is anything.
_PLAIN = frozenset({"article", "section", "li", "table", "tr", "td", "dl", "dd"})
_ASIDE = frozenset({"nav", "aside", "footer"})
_NUMBER = re.compile(r"\d+")
_MAX_STAMPS = 8  # elements of a line that may declare a moment


def _bits(*groups: str) -> int:
    return sum(1 << GROUPS.index(group) for group in groups)


_PERSON = _bits("user", "author")
_POST = _bits("post", "comment")
_BODY = _bits("body")
_CHROME = _bits("user", "button", "share")
_ELSEWHERE = _bits("nav", "side", "foot", "related", "consent", "signup", "ad")
_MOMENT = 1 << PHRASES.index("moment")

# A list of posts holds so much of the page's probable text, others are not looked at.
_SHARE = 0.06
_MAX_LISTS = 12
_NEAR = 4  # levels above a post's text where its record may be named
_MARK_CHARS = 80  # "Posted by A. Keeper on 3 March 2021, 10:30"
LINES_BEFORE, _LINES_AFTER = 12, 6  # of a post, among which its author and date are looked for
_INNER = 0.6  # a mark inside the block, or beside it, is a weaker sign than one in its own part of the record
_TEASER_WORDS = 4  # a link of so many words is a headline, not a name
_HEADLINE_LINES = 3
# What speaks for a list: all of the fit at 1, less without marks and names.
_UNMARKED, _MARKED, _NAMED = 0.4, 0.4, 0.2
_OFF = 0.3  # in a side bar, a footer, a list of related pages
_LEAST_MARKED = 0.55  # not two of three with marks only near them
_LEAST = 0.35
_LEAST_NAMELESS = 0.45
_NAMELESS_POSTS = 5
# On a page that does not say it is a thread: so many posts, whatever they are called, are one.
_MANY_POSTS = 20
# Text before the posts of so many times their probable words is an article, and they are its comments: these count
# only on pages that say they are threads, and only when the judge takes most of them for main content.
_ARTICLE = 1.5
_COMMENT_DENSITY = 0.5
_TITLE_LIKE, _TITLE_NEAR = 0.5, 0.16


@dataclass(frozen=True, slots=True, eq=False)
class PostList:
    """A list of blocks of one signature that may be posts."""

    members: list[int]
    roots: dict[int, int]  # member -> the outermost block that holds no other member
    body: list[int]  # lines below a member
    owner: NDArray[np.int64]  # line -> member in whose record it stands, -1 for none
    member: NDArray[np.int64]  # line -> innermost member above it
    lead: list[int]
    lead_share: float  # its probable words by theirs
    title: int
    density: float
    fit: float
    marked: float
    named: float
    score: float

    def accepted(self, *, expected: bool) -> bool:
        """Whether these are posts, as far as can be said of a page without knowing its site."""
        if self.marked < _LEAST_MARKED or self.score < (_LEAST if self.named else _LEAST_NAMELESS):
            return False
        if expected:
            return self.lead_share <= _ARTICLE or self.density >= _COMMENT_DENSITY
        return self.lead_share <= _ARTICLE and (self.named > 0.0 or len(self.members) >= _MANY_POSTS)


class PageLists:
    """The lines and blocks of a page with what the lists are measured by."""

    def __init__(self, found: Segments, p: Floats, weights: Floats, threshold: float, title: str) -> None:
        self.found, self.threshold = found, threshold
        self.p, self.weights = p.astype(np.float64), weights.astype(np.float64)
        nodes, lines = found.nodes, found.lines
        count = len(nodes)
        self.ends = ends_of([node.parent for node in nodes])
        self.node = np.fromiter((line.node for line in lines), np.int64, len(lines))
        self.mass = self.p * self.weights
        self.total = max(float(self.mass.sum()), 1e-9)
        self._mass_before = _running(np.bincount(self.node, self.mass, count))
        self._words_before = _running(np.bincount(self.node, self.weights, count))
        self.signature = self._signatures()
        self._title = title
        self._marks: list[bool | None] = [None] * len(lines)

    @cached_property
    def similarity(self) -> list[float]:
        """Similarity of each line to the page's title, in [0, 1]."""
        similarity: list[float] = title_similarity([line.text for line in self.found.lines], self._title).tolist()
        return similarity

    @cached_property
    def titles(self) -> list[int]:
        """Lines that may be the page's title."""
        nodes, lines = self.found.nodes, self.found.lines
        level = [int(tag[1]) if (tag := nodes[line.node].tag) in HEADINGS else 0 for line in lines]
        rated = [
            like + (0.3 if n == 1 else 0.15 if 1 < n <= 3 else 0.0)
            for like, n in zip(self.similarity, level, strict=True)
        ]
        bound = max(_TITLE_LIKE, max(rated) - _TITLE_NEAR)
        return [at for at, rate in enumerate(rated) if rate >= bound]

    @cached_property
    def headlines(self) -> list[bool]:
        """Whether each line is a link of several words that stands once on the page and is not its title."""
        lines = self.found.lines
        times = Counter(line.text for line in lines)
        return [
            line.link_chars > 0.6 * line.chars
            and self.weights[at] >= _TEASER_WORDS
            and self.similarity[at] < 0.4
            and times[line.text] < 2
            for at, line in enumerate(lines)
        ]

    def _signatures(self) -> list[int]:
        """Return for each block a number, its signature: tag and first class name, digits alike."""
        numbers: dict[tuple[str, str, int], int] = {}
        signatures: list[int] = []
        for node in self.found.nodes:
            name = _first_name(node.names) if node.names else ""
            above = -1 if name or node.parent < 0 else signatures[node.parent]
            key = (node.tag, name, above)
            signatures.append(numbers.setdefault(key, len(numbers)))
        return signatures

    def _held(self, before: NDArray[np.float64], members: Sequence[int]) -> float:
        """Return the sum below `members`, nested ones counted once."""
        total, end = 0.0, 0
        for at in members:
            if at >= end:
                end = self.ends[at]
                total += float(before[end] - before[at])
        return total

    def candidates(self, *, expected: bool) -> list[list[int]]:
        """Return lists of blocks of one signature that hold enough, the best first.

        Those that are not named after posts have to be long, the longer where no thread is expected.
        """
        nameless = _NAMELESS_POSTS if expected else _MANY_POSTS
        groups: dict[int, list[int]] = defaultdict(list)
        for at, node in enumerate(self.found.nodes):
            has_words = self._words_before[self.ends[at]] > self._words_before[at]
            if has_words and node.tag in _TAGS and (node.names or node.tag in _PLAIN) and not self._is_head(at):
                groups[self.signature[at]].append(at)
        rated = []
        for members in groups.values():
            if len(members) >= nameless or (len(members) > 1 and any(map(self._may_be_post, members[:3]))):
                mass = self._held(self._mass_before, members)
                density = mass / self._held(self._words_before, members)
                if mass >= _SHARE * self.total:
                    rated.append((-mass * density, members))
        rated.sort()
        return [members for _, members in rated[:_MAX_LISTS]]

    def _is_head(self, row: int) -> bool:
        """Tell whether a block is the row of a table that heads its columns: posts have cells, and these have titles.

        The times in the rows below would be taken for those of posts.
        """
        nodes = self.found.nodes
        if nodes[row].tag != "tr":
            return False
        cells = {nodes[at].tag for at in range(row + 1, self.ends[row])}
        return "th" in cells and "td" not in cells

    def _may_be_post(self, node: int) -> bool:
        nodes = self.found.nodes
        for _ in range(_NEAR):
            if node < 0 or nodes[node].bits & _POST:
                break
            node = nodes[node].parent
        return node >= 0 and bool(nodes[node].bits & _POST)

    def mark(self, at: int) -> bool:
        """Tell whether a line shows a moment or has one in a tooltip, or stands in a block named after people."""
        known = self._marks[at]
        if known is None:
            line = self.found.lines[at]
            node = self.found.nodes[line.node]
            known = bool(node.bits & _PERSON or phrase_bits(line.text) & _MOMENT)
            known = known or (node.element is not None and stamped_date(node.element, _MAX_STAMPS) is not None)
            self._marks[at] = known
        return known

    def is_marks(self, lines: Sequence[int]) -> bool:
        """Tell whether most words of `lines` are in lines that name people and moments."""
        marks = [at for at in lines if len(self.found.lines[at].text) <= _MARK_CHARS and self.mark(at)]
        return bool(self.weights[marks].sum() > 0.5 * self.weights[list(lines)].sum()) if marks else False

    def holder(self, one: PostList, node: int) -> int:
        """Return the member in whose record a block stands, -1 for none."""
        for member, root in one.roots.items():
            if root <= node < self.ends[root]:
                return member
        return -1

    def measured(self, members: list[int], *, apart: Sequence[int] = ()) -> PostList | None:
        """Return how well `members` do for posts, None when nothing is left of them.

        Their records hold none of the blocks `apart`, in document order.
        """
        nodes, lines, ends = self.found.nodes, self.found.lines, self.ends
        member_of = np.full(len(nodes), -1, np.int64)
        owner_of = np.full(len(nodes), -1, np.int64)
        chrome = np.zeros(len(nodes), bool)
        roots: dict[int, int] = {}
        below = 0
        for at in members:
            member_of[at : ends[at]] = at
            root = at
            while (
                (up := nodes[root].parent) >= 0
                and bisect_left(members, ends[up]) - bisect_left(members, up) == 1
                and bisect_left(apart, ends[up]) == bisect_left(apart, up)
            ):
                root = up
            roots[at] = root
            owner_of[root : ends[root]] = at
            below = max(below, at + 1)  # what stands in a member around this one is known
            while below < ends[at]:
                bits = nodes[below].bits
                if bits & _CHROME and not bits & _BODY:
                    chrome[below : ends[below]] = True
                    below = ends[below]
                else:
                    below += 1
        for at in members:
            chrome[at] = False
        member, owner = member_of[self.node], owner_of[self.node]
        body = np.flatnonzero((member >= 0) & ~chrome[self.node]).tolist()
        if not body:
            return None
        named = sum(self._is_named(at, roots[at]) for at in members[:3]) / min(3, len(members))
        first, last = body[0], body[-1]
        title = next((at for at in reversed(self.titles) if at < first), -1)
        begin = title if title >= 0 else first
        lead = [
            at
            for at in range(begin, last)
            if member[at] < 0
            and self.p[at] > self.threshold
            and not (owner[at] >= 0 and (self.weights[at] < 6 or phrase_bits(lines[at].text)))
        ]
        mass = float(self.mass[body].sum())
        if mass < _SHARE * self.total:
            return None
        density = mass / max(float(self.weights[body].sum()), 1e-9)
        share = mass / max(self.total - float(self.mass[lead].sum()), mass)
        fit = 2.0 * density * share / (density + share)
        if fit < _LEAST:
            return None  # whatever speaks for it besides
        marked = self._marked(members, member, owner, named=named >= 0.5 and len(members) > 2)
        score = fit * (_UNMARKED + _MARKED * marked + _NAMED * named)
        if title >= 0 and self._is_elsewhere(members, title):
            score *= _OFF
        lead_share = float(self.mass[lead].sum()) / mass
        return PostList(
            members, roots, body, owner, member, lead, lead_share, title, density, fit, marked, named, score
        )

    def _is_named(self, at: int, root: int) -> bool:
        nodes, bits = self.found.nodes, 0
        while at >= root:
            bits |= nodes[at].bits
            at = nodes[at].parent
        return bool(bits & _POST)

    def _is_elsewhere(self, members: Sequence[int], title: int) -> bool:
        """Tell whether all members stand in a side bar, footer or the like that the title is not in."""
        nodes = self.found.nodes
        up = nodes[members[0]].parent
        while up >= 0:
            if members[-1] < self.ends[up]:
                if up <= self.node[title] < self.ends[up]:
                    return False
                if nodes[up].tag in _ASIDE or nodes[up].bits & _ELSEWHERE:
                    return True
            up = nodes[up].parent
        return False

    def _marked(
        self, members: Sequence[int], member: NDArray[np.int64], owner: NDArray[np.int64], *, named: bool
    ) -> float:
        """Return the share of posts with an author or a date, less the share of those that begin with a headline."""
        lines = self.found.lines
        beside: set[int] = set()
        near: set[int] = set()
        inner: set[int] = set()
        teasers: set[int] = set()
        last, since, at_line = -1, 0, 0
        pending: list[int] = []
        for at, (inside, record) in enumerate(zip(member.tolist(), owner.tolist(), strict=True)):
            line = lines[at]
            is_mark = len(line.text) <= _MARK_CHARS and self.mark(at)
            headline = self.headlines[at]
            if inside >= 0:
                at_line = at_line + 1 if inside == last else 1
                if headline and at_line <= _HEADLINE_LINES:
                    teasers.add(inside)
                if is_mark:
                    inner.add(inside)
                if inside != last or since:
                    if any(at - before <= LINES_BEFORE for before in pending):
                        near.add(inside)
                    pending.clear()
                last, since = inside, 0
                continue
            since += 1
            if is_mark:
                pending.append(at)
                if since <= _LINES_AFTER and last >= 0:
                    near.add(last)
                if record >= 0:
                    beside.add(record)
            elif record >= 0 and headline and not phrase_bits(line.text):
                teasers.add(record)
        count = len(members)
        best = max(len(beside), _INNER * len(near | beside), _INNER * len(inner | beside) if named else 0.0)
        return float(min(1.0, max(0.0, (best - len(teasers)) / count)))


@lru_cache(maxsize=8192)  # a site's names repeat on all its pages
def _first_name(names: str) -> str:
    first = names.split(None, 1)
    return _NUMBER.sub("0", first[0].lower()) if first else ""


def _running(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
