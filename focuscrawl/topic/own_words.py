"""Words of a topic's title and description, as lighter topic words for links.

The user wrote them, so a link that shows one is likelier to lead to the topic; no judge reads them, because a title
names a subject ("Science news") in words that a page on it seldom repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from focuscrawl.topic.asking import subject_of
from focuscrawl.topic.ruled_out import wanted_clauses

# A listing is called what the topic is called; a description also tells how the topic is treated.
_TITLE, _DESCRIPTION = 0.8, 0.5
_FULL_IDF = 5.0  # from here on a word is as telling as it gets: one document in 150 has it
_LEAST_IDF = 2.0  # "world", "life", "family": more than one document in seven has them


def own_words(
    title: str,
    description: str,
    *,
    tokens: Callable[[str], Sequence[str]],
    idf: Callable[[str], float],
    known: Collection[str] = (),
) -> dict[str, float]:
    """Return the words of title and description with a weight in (0, 1], by how telling they are.

    Parameters
    ----------
    title, description
        As the topic file has them; what a clause rules out, and what asks for pages, is left aside.
    tokens
        Cuts a text into words.
    idf
        Inverse document frequency of a word; 0 for stop words.
    known
        Words that are topic terms, or speak against a page, and need no second weight.

    >>> own_words("Science news", "Popular articles on physics. Astrology is not wanted.",
    ...     tokens=lambda text: text.lower().replace(".", "").split(), idf=lambda word: 0.5 * len(word), known=["news"])
    {'science': 0.56, 'popular': 0.35, 'articles': 0.4, 'physics': 0.35}
    """
    wanted = " . ".join(map(subject_of, wanted_clauses(description)))
    weights: dict[str, float] = {}
    for share, text in ((_TITLE, subject_of(title)), (_DESCRIPTION, wanted)):
        for word in tokens(text):
            telling = idf(word)
            if telling < _LEAST_IDF or word in known or len(word) < 2 or word.isdigit():
                continue
            weight = round(share * min(1.0, telling / _FULL_IDF), 4)
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights
