"""Query expressions of AND, OR and NOT over words and phrases, for the boolean and the p-norm judge."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from focuscrawl.errors import ConfigError
from focuscrawl.types import clip01

_PIECES = re.compile(r'\s*+(?:"([^"]*)"|“([^”]*)”|([()])|([^\s()"“”]+))')
_WORDS = {"AND": "and", "OR": "or", "NOT": "not"}
_MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase."""

    text: str


@dataclass(frozen=True, slots=True)
class Not:
    """Negation of its operand."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Group:
    """AND or OR of operands, each with a weight; `p` None takes the evaluation's own."""

    operator: str  # "and" or "or"
    operands: tuple[Node, ...]
    weights: tuple[float, ...] = ()  # empty: 1 each
    p: float | None = None


Node = Term | Not | Group


def any_of(weights: Mapping[str, float]) -> Group:
    """Return the OR of words with their weights."""
    return Group("or", tuple(Term(word) for word in weights), tuple(weights.values()))


def terms_of(node: Node) -> Iterator[str]:
    """Yield the words and phrases of an expression, from left to right."""
    if isinstance(node, Term):
        yield node.text
    elif isinstance(node, Not):
        yield from terms_of(node.operand)
    else:
        for operand in node.operands:
            yield from terms_of(operand)


def parse(text: str) -> Node:
    """Return the expression written in `text`: words, "phrases in quotes", AND, OR, NOT, parentheses.

    NOT binds closest, then AND, then OR; words in a row without an operator are joined by AND.

    Raises
    ------
    ConfigError
        If the text is not an expression; it says at which character.
    """
    pieces: list[tuple[int, str, str]] = []  # (position, kind, text)
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _PIECES.match(text, at)
        if match is None:
            raise ConfigError(f"expression {text!r}: quotation mark at character {at + 1} is not closed")
        start = at + len(match[0]) - len(match[0].lstrip())
        phrase = match[1] if match[1] is not None else match[2]
        if phrase is not None:
            pieces.append((start, "term", phrase))
        elif match[3]:
            pieces.append((start, match[3], match[3]))
        else:
            pieces.append((start, _WORDS.get(match[4], "term"), match[4]))
        at = match.end()
    return _Parser(text, pieces).parse()


class _Parser:
    def __init__(self, text: str, pieces: list[tuple[int, str, str]]) -> None:
        self._text = text
        self._pieces = pieces
        self._at = 0

    def parse(self) -> Node:
        node = self._or(0)
        if self._at < len(self._pieces):
            raise self._fault("an operator")
        return node

    def _kind(self) -> str:
        return self._pieces[self._at][1] if self._at < len(self._pieces) else ""

    def _fault(self, expected: str) -> ConfigError:
        if self._at < len(self._pieces):
            position, _, piece = self._pieces[self._at]
            return ConfigError(f"expression {self._text!r}: {piece!r} at character {position + 1}, expected {expected}")
        return ConfigError(f"expression {self._text!r}: ends where {expected} was expected")

    def _or(self, depth: int) -> Node:
        operands = [self._and(depth)]
        while self._kind() == "or":
            self._at += 1
            operands.append(self._and(depth))
        return operands[0] if len(operands) == 1 else Group("or", tuple(operands))

    def _and(self, depth: int) -> Node:
        operands = [self._not(depth)]
        while self._kind() in ("and", "term", "(", "not"):
            if self._kind() == "and":
                self._at += 1
            operands.append(self._not(depth))
        return operands[0] if len(operands) == 1 else Group("and", tuple(operands))

    def _not(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise ConfigError(f"expression {self._text[:60]!r}…: nested deeper than {_MAX_DEPTH} levels")
        kind = self._kind()
        if kind == "not":
            self._at += 1
            return Not(self._not(depth + 1))
        if kind == "(":
            self._at += 1
            node = self._or(depth + 1)
            if self._kind() != ")":
                raise self._fault("a closing parenthesis")
            self._at += 1
            return node
        if kind == "term":
            self._at += 1
            return Term(self._pieces[self._at - 1][2])
        raise self._fault("a word, a phrase or NOT")


def holds(node: Node, present: Callable[[str], bool]) -> bool:
    """Return whether the expression is true of a document; an empty AND is true, an empty OR is not."""
    if isinstance(node, Term):
        return present(node.text)
    if isinstance(node, Not):
        return not holds(node.operand, present)
    test = all if node.operator == "and" else any
    return test(holds(operand, present) for operand in node.operands)


def degree(node: Node, of: Callable[[str], float], *, p: float = 2.0) -> float:
    """Return the p-norm degree of a document in [0, 1] (docs/formulas.md H.3); no operands give 0.

    References
    ----------
    .. [1] Gerard Salton, Edward A. Fox, Harry Wu, Extended Boolean information retrieval, Communications of the ACM
       26(11), 1983.
    """
    if isinstance(node, Term):
        return clip01(of(node.text))
    if isinstance(node, Not):
        return 1.0 - degree(node.operand, of, p=p)
    values = [degree(operand, of, p=p) for operand in node.operands]
    weights = node.weights or (1.0,) * len(values)
    power = node.p if node.p is not None else p
    return (norm_and if node.operator == "and" else norm_or)(values, weights, p=power)


def norm_or(values: Sequence[float], weights: Sequence[float], *, p: float = 2.0) -> float:
    """Return ``(sum a^p x^p / sum a^p) ^ (1/p)``; the largest weighted value for p = infinity; 0 without operands."""
    if not values or not any(weights):
        return 0.0
    top = max(weights)
    shares = [weight / top for weight in weights]  # so that large p does not underflow
    if math.isinf(p):
        return clip01(max(share * value for share, value in zip(shares, values, strict=True)))
    over = sum((share * value) ** p for share, value in zip(shares, values, strict=True))
    return clip01((over / sum(share**p for share in shares)) ** (1.0 / p))


def norm_and(values: Sequence[float], weights: Sequence[float], *, p: float = 2.0) -> float:
    """Return ``1 - (sum a^p (1-x)^p / sum a^p) ^ (1/p)``; 0 without operands."""
    if not values or not any(weights):
        return 0.0
    return clip01(1.0 - norm_or([1.0 - value for value in values], weights, p=p))
