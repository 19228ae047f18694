"""Tokenizers: Chinese by a segmenter or by character n-grams, everything else by runs of letters or digits.

Only runs of common Chinese characters (U+4E00 to U+9FD5, the range of jieba's dictionary) reach the segmenter, so
Latin words, digits and other scripts are cut the same way whichever segmenter is installed. Chinese characters
outside that range are tokens of their own. C++, C# and F# are words as they are, if written out (`signed_names`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from hashlib import blake2b
from importlib.util import find_spec

from focuscrawl.errors import ConfigError, InputError
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.normalize import fold
from focuscrawl.text.scripts import DICTIONARY_HAN, RARE_HAN
from focuscrawl.text.segment import Segment, jieba_segment, jieba_with, rjieba_segment, rjieba_with
from focuscrawl.text.signed_names import written_out
from focuscrawl.text.stem import StemMemo

_BORDER = "\x1e"
"""Stands between chunks while they are cut together: the control character "record separator", in no script's words."""

_ASCII_GAPS = bytes(
    byte if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) == _BORDER) else 0x20 for byte in range(256)
)
"""Everything but letters, digits and the border becomes a space: three times faster than looking for runs of letters
with a regular expression, and the tokenizer is what costs most of a page."""
_TYPOGRAPHIC = "“”‘’–—•·«»©®→›‹"
"""In most texts of Latin script these are all that is not ASCII (NFKC has taken care of the ellipsis)."""
_PIECES = re.compile(rf"[^\W_{DICTIONARY_HAN}{RARE_HAN}]+|[{RARE_HAN}]|{_BORDER}")
_GAPS = re.compile(rf"([^{DICTIONARY_HAN}]+)")
_ALL_HAN = re.compile(rf"[{DICTIONARY_HAN}]+")
_HAS_HAN = re.compile(rf"[{DICTIONARY_HAN}]")
_GAP = "|"
"""Stands for whatever is between two Chinese runs while these are segmented; segmenters return it as it is."""

_SHORT_GAP = 6
"""Gaps up to so many characters are remembered: punctuation, spaces, a number. They are nine in ten, and looking one
up takes a tenth of the time of cutting it."""
_MAX_GAPS = 50_000

_SHORT_CHUNK = 60
"""Chunks up to so many characters are remembered: menus, link texts and footers, the same on every page of a host."""
_MAX_CHUNKS = 20_000
"""About 10 MB."""

TOKENIZERS = ("auto", "jieba", "ngram", "rjieba", "words")
STEMMINGS = ("none", "s")
_NGRAM = 2
"""Characters of an n-gram: most Chinese words have two."""


