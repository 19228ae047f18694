"""Counts of the characters of all lines of a page at once: words, punctuation, digits, capitals, last characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.text.scripts import HAN_AND_KANA_RANGES

Floats = NDArray[np.float32]

_STOP, _END, _DIGIT, _UPPER, _SPACE, _CJK = (1 << number for number in range(6))
_CLASSES = np.zeros(1 << 16, np.uint8)
for _bit, _characters in (
    (_STOP, "，。、；：？！…,.;:?!"),
    (_END, '.。!！?？…;；:："”』」)）'),
    (_DIGIT, "0123456789"),
    (_UPPER, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    (_SPACE, " "),
):
    for _character in _characters:
        _CLASSES[ord(_character)] |= _bit
for _first, _last in HAN_AND_KANA_RANGES:
    _CLASSES[_first : _last + 1] |= _CJK


class LineCounts(NamedTuple):
    """A number for each line."""

    words: Floats  # a Chinese or Japanese character counts as one
    stops: Floats  # punctuation marks
    ends: Floats  # 1 for a line that ends as a sentence does
    digits: Floats
    capitals: Floats  # Latin ones


def line_counts(texts: Sequence[str]) -> LineCounts:
    """Return the counts of the lines `texts`, none of which is empty or ends with white space."""
    count = len(texts)
    if not count:
        none = np.zeros(0, np.float32)
        return LineCounts(none, none, none, none, none)
    whole = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    classes = _CLASSES[np.minimum(whole, len(_CLASSES) - 1)]
    lengths = np.fromiter(map(len, texts), np.int64, count)
    last = np.cumsum(lengths) - 1
    starts = last + 1 - lengths

    def counted(bit: int) -> Floats:
        return np.add.reduceat(classes & bit != 0, starts, dtype=np.int64).astype(np.float32)

    cjk = counted(_CJK)
    return LineCounts(
        words=cjk + counted(_SPACE) + (cjk == 0),
        stops=counted(_STOP),
        ends=(classes[last] & _END != 0).astype(np.float32),
        digits=counted(_DIGIT),
        capitals=counted(_UPPER),
    )
