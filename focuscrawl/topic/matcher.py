"""Finding topic words in token lists: terms, synonyms and aliases, phrases, Chinese words however they were cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, filterfalse
from typing import Any, TypeVar

from focuscrawl.text.base import Tokenizer
from focuscrawl.text.tokenize import is_han

_Form = TypeVar("_Form", bound=tuple[Any, ...])

_MIN_URL_SUBSTRING = 4
"""Shorter ASCII terms inside a longer URL token are mostly accidents ("art" in "start"); docs/formulas.md B."""
_FEW_PLACES = 30
"""So many places are looked at sooner than the whole text is searched for what would have to stand there."""
_LAST_COUNTS = 16
"""Texts whose counts are remembered: judge and evidence both ask for the some six of a page."""
_MAX_MEMO = 200_000
"""Tokens remembered; a crawl's vocabulary is below that, junk tokens are not."""


@dataclass(frozen=True, slots=True)
class _Starts:
    """Phrases that may begin at a token.

    `whole`: terms the token alone holds. `runs`: (term, rest of the token sequence). `glued`: (term, characters still
    to come, whether the beginning lies on a token border).
    """

    whole: tuple[int, ...]
    runs: tuple[tuple[int, tuple[str, ...]], ...]
    glued: tuple[tuple[int, str, bool], ...]


