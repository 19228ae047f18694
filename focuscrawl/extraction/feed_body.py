"""Body template of a feed's page: the learner of docs/formulas.md G.2, for one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from focuscrawl.extraction.class_names import GROUPS, class_name_bits, names_of
from focuscrawl.page.tree import UNSEEN_TAGS, Element
from focuscrawl.text.base import Tokenizer

BLOCKS = frozenset({"div", "td", "table", "tr", "form", "center", "pre"})  # Bs of the paper
MORE_BLOCKS = frozenset({"article", "section", "main"})  # what pages of today are divided by as well
HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})  # Hs
EMPHASIS_TAGS = frozenset({"b", "big", "em", "strong"})  # Es

_CONTROLS = frozenset({"noscript", "textarea", "select", "button", "option"})
_MAX_EVENTS = 400_000
# Bodies stand some ten levels deep; each level counts the words below it again.
_MAX_LEVELS = 300


@dataclass(frozen=True, slots=True)
class BodyRules:
    """Thresholds of the learner.

    Parameters
    ----------
    theta1
        Least coverage of the entry's words for a page to be learned from, in [0, 1].
    theta2
        Least coverage, of the words found, for a step further down, in [0, 1].
    keep_ratio
        Least share of the text outside links that a step down may keep; 0 is the paper's algorithm, without guards.
    extended
        Take ``article``, ``section`` and ``main`` for blocks, too.
    """

    theta1: float = 0.5
    theta2: float = 0.8
    keep_ratio: float = 0.5
    extended: bool = True

    @property
    def blocks(self) -> frozenset[str]:
        """Tags of block nodes."""
        return BLOCKS | MORE_BLOCKS if self.extended else BLOCKS


DEFAULT_RULES = BodyRules()


class TokenSpans:
    """The words below each element of a page, as a span of one list; visible text only."""

    __slots__ = ("_spans", "link_words", "words")

    def __init__(self, top: Element, tokenizer: Tokenizer) -> None:
        chunks: list[str] = []
        in_link: list[bool] = []
        starts: dict[Element, int] = {}
        ends: dict[Element, int] = {}
        links = 0
        events = etree.iterwalk(top, events=("start", "end"))
        for event, element in islice(events, _MAX_EVENTS):
            if event == "start":
                starts[element] = len(chunks)
                if element.tag in UNSEEN_TAGS or element.tag in _CONTROLS:
                    events.skip_subtree()
                    continue
                links += element.tag == "a" and element.get("href") is not None
                if element.text and not element.text.isspace():
                    chunks.append(element.text)
                    in_link.append(links > 0)
            else:
                ends[element] = len(chunks)
                if element.tag not in UNSEEN_TAGS and element.tag not in _CONTROLS:
                    links -= element.tag == "a" and element.get("href") is not None
                if element is not top and element.tail and not element.tail.isspace():
                    chunks.append(element.tail)
                    in_link.append(links > 0)
        lists = tokenizer.chunks(chunks)
        self.words: list[str] = []
        self.link_words: list[bool] = []
        offsets = [0]
        for words, linked in zip(lists, in_link, strict=True):
            self.words += words
            self.link_words += [linked] * len(words)
            offsets.append(len(self.words))
        last = len(chunks)
        self._spans = {e: (offsets[at], offsets[ends.get(e, last)]) for e, at in starts.items()}

    def span(self, element: Element) -> tuple[int, int]:
        """Return where the words below `element` begin and end."""
        return self._spans.get(element, (0, 0))

    def of(self, element: Element) -> Sequence[str]:
        """Return the words below `element`, in order."""
        start, end = self._spans.get(element, (0, 0))
        return self.words[start:end]

    def size(self, element: Element) -> int:
        """Return the number of words below `element`."""
        start, end = self._spans.get(element, (0, 0))
        return end - start

    def plain_size(self, element: Element) -> int:
        """Return the number of words below `element` outside links."""
        start, end = self._spans.get(element, (0, 0))
        return end - start - sum(self.link_words[start:end])


def coverage(wanted: Mapping[str, int], words: Sequence[str]) -> float:
    """Return the share of `wanted`, a multiset, that is among `words`, in [0, 1]; 0 when nothing is wanted.

    >>> coverage(Counter("abcde"), list("aabezz"))
    0.6
    """
    total = sum(wanted.values())
    return sum(matched(wanted, words).values()) / total if total else 0.0


def matched(wanted: Mapping[str, int], words: Sequence[str]) -> Counter[str]:
    """Return the multiset minimum of `wanted` and `words`."""
    found = Counter([word for word in words if word in wanted])
    return Counter({word: min(count, wanted[word]) for word, count in found.items()})


class _Shares:
    """Share of some words that each element has, counted once for all elements of the same words."""

    def __init__(self, wanted: Mapping[str, int], spans: TokenSpans) -> None:
        self.total = sum(wanted.values())
        self._wanted = wanted
        self._spans = spans
        self._known: dict[tuple[int, int], float] = {}

    def of(self, element: Element) -> float:
        """Return the share, in [0, 1]."""
        span = self._spans.span(element)
        share = self._known.get(span)
        if share is None:
            share = self._known[span] = coverage(self._wanted, self._spans.of(element))
        return share


def nearest_blocks(node: Element, blocks: frozenset[str]) -> list[Element]:
    """Return BIS(node): the block nodes below it that no other block stands above, in document order.

    Nearest rather than children, for parsers put ``tbody`` into tables, and authors wrap blocks in anything.
    """
    found = []
    stack = list(reversed(node))
    while stack:
        element = stack.pop()
        if element.tag in blocks:
            found.append(element)
        elif element.tag not in UNSEEN_TAGS:
            stack.extend(reversed(element))
    return found


def learn_body(body: Element, text_words: Sequence[str], spans: TokenSpans, rules: BodyRules) -> Element | None:
    """Return the element that holds the body of a page whose entry has the words `text_words`, None for none.

    Steps of docs/formulas.md G.2. With `keep_ratio` above 0 every step down has two guards: the child keeps that share
    of the text outside links (comments and side bars not counted), and, while an entry holds the full text, nearly all
    of the words found so far.
    """
    wanted = Counter(text_words)
    shares = _Shares(wanted, spans)
    blocks = rules.blocks
    guarded = rules.keep_ratio > 0.0
    start = body
    inner = nearest_blocks(start, blocks)
    for _ in range(_MAX_LEVELS):
        if len(inner) != 1 or (guarded and shares.of(inner[0]) < rules.theta1):
            break
        start = inner[0]
        inner = nearest_blocks(start, blocks)
    right = _best(inner, shares, spans) if inner else start
    if guarded and shares.of(right) < rules.theta2 * shares.of(start):
        right = start  # the body is spread over its children, or stands beside them
    found = shares.of(right)
    if found < rules.theta1 or not wanted:
        return None
    shares = _Shares(matched(wanted, spans.of(right)), spans)
    for _ in range(_MAX_LEVELS):
        inner = nearest_blocks(right, blocks)
        single = len(inner) == 1
        down = inner if single else [node for node in inner if shares.of(node) >= rules.theta2]
        if guarded:
            down = [node for node in down if _keeps(node, right, shares, spans, rules)]
        if not down:
            return right
        right = _best(down, shares, spans)
    return right


# Of the words of a full text a step down may lose so many: those that stand in links and captions around it.
_LOSS = 0.02
# An entry is taken for the full text when the element has few words beside it, and for no summary when it is long.
_FULL_SHARE = 0.6
_LONG_WORDS = 150
_FOREIGN_TAGS = frozenset({"nav", "aside", "footer"})
_FOREIGN = sum(1 << GROUPS.index(group) for group in ("comment", "nav", "side", "foot", "related"))


def _keeps(node: Element, above: Element, shares: _Shares, spans: TokenSpans, rules: BodyRules) -> bool:
    part, total = shares.of(node), shares.total
    is_full = total >= _LONG_WORDS and total >= _FULL_SHARE * spans.size(node)
    if is_full and part >= 1.0 - _LOSS:
        return True  # what is left out is all noise, however much it is
    if part < rules.theta2 or (total >= _FULL_SHARE * spans.size(above) and part < 1.0 - _LOSS):
        return False
    return spans.plain_size(node) >= rules.keep_ratio * (spans.plain_size(above) - _foreign_size(above, spans))


def _foreign_size(above: Element, spans: TokenSpans) -> int:
    """Return the words outside links in comments, side bars and the like: no body ought to keep those."""
    size = 0
    stack = list(above)
    while stack:
        element = stack.pop()
        if element.tag in _FOREIGN_TAGS or class_name_bits(names_of(element)) & _FOREIGN:
            size += spans.plain_size(element)
        elif element.tag not in UNSEEN_TAGS and element.tag not in MORE_BLOCKS and element.tag not in BLOCKS:
            stack.extend(element)
    return size


def _best(nodes: Sequence[Element], shares: _Shares, spans: TokenSpans) -> Element:
    """Return the node of the greatest coverage; of equal ones that with the fewest words, then the first."""
    return max(enumerate(nodes), key=lambda pair: (shares.of(pair[1]), -spans.size(pair[1]), -pair[0]))[1]
