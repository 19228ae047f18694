"""Charset of a page by the structure of its bytes, whatever its header and `<meta>` say.

Four families give themselves away: UTF-16, whose markup is ASCII with a NUL beside each letter; UTF-8, whose
sequences hardly arise by chance; the two old Chinese families, whose frequent characters have rows of their own
in the table (GB 2312 level 1: 3,755 characters by sound; Big5 level 1: 5,401 by strokes), from where running text takes
nearly all its characters, and does so in no other reading of the same bytes; and English in windows-1252, whose quotes,
dashes and accents are few and stand one by one among ASCII, while the characters of every old East Asian encoding
follow each other in pairs of bytes.
"""

from __future__ import annotations

import re

# Markup and text are looked through up to here: more hardly changes the answer.
_WINDOW_BYTES = 64_000
# Fewer pairs prove nothing.
_LEAST_PAIRS = 16
# Running text has 0.95 to 1 of its pairs in the frequent rows; that of the other family 0.65 at most.
_LEAST_FREQUENT = 0.88
_MOST_BROKEN = 0.02  # share of lead bytes without a fitting second byte
# Chinese text has a third of its characters in the later rows of level 1; Korean syllables all stand in the earlier.
_LEAST_LATE = 0.1
# Of the units of UTF-16: an ASCII character each; a page with a tag or two to a paragraph has more.
_LEAST_ASCII = 0.02
_MOST_STRANGE = 0.01  # units that stand for no character, or a control character
_LEAST_UTF8 = 20
_MOST_BROKEN_UTF8 = 0.02

# One quote in a long page is all there may be.
_WESTERN_WINDOW_BYTES = 200_000
# Of the text: English has 1 % of such characters, German 2 %; Polish and Czech, which have encodings of their own, 7 %
# and more.
_MOST_WESTERN = 0.03
_LEAST_ALONE = 0.9  # of the runs of bytes outside ASCII: a quote stands beside a dash now and then
# Markup, scripts and styles, to the end of the text where they are not closed.
_MARKUP = re.compile(rb"<(?:(?i:script|style)\b(?:[^<]|<(?!/(?i:script|style)))*+|[^>]*+>?)|[\x00-\x20]++")
_HIGH = re.compile(rb"[\x80-\xff]++")
_NO_WESTERN = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # which stand for nothing in windows-1252

_GB_UNIT = re.compile(rb"[\x81-\xfe](?:[\x30-\x39][\x81-\xfe][\x30-\x39]|[\x40-\x7e\x80-\xfe])?|[\x80\xff]")
_BIG5_UNIT = re.compile(rb"[\x81-\xfe](?:[\x40-\x7e\xa1-\xfe])?|[\x80\xff]")
_STRANGE = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufffd-\uffff]")


def utf16_variant(body: bytes) -> str | None:
    """Return "utf-16-le" or "utf-16-be" for a page in UTF-16 without a mark, None for any other."""
    head = body[: _WINDOW_BYTES // 2 * 2]
    units = len(head) // 2
    if units < _LEAST_PAIRS:
        return None
    nuls = head[::2].count(0), head[1::2].count(0)
    # The side of the high bytes has the NULs; the low byte is one in a character of 256.
    encoding, high = ("utf-16-be", nuls[0]) if nuls[0] > nuls[1] else ("utf-16-le", nuls[1])
    if high < _LEAST_ASCII * units or min(nuls) > 0.1 * high:
        return None
    strange = len(_STRANGE.findall(head.decode(encoding, "replace")))
    return encoding if strange <= _MOST_STRANGE * units else None


def is_damaged_utf8(text: str) -> bool:
    """Tell whether text read as UTF-8, with U+FFFD for what is none, is UTF-8 but for a broken byte here and there."""
    lost = text.count("\ufffd")
    others = len(text) - len(text.encode("ascii", "ignore")) - lost
    return others >= _LEAST_UTF8 and lost <= _MOST_BROKEN_UTF8 * others


def chinese_variant(body: bytes) -> str | None:
    """Return "gb18030" or "big5hkscs" for Chinese text in one of the two old families, None for any other."""
    window = body[:_WINDOW_BYTES]
    shares = {"gb18030": _frequent_gb(window), "big5hkscs": _frequent_big5(window)}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _LEAST_FREQUENT else None


def is_windows_1252(body: bytes) -> bool:
    """Tell whether the bytes outside ASCII are so few and so scattered as those of English text in windows-1252."""
    text = _MARKUP.sub(b"", body[:_WESTERN_WINDOW_BYTES])
    runs = _HIGH.findall(text)
    if not runs or sum(map(len, runs)) > _MOST_WESTERN * len(text) or _NO_WESTERN.search(text) is not None:
        return False
    return sum(len(run) == 1 for run in runs) >= _LEAST_ALONE * len(runs)


def _frequent_gb(window: bytes) -> float:
    pairs = broken = frequent = late = others = 0
    for unit in _GB_UNIT.findall(window):
        if len(unit) == 2:
            lead, second = unit
            pairs += 1
            if second >= 0xA1:
                if 0xB0 <= lead <= 0xD7:
                    frequent += 1
                    late += lead >= 0xC9
                elif lead in (0xA1, 0xA3):  # punctuation and wide letters
                    others += 1
        elif len(unit) == 1:
            broken += 1
    return _share(pairs, broken, frequent, others) if late >= _LEAST_LATE * frequent else 0.0


def _frequent_big5(window: bytes) -> float:
    pairs = broken = frequent = others = low = 0
    for unit in _BIG5_UNIT.findall(window):
        if len(unit) == 2:
            lead, second = unit
            pairs += 1
            if 0xA4 <= lead <= 0xC6:
                frequent += 1
                low += second <= 0x7E
            elif 0xA1 <= lead <= 0xA3:
                others += 1
        else:
            broken += 1
    # Two in five second bytes of the table are below 0x7F, and none is in the families that look like this one.
    return _share(pairs, broken, frequent, others) if low >= _LEAST_LATE * frequent else 0.0


def _share(pairs: int, broken: int, frequent: int, others: int) -> float:
    """Return the share of frequent characters among the letters, 0 when there are too few or too much is broken."""
    letters = pairs - others
    if letters < _LEAST_PAIRS or broken > _MOST_BROKEN * pairs:
        return 0.0
    return frequent / letters
