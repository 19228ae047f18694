"""Words of a page's own headings: a heading that links to another page is that page's title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice

from focuscrawl.page.urls import UrlJoiner
from focuscrawl.page.walk import Walked

# Of a heading: one that nobody closed holds the rest of the page, and a hundred such headings hold it a hundred times.
_MOST_WORDS = 1000


def heading_words(
    walked: Walked,
    tokens: Sequence[list[str]],
    blocks: Sequence[int],
    *,
    title: frozenset[str],
    page_url: str,
    join: UrlJoiner,
    most: int,
) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the block of each of the page's own headings, -1 outside all, and its words.

    Words inside a link are left out, but for links to a place on the page, and where the page's title says the same.

    Parameters
    ----------
    tokens
        Those of each chunk.
    blocks
        Raw block -> block.
    title
        Words of the title.
    page_url
        Normal form.
    most
        How many headings are looked at.
    """
    linked = walked.chunk_linked
    full = ((first, end) for first, end, _ in walked.headings if any(tokens[at] for at in range(first, end)))
    shown = list(islice(full, most))
    suspects = {at for first, end in shown for at in range(first, end) if linked[at]}
    others = suspects - _to_itself(walked, suspects, page_url, join) if suspects else suspects
    found = []
    for first, end in shown:
        words = _words(tokens, range(first, end))
        if not title.issuperset(words):
            words = _words(tokens, (at for at in range(first, end) if at not in others))
        if words:
            raw = walked.chunk_blocks[first]
            found.append((blocks[raw] if raw >= 0 else -1, words))
    return tuple(found)


def _words(tokens: Sequence[Sequence[str]], chunks: Iterable[int]) -> tuple[str, ...]:
    return tuple(islice(chain.from_iterable(tokens[at] for at in chunks), _MOST_WORDS))


def _to_itself(walked: Walked, chunks: AbstractSet[int], page_url: str, join: UrlJoiner) -> set[int]:
    """Return those of the chunks that stand in a link to the page itself."""
    return {
        at
        for raw in walked.links
        if raw.start in chunks and (raw.href.startswith("#") or join(raw.href) == page_url)
        for at in range(raw.start, raw.end)
    }