class TopicMatcher:
    """A `TermMatcher` over the forms (the term itself, its synonyms, its aliases) of each topic term.

    A form without Chinese characters occurs where its tokens stand in a row, so that "recipes" finds "recipe" (the
    tokenizer takes plurals away) and "box office" is found as a phrase.

    A form with Chinese characters is compared by characters, because a segmenter cuts the same word differently in
    different sentences: it occurs when its characters stand in adjacent tokens **and at least one of its two ends is a
    border between tokens**. So "解剖" is found in "解剖学", "国际象棋" in "国际" + "象棋赛"; and "解剖" is not found in
    "了解" + "剖析", nor "会计" in "社会" + "计划". A single character has to be a token of its own.

    The cost is one dictionary look-up a token for lists without any topic word.

    Parameters
    ----------
    weights
        Topic term to weight in (0, 1].
    forms
        Topic term to its other spellings (synonyms and aliases together); terms that are not in `weights` are ignored.
    """

    __slots__ = ("_last_counts", "_memo", "_order", "_terms", "_url_memo")

    def __init__(
        self, weights: Mapping[str, float], *, forms: Mapping[str, Iterable[str]] | None = None, tokenizer: Tokenizer
    ) -> None:
        # Heaviest first, as the caller wrote them among equals: an index into this list is also the output order.
        self._terms = tuple(sorted(weights, key=lambda term: -weights[term]))
        latin: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        mixed: list[tuple[int, str, str]] = []
        in_url: list[tuple[int, str]] = []
        for index, term in enumerate(self._terms):
            for form in (term, *(forms or {}).get(term, ())):
                tokens = tuple(tokenizer.tokens(form))
                if not tokens:
                    continue
                if any(is_han(token) for token in tokens):
                    mixed.append((index, "".join(tokens), tokens[0]))
                    continue
                latin.setdefault(tokens[0], []).append((index, tokens))
                # As the tokenizer has it and as it was written: "babies" is no part of "baby", nor the other way round.
                needles = dict.fromkeys(("".join(tokens), "".join(form.lower().split())))
                in_url.extend((index, n) for n in needles if len(n) >= _MIN_URL_SUBSTRING and n.isascii())
        self._memo = _Memo(latin, mixed, None)
        self._url_memo = _Memo(latin, mixed, in_url)
        # By identity, which cannot be that of another text as long as the text itself stands beside it.
        self._last_counts: dict[int, tuple[tuple[str, ...], dict[str, int]]] = {}

    def in_tokens(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return the distinct topic terms that occur in `tokens`, heaviest first."""
        return self._find(tokens, self._memo)

    def in_url(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return the same for URL tokens: ASCII terms of at least four characters may be part of a token."""
        return self._find(tokens, self._url_memo)

    def counts(self, tokens: Sequence[str], *, bag: Mapping[str, int] | None = None) -> dict[str, int]:
        """Return how often each topic term occurs in `tokens`; absent terms are left out.

        Parameters
        ----------
        bag
            ``Counter(tokens)``, when the caller has it: distinct tokens are looked at instead of all.
        """
        if not isinstance(tokens, tuple):
            return self._counted(tokens, bag)
        known = self._last_counts.get(id(tokens))
        if known is None:
            if len(self._last_counts) >= _LAST_COUNTS:
                self._last_counts = {}
            known = self._last_counts[id(tokens)] = (tokens, self._counted(tokens, bag))
        return known[1].copy()

    def _counted(self, tokens: Sequence[str], bag: Mapping[str, int] | None) -> dict[str, int]:
        memo = self._memo
        if not memo.has(tokens if bag is None else bag):
            return {}
        if bag is None:
            bag = Counter(tokens)
        found: dict[int, int] = {}
        longer: dict[str, _Starts] = {}
        for token in bag.keys() & memo.hits.keys():
            starts = memo.hits[token]
            for index in starts.whole:
                found[index] = found.get(index, 0) + bag[token]
            if starts.runs or starts.glued:
                longer[token] = starts
        viable = _viable(longer, tokens, bag)
        if viable:
            # One pass for all of them: a page on a topic has dozens, and looking for each costs a pass.
            for at in compress(range(len(tokens)), map(viable.__contains__, tokens)):
                for index in _longer(viable[tokens[at]], tokens, at):
                    found[index] = found.get(index, 0) + 1
        return {self._terms[index]: count for index, count in sorted(found.items())}

    def _find(self, tokens: Sequence[str], memo: _Memo) -> tuple[str, ...]:
        if not memo.has(tokens):
            return ()
        found: set[int] = set()
        hits = memo.hits
        for at in compress(range(len(tokens)), map(hits.__contains__, tokens)):
            starts = hits[tokens[at]]
            found.update(starts.whole)
            if starts.runs or starts.glued:
                found.update(_longer(starts, tokens, at))
        return tuple([self._terms[index] for index in sorted(found)])


class _Memo(dict[str, _Starts | None]):
    """Token to what may begin at it, None when nothing does (nearly always)."""

    __slots__ = ("_beginnings", "_in_url", "_latin", "_mixed", "hits")

    def __init__(
        self,
        latin: Mapping[str, Sequence[tuple[int, tuple[str, ...]]]],
        mixed: Sequence[tuple[int, str, str]],
        in_url: Sequence[tuple[int, str]] | None,
    ) -> None:
        super().__init__()
        # A form begins in a token only if its first character is there: nearly all tokens end at this look-up.
        self._beginnings = frozenset(form[0] for _, form, _ in mixed if is_han(form))
        # By their beginnings, so that the cost of a token is not that of the list.
        self._mixed = _by_beginning(mixed, 1)
        self._in_url = None if in_url is None else _by_beginning(in_url, _MIN_URL_SUBSTRING)
        self._latin = {**{first: () for _, form, first in mixed if not is_han(form)}, **latin}
        self.hits: dict[str, _Starts] = {}  # the entries that are not None

    def __missing__(self, token: str) -> _Starts | None:
        if token not in self._latin and self._in_url is None and self._beginnings.isdisjoint(token):
            self[token] = None
            return None
        starts = self[token] = self._starts(token)
        if starts is not None:
            self.hits[token] = starts
        return starts

    def has(self, tokens: Collection[str]) -> bool:
        """Look up all `tokens`; tell whether something may begin at one of them."""
        if len(self) > _MAX_MEMO:
            self.clear()
            self.hits.clear()
        for token in filterfalse(self.__contains__, tokens):
            self[token]
        return not self.hits.keys().isdisjoint(tokens)

    def _starts(self, token: str) -> _Starts | None:
        whole: list[int] = []
        runs: list[tuple[int, tuple[str, ...]]] = []
        for index, sequence in self._latin.get(token, ()):
            if len(sequence) == 1:
                whole.append(index)
            else:
                runs.append((index, sequence[1:]))
        glued: list[tuple[int, str, bool]] = []
        chars = dict.fromkeys(token) if self._mixed else ()
        mixed = [entry for char in chars for entry in self._mixed.get(char, ())]
        for index, form, first in mixed:
            if _held_by(token, form):
                whole.append(index)
            elif not is_han(form):
                if token == first:
                    glued.append((index, form[len(token) :], True))
            elif form[0] in token:
                for offset, char in enumerate(token):
                    rest = token[offset:]
                    if char == form[0] and len(rest) < len(form) and form.startswith(rest):
                        glued.append((index, form[len(rest) :], offset == 0))
        # The parts of a URL are often written together, and its Chinese parts are not always segmented.
        if self._in_url is not None:
            for at in range(len(token) - _MIN_URL_SUBSTRING + 1):
                if entries := self._in_url.get(token[at : at + _MIN_URL_SUBSTRING]):
                    whole.extend(index for index, needle in entries if token.startswith(needle, at))
            whole.extend(index for index, form, _ in mixed if len(form) > 1 and form in token)
        if not (whole or runs or glued):
            return None
        return _Starts(tuple(dict.fromkeys(whole)), tuple(runs), tuple(glued))


def _by_beginning(forms: Iterable[_Form], chars: int) -> dict[str, list[_Form]]:
    """Return forms, second in their tuples, under so many of their first characters."""
    found: dict[str, list[_Form]] = {}
    for entry in forms:
        found.setdefault(entry[1][:chars], []).append(entry)
    return found


def _held_by(token: str, form: str) -> bool:
    """Tell whether `token` alone holds the Chinese `form`, with an end on the token's border."""
    if token == form:
        return True
    return len(form) > 1 and is_han(token) and (token.startswith(form) or token.endswith(form))


def _viable(longer: Mapping[str, _Starts], tokens: Sequence[str], bag: Mapping[str, int]) -> dict[str, _Starts]:
    """Return those of `longer` that may go on as a form does, told by a cheap test."""
    out: dict[str, _Starts] = {}
    text = ""
    for token, starts in longer.items():
        if any(rest[0] in bag for _, rest in starts.runs):
            out[token] = starts
            continue
        if 0 < bag[token] * len(starts.glued) <= _FEW_PLACES:
            out[token] = starts
            continue
        if starts.glued and not text:
            text = "".join(tokens)
        if any(token + rest in text for _, rest, _ in starts.glued):
            out[token] = starts
    return out


def _longer(starts: _Starts, tokens: Sequence[str], at: int) -> list[int]:
    """Return the terms that begin at token `at` and need the tokens after it."""
    found = [
        index for index, rest in starts.runs if tuple(tokens[at + 1 : at + 1 + len(rest)]) == rest
    ]  # fmt: skip
    for index, still, on_border in starts.glued:
        rest, next_at = still, at + 1
        while rest and next_at < len(tokens):
            token = tokens[next_at]
            if rest.startswith(token):
                rest = rest[len(token) :]
                next_at += 1
                continue
            # The form ends inside this token, so it has to have begun on a border.
            if on_border and token.startswith(rest) and is_han(token):
                rest = ""
            break
        if not rest:
            found.append(index)
    return found
