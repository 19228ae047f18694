"""What a sentence on a subject rules out: "tea, not coffee", "围棋，不要象棋", "茶叶，茶几除外"."""

from __future__ import annotations

import re

# A clause that begins so: in English to the end of the sentence ("tea, but no coffee, cocoa or milk"), in Chinese,
# whose lists have a sign of their own, to the next comma. Within a clause these words may be part of the
# subject ("cooking without meat", "no-code tools").
_RULED_OUT = re.compile(
    r"[,;:(.!?，；：（。！？—]\s*(?:(?:but|and)\s+)?(?:not|no|never|without|except|excluding)\b(?!-)(?! only\b)"
    r"[^.!?。！？)）]*[)）]?"
    r"|[,;:(.!?，；：（。！？—]\s*[但而也]?(?:不要|不算|不含|不包括|不包含|不是|排除)[^,;.!?，；。！？)）]*[)）]?"
    r"|[,;，；][^,;.!?，；。！？]*(?:除外|不算|不算在内|不在内)(?=[,;.!?，；。！？]|\s*$)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?](?:\s|$)|[。！？]")  # a full stop within a word ends nothing: "Node.js", "Go 1.22"
_PART = re.compile(r"(?=[;；])")  # each part but the first begins with its sign
_AROUND = " \t\n.!?;；"
_CLAUSE = re.compile(r"[,;:，：]")
# What follows these in a clause is ruled out.
_WITHOUT = re.compile(r"\b(?:without|except|excluding)\b|不含|不包括|不包含|不要|排除", re.IGNORECASE)
# A clause with one of these rules out or calls merely related what it is on.
_NOT = re.compile(
    r"\b(?:not(?!\s+only\b)|no|never|excluded|only related)\b(?!-)|不算|不是|不属于|不在其内|不在内|除外|以外|无关",
    re.IGNORECASE,
)
# So does this, behind a list, what the list has: "diet theory, reviews and food news are only related".
_LIST_NOT = re.compile(
    r"\b(?:and|or)\b[^,]{1,60}?\b(?:are|do)\s(?:not(?!\s+only\b)|never|excluded|only related)\b", re.IGNORECASE
)


def wanted_sentences(text: str) -> list[str]:
    """Return the sentences of a text on a subject, each without the clauses that rule something out.

    >>> wanted_sentences("Tea in Asia, but not coffee or cocoa. Tea, biscuits and cups are only related.")
    ['Tea in Asia']
    >>> wanted_sentences("围棋、定式，不要象棋。棋手，棋迷除外")
    ['围棋、定式', '棋手']
    """
    sentences = ("".join(map(_wanted, _PART.split(sentence))) for sentence in _SENTENCE.split(text))
    return [wanted for wanted in (sentence.strip(_AROUND) for sentence in sentences) if wanted]


def _wanted(part: str) -> str:
    listed = _LIST_NOT.search(part)
    return "" if listed is not None and "," in part[: listed.start()] else _RULED_OUT.sub("", part)


def wanted_clauses(text: str) -> list[str]:
    """Return the clauses of the wanted sentences, or the parts of them, that rule nothing out.

    >>> wanted_clauses("Tea in Asia, but not coffee. Astrology is not wanted. Cooking without meat.")
    ['Tea in Asia', 'Cooking']
    >>> wanted_clauses("茶叶的冲泡，不包括咖啡，也收茶具。茶几除外。")
    ['茶叶的冲泡', '也收茶具']
    """
    wanted = []
    for sentence in wanted_sentences(text):
        for clause in _CLAUSE.split(sentence):
            found = _WITHOUT.search(clause)
            part = (clause[: found.start()] if found is not None else clause).strip()
            if part and _NOT.search(part) is None:
                wanted.append(part)
    return wanted