class ScriptTokenizer:
    """Cuts Chinese runs with `segment` and other scripts by runs of letters or digits.

    Parameters
    ----------
    name
        Says how it cuts: two tokenizers of one name give the same tokens.
    segment
        Cuts text of Chinese runs with ``|`` between them into words; every ``|`` comes back as a word. It is called
        once for ``chunks``, and not at all for text without Chinese characters.
    stemming
        "s" takes the plural ending off Latin words (Harman 1991), "none" leaves them.
    """

    __slots__ = ("_segment", "_short_chunks", "_short_gaps", "_stems", "name")

    def __init__(self, name: str, segment: Segment, *, stemming: str = "s") -> None:
        self.name = name
        self._segment = segment
        self._stems = StemMemo() if stemming == "s" else None
        self._short_chunks: dict[str, list[str]] = {}
        self._short_gaps = _GapMemo(self._words)

    def with_words(self, make_segment: Callable[[Sequence[str]], Segment], words: Iterable[str]) -> ScriptTokenizer:
        """Return a tokenizer that leaves those of `words` whole that this one cuts; itself when there are none."""
        folded = (fold(word).strip() for word in words)
        cut = sorted({word for word in folded if _ALL_HAN.fullmatch(word) and len(self.tokens(word)) > 1})
        if not cut:
            return self
        mark = blake2b(" ".join(cut).encode(), digest_size=4).hexdigest()
        stemming = "none" if self._stems is None else "s"
        return ScriptTokenizer(f"{self.name}, {len(cut)} words more ({mark})", make_segment(cut), stemming=stemming)

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of `text`, in order."""
        folded = written_out(fold(text))
        if _BORDER in folded:
            folded = folded.replace(_BORDER, " ")
        return self._cut(folded)

    def chunks(self, chunks: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each chunk, in time linear in their length; all are segmented in one call."""
        known = self._short_chunks
        if len(known) > _MAX_CHUNKS:
            known.clear()
        lists: list[list[str]] = []
        unseen: list[int] = []
        for at, chunk in enumerate(chunks):
            tokens = known.get(chunk)
            if tokens is None:
                unseen.append(at)
                lists.append([])
            else:
                lists.append(tokens.copy())
        if unseen:
            for at, tokens in zip(unseen, self._cut_all([chunks[at] for at in unseen]), strict=True):
                lists[at] = tokens
                if len(chunks[at]) <= _SHORT_CHUNK:
                    known[chunks[at]] = tokens.copy()
        return lists

    def _cut_all(self, chunks: list[str]) -> list[list[str]]:
        count = len(chunks)
        if count == 1:
            return [self.tokens(chunks[0])]
        joined = _BORDER.join(chunks)
        if joined.count(_BORDER) != count - 1:
            joined = _BORDER.join([chunk.replace(_BORDER, " ") for chunk in chunks])
        folded = written_out(fold(joined))
        if not folded.isascii() and _HAS_HAN.search(folded) is None:
            folded = _plainer(folded)
        if folded.isascii():
            return self._ascii_lists(folded)
        pieces = folded.split(_BORDER)
        lists: list[list[str]] = [[] for _ in pieces]
        for is_ascii, cut in ((True, self._ascii_lists), (False, self._other_lists)):
            places = [at for at, piece in enumerate(pieces) if piece.isascii() is is_ascii]
            if places:
                for at, tokens in zip(places, cut(_BORDER.join([pieces[at] for at in places])), strict=True):
                    lists[at] = tokens
        return lists

    def _ascii_lists(self, folded: str) -> list[list[str]]:
        """Return the tokens of each piece of ASCII text with borders."""
        pieces = folded.encode("ascii").translate(_ASCII_GAPS).decode("ascii").split(_BORDER)
        stems = self._stems
        if stems is None:
            return [piece.split() for piece in pieces]
        return [list(map(stems.__getitem__, piece.split())) for piece in pieces]

    def _other_lists(self, folded: str) -> list[list[str]]:
        tokens = self._cut(folded)
        lists = []
        start = 0
        for _ in range(folded.count(_BORDER)):
            end = tokens.index(_BORDER, start)
            lists.append(tokens[start:end])
            start = end + 1
        lists.append(tokens[start:])
        return lists

    def _cut(self, folded: str) -> list[str]:
        if folded.isascii():
            return self._ascii_lists(folded)[0]  # only text of one chunk comes here
        if _HAS_HAN.search(folded) is None:
            plainer = _plainer(folded)
            if plainer.isascii():
                return self._ascii_lists(plainer)[0]
            return self._words(_PIECES.findall(plainer))
        parts = _GAPS.split(folded)  # Chinese run, gap, Chinese run, ... with an empty run at an end that is a gap
        segments = self._segment(_GAP.join(parts[::2]))
        short_gaps = self._short_gaps
        tokens: list[str] = []
        start = 0
        for gap in parts[1::2]:
            end = segments.index(_GAP, start)
            tokens += segments[start:end]
            start = end + 1
            if len(gap) <= _SHORT_GAP:
                tokens += short_gaps[gap]
            else:
                tokens += self._words(_PIECES.findall(gap))
        tokens += segments[start:]
        return tokens

    def _words(self, words: list[str]) -> list[str]:
        stems = self._stems
        return words if stems is None else list(map(stems.__getitem__, words))


def _plainer(folded: str) -> str:
    """Return text without Chinese characters with the signs between its words as spaces."""
    for sign in _TYPOGRAPHIC:
        folded = folded.replace(sign, " ")
    return folded


