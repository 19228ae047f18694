"""Words as texts write them: with the plural endings and the traditional characters that the tokenizer took away."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from focuscrawl.text.base import Tokenizer
from focuscrawl.text.normalize import fold, lower
from focuscrawl.text.signed_names import with_signs
from focuscrawl.text.simplified import simplified

_WORD = re.compile(r"[^\W\d_]+")


def surface_forms(words: Iterable[str], texts: Sequence[str], tokenizer: Tokenizer) -> dict[str, str]:
    """Return each word as the texts write it most often, in lower case; a word they do not have stays as it is.

    Parameters
    ----------
    words
        Tokens, and pairs of adjacent tokens joined by a space.
    """
    wanted = dict.fromkeys(words)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    _count_scripts([word for word in wanted if not word.isascii()], texts, counts)
    parts = {part for word in wanted if word.isascii() for part in word.split(" ")}
    if not parts:
        return {word: _commonest(counts[word]) or word for word in wanted}
    starts = {part[:2] for part in parts}
    written: list[str] = []  # "" in the place of every other word
    for text in texts:
        written += [word if word[:2] in starts else "" for word in _WORD.findall(fold(text))]
        written.append("")
    token_of: dict[str, str] = {"": ""}
    for word in set(written) - {""}:
        tokens = tokenizer.tokens(word)
        token_of[word] = tokens[0] if len(tokens) == 1 and tokens[0] in parts else ""
    for word in written:
        counts[token_of[word]][word] += 1
    for one, other in pairwise(written):
        if token_of[one] and token_of[other]:
            counts[f"{token_of[one]} {token_of[other]}"][f"{one} {other}"] += 1
    return {word: _commonest(counts[word]) or with_signs(word) for word in wanted}


def _count_scripts(words: Sequence[str], texts: Sequence[str], counts: Mapping[str, Counter[str]]) -> None:
    """Count how texts with traditional characters write words: these stand where their simplified forms would."""
    if not words:
        return
    for text in texts:
        written = lower(text)
        plain = simplified(written)
        if plain == written:
            continue
        for word in words:
            start = 0
            for before in plain.split(word)[:-1]:
                start += len(before)
                counts[word][written[start : start + len(word)]] += 1
                start += len(word)


def _commonest(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], form), default="")
