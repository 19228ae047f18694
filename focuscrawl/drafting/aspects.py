"""Common words of a sentence that say what of its subject is meant, or what is done with it.

"The history of the Roman Empire", 红楼梦的人物 and "learning to play the guitar" are on the Roman Empire, 红楼梦 and
guitars. Their other words stand on pages about everything, which a crawl then takes for results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import takewhile

from focuscrawl.text.segment import is_place

COMMON_SHARE = 0.01
"""Share of pages in the language from which on a word tells nothing by itself."""
_TIMES_RARER = 2.0
"""How much rarer the subject has to be: in "cost of living" and "travel the world" both words are the subject."""
_DETERMINERS = frozenset(["a", "an", "the", "my", "your", "his", "her", "our", "their"])
"""What an English verb has before its object, and a noun does not have behind it: "play the guitar"."""
_ASKING = frozenset(["how", "why", "when", "where"])
_DOING = frozenset(["do", "does", "did"])
"""What a question has before its subject, and the verb behind it: "how do vaccines work"."""
_WORKING = frozenset(["work", "happen"])
"""Verbs that end a question without *do*: "how engines work"."""
_BEING = frozenset(["is", "are", "was", "were", "be", "being"])
"""What an English participle has before it: "how locks are built"."""
_JOINING = frozenset(["和", "与", "及"])


def aspect_words(
    tokens: Sequence[str], *, stops: Collection[str], share: Callable[[str], float], spared: Collection[str] = ()
) -> set[str]:
    """Return the common words of a clause that name an aspect of something rarer, or what is done with it.

    An aspect stands alone before *of*, or behind 的, where others may be joined to it by 和. What is done stands before
    an article and its object, before *to* and another such word, at the end of a question ("how do planes fly"), or by
    itself behind *is* or *are*. One page in a hundred has it at least, and twice as many pages as have the rarest word
    of the subject. A word that has another place in the clause, too, is none, nor is the name of a place behind 的:
    民国时期的上海 is on 上海.

    >>> shares = {"history": 0.1, "empire": 0.016, "roman": 0.016}
    >>> aspect_words("history of the roman empire".split(), stops={"of", "the"}, share=lambda word: shares[word])
    {'history'}

    Parameters
    ----------
    tokens
        Those of a clause, stop words among them.
    share
        Of a word, the share of pages in the language that have it, in [0, 1].
    spared
        Words that are no aspects.
    """
    found: set[int] = set()  # places

    def run(places: Iterable[int]) -> list[str]:
        return list(takewhile(lambda word: word not in stops, (tokens[at] for at in places)))

    def is_common(word: str) -> bool:
        # A single Chinese character, which may be a slip of the segmenter, has no share of its own.
        return len(word) > 1 and word not in stops and word not in spared and share(word) >= COMMON_SHARE

    def is_aspect(word: str, subject: Sequence[str]) -> bool:
        return is_common(word) and any(_TIMES_RARER * share(other) <= share(word) for other in subject)

    for at in reversed(range(len(tokens) - 2)):
        word, sign, behind = tokens[at], tokens[at + 1], at + 2
        if sign == "to":
            is_one = behind in found and is_common(word)
        elif sign == "of" or sign in _DETERMINERS:
            behind += sign == "of" and tokens[behind] in _DETERMINERS
            is_whole = at == 0 or tokens[at - 1] in stops  # no part of a name, as health of "mental health of children"
            is_one = is_whole and is_aspect(word, run(range(behind, len(tokens))))
        else:
            is_one = False
        if is_one:
            found.add(at)
    last = len(tokens) - 1
    is_question = last > 1 and tokens[0] in _ASKING
    is_verb = is_question and (tokens[1] in _DOING or (tokens[1] != "to" and tokens[last] in _WORKING))
    if is_verb and is_aspect(tokens[last], tokens[1:last]):
        found.add(last)
    for at in range(1, len(tokens)):
        before = tokens[at - 1]
        is_behind = before in _BEING or (before == "and" and at - 2 in found)
        is_alone = at == last or tokens[at + 1] in stops
        if is_behind and is_alone and is_aspect(tokens[at], [word for word in tokens if word not in stops]):
            found.add(at)
    for at, sign in enumerate(tokens):
        if sign == "的":
            subject = run(range(at - 1, -1, -1))
            for place in range(at + 1, len(tokens)):
                word = tokens[place]
                if word in stops and word not in _JOINING:
                    break
                if is_aspect(word, subject) and not is_place(word):
                    found.add(place)
    return {tokens[at] for at in found} - {word for at, word in enumerate(tokens) if at not in found}