class _GapMemo(dict[str, list[str]]):
    """Text between two Chinese runs to its tokens."""

    __slots__ = ("_words",)

    def __init__(self, words: Callable[[list[str]], list[str]]) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, gap: str) -> list[str]:
        if len(self) >= _MAX_GAPS:
            self.clear()
        words = self[gap] = self._words(_PIECES.findall(gap))
        return words


def make_tokenizer(
    language: str = "auto", *, name: str = "auto", stemming: str = "s", words: Iterable[str] = ()
) -> Tokenizer:
    """Return a tokenizer; calls with the same arguments share one, unless words of their own are cut differently.

    Parameters
    ----------
    language
        BCP-47 tag or "auto". The script of each character decides how it is cut, so that one tokenizer serves pages
        that mix languages; the tag only switches plural stemming off where "-s" is no plural ("auto", English, French,
        Spanish, Portuguese, Dutch and Chinese keep it).
    name
        "auto": "rjieba" if it can be imported, else "jieba" (the same tokens, slower); "ngram": pairs of Chinese
        characters, without a dictionary; "words": Chinese runs stay whole.
    stemming
        "s" (plural "-s" of Latin words) or "none".
    words
        Chinese words that "rjieba" and "jieba" shall not cut; others are left out.

    Raises
    ------
    ConfigError
        If `name` or `stemming` is unknown, or "jieba" is not installed.
    """
    if name not in TOKENIZERS:
        raise ConfigError(f"tokenizer {name!r} is unknown; known: {', '.join(TOKENIZERS)}")
    if stemming not in STEMMINGS:
        raise ConfigError(f"stemming {stemming!r} is unknown; known: {', '.join(STEMMINGS)}")
    if name == "auto":
        name = "rjieba" if _has_rjieba() else "jieba"
    if name == "jieba" and find_spec("jieba") is None:
        raise InputError("tokenizer \"jieba\" needs the jieba package: pip install 'focuscrawl[jieba]'.")
    tokenizer = _shared(name, stemming if stemming_of(language) == "s" else "none")
    return tokenizer.with_words(_SEGMENTERS_WITH[name], words) if name in _SEGMENTERS_WITH else tokenizer


# The same as plug-ins, one for each name.
make_auto = partial(make_tokenizer, name="auto")
make_jieba = partial(make_tokenizer, name="jieba")
make_ngram = partial(make_tokenizer, name="ngram")
make_rjieba = partial(make_tokenizer, name="rjieba")
make_words = partial(make_tokenizer, name="words")


def stemming_of(language: str) -> str:
    """Return "s" for the languages whose tokens lose a plural "-s", else "none"."""
    return "s" if language.partition("-")[0].lower() in _PLURAL_S else "none"


def is_han(text: str) -> bool:
    """Tell whether `text` starts with a Chinese character."""
    return _STARTS_HAN.match(text) is not None


_PLURAL_S = frozenset({"", "auto", "en", "es", "fr", "nl", "pt", "zh"})
_STARTS_HAN = re.compile(f"[{DICTIONARY_HAN}{RARE_HAN}]")


@cache
def _shared(name: str, stemming: str) -> ScriptTokenizer:
    return ScriptTokenizer(name if stemming == "s" else f"{name}, no stemming", _SEGMENTERS[name], stemming=stemming)


def _has_rjieba() -> bool:
    """Tell whether there is a wheel for this machine, without loading the dictionary: many crawls need none."""
    return find_spec("rjieba") is not None


def _ngrams(text: str) -> list[str]:
    pieces: list[str] = []
    for index, run in enumerate(text.split(_GAP)):
        if index:
            pieces.append(_GAP)
        if len(run) <= _NGRAM:
            if run:
                pieces.append(run)
        else:
            pieces += [run[at : at + _NGRAM] for at in range(len(run) - _NGRAM + 1)]
    return pieces


def _whole_runs(text: str) -> list[str]:
    return [piece for piece in re.split(r"(\|)", text) if piece]


_SEGMENTERS: dict[str, Callable[[str], list[str]]] = {
    "jieba": jieba_segment,
    "ngram": _ngrams,
    "rjieba": rjieba_segment,
    "words": _whole_runs,
}
_SEGMENTERS_WITH: dict[str, Callable[[Sequence[str]], Segment]] = {"jieba": jieba_with, "rjieba": rjieba_with}
