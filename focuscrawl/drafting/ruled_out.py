"""What a sentence on a subject rules out: "tea, not coffee", "围棋，不要象棋", "茶叶，茶几除外"."""

from __future__ import annotations

import re

# A clause that begins so, to the end of the sentence: "tea, but no coffee or cocoa". Within a clause these words may
# be part of the subject ("cooking without meat", "no-code tools").
_RULED_OUT = re.compile(
    r"[,;:(.!?，；：（。！？—]\s*(?:(?:but|and)\s+)?(?:not|no|never|without|except|excluding)\b(?!-)[^.!?。！？]*"
    r"|[,;:(.!?，；：（。！？—]\s*[但而也]?(?:不要|不算|不含|不包括|不包含|不是|排除)[^.!?。！？]*"
    r"|[,;，；][^,;.!?，；。！？]*(?:除外|不算|不算在内|不在内)(?=[,;.!?，；。！？]|\s*$)",
    re.IGNORECASE,
)


def wanted_part(sentence: str) -> str:
    """Return a sentence on a subject without the clauses that rule something out; as it is where nothing is left.

    >>> [wanted_part(one) for one in ("Tea, but not coffee or cocoa", "围棋、定式，不要象棋", "茶，茶几除外")]
    ['Tea', '围棋、定式', '茶']
    """
    return _RULED_OUT.sub("", sentence).strip() or sentence
