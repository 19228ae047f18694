"""Comments below an article: what stands under their heading, on pages that do not say that they are threads.

Comments are as well written as the article, and a judge of single lines takes them for it where no name of a block says
what they are. Their heading does, with the number of comments in it or a day below.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.extraction.block_sums import ends_of
from focuscrawl.extraction.class_names import GROUPS, PHRASES, phrase_bits
from focuscrawl.extraction.segments import HEADINGS, Segments

Floats = NDArray[np.float32]

_TITLE_CHARS = 120  # "3 thoughts on “…”" repeats the title of the article
_COUNT = r"(?:[\W_]*+\d{1,6}+\+?\s*+[条條則则]?件?개?[\W_]*+)"
_ANSWERS = "(?:[\\d一]{1,6}+\\s?[条條則则个個篇](?:评论|評論|留言|回应|回應|迴響|回复|回覆|想法))"
_TITLE = re.compile(
    r"[\W_]*+(?:"
    r"(?P<titled>(?:\d{1,6}+|one)\s(?:comments?|replies|reply|responses?|thoughts?)\s(?:on|to)\s[\"“„«‘'].*+)|"
    rf"(?P<named>{_ANSWERS}\s?[:：]\s?[\"“「《〈].*+|"
    # The first mark of quotation of a heading is met already.
    rf"(?:(?:[在对對]|关于|關於)\s?[\"“「《〈])?[^\"“”「」《》〈〉]++[\"”」》〉]\s?[上中的]?\s?有?\s?{_ANSWERS})|"
    r"(?P<many>\d{1,6}+\s(?:comments?|responses?|thoughts?)(?:\s(?:on|to)\s.*+)?)|"
    r"(?P<none>(?:no|keine)\s(?:comments|responses|kommentare)\s(?:on|to|for|zu)\s[\"“„«].*+)|"
    r"(?P<one>one\s(?:comment|response|thought)\s(?:on|to)\s.*+)|"
    rf"(?:(?:reader|user|latest|all)\s)?comments(?P<count>{_COUNT})?|"
    rf"(?:已有|共有?)?\s?(?P<few>\d{{1,6}})\s?[条條則则](?:评论|評論|留言|跟帖)|"
    rf"(?:(?:网友|全部|最新|热门|精彩|用户|文章|读者|網友|讀者)?(?:评论|評論|留言|跟帖)(?:列表|区|區)?|댓글(?:\s목록)?|コメント(?:一覧)?|"
    rf"kommentare?|commentaires?|comentarios?|комментарии)(?P<number>{_COUNT})?"
    r")[\W_]*+",
    re.IGNORECASE,
)
# Where the heading names the article, as no thread does, so much of a text will do that is not sure.
_DOUBTFUL, _FEW_WORDS = 0.3, 10.0
_COMMENT = 1 << GROUPS.index("comment")
_MOMENT = 1 << PHRASES.index("moment")
_FIRST_LINES = 8  # below the heading, in which the first comment has its day


def comments_below(found: Segments, p: Floats, weights: Floats, *, sure: float, words: float) -> frozenset[int]:
    """Return the numbers of the lines from a heading of comments on, to the end of its block or the next heading.

    The text above the heading has so many sure words that it is an article of its own. Time is linear in the lines, and
    in the blocks around each of a few headings.

    Parameters
    ----------
    p, weights
        Probability and words of each line of `found`.
    sure, words
        From which probability on a word is sure, and how many an article has.
    """
    lines, nodes = found.lines, found.nodes
    node = np.array([line.node for line in lines], np.int64)
    sure_text, doubtful_text = (_text_above(node, p > bound, weights) for bound in (sure, _DOUBTFUL))
    ends: list[int] | None = None
    below: set[int] = set()
    for at, line in enumerate(lines):
        if at in below or len(line.text) > _TITLE_CHARS or doubtful_text.words[at] <= _FEW_WORDS:
            continue
        title = _TITLE.fullmatch(line.text)
        # A link with the number of comments stands in each post of a list, often above the post's text.
        if title is None or 2 * line.link_chars >= line.chars:
            continue
        names_article = title["titled"] is not None or title["named"] is not None
        text, least = (doubtful_text, _FEW_WORDS) if names_article else (sure_text, words)
        if text.words[at] <= least:
            continue
        if any(title.groups()) or (_is_heading(found, at) and _is_dated(found, at)):
            ends = ends or ends_of([block.parent for block in nodes])
            below.update(_region(found, at, int(text.block[at - 1]), ends))
    return frozenset(below)


class _Text(NamedTuple):
    """Text of the article down to each line."""

    words: NDArray[np.float64]
    block: NDArray[np.int64]  # the last with text: blocks are numbered from the outside in, down the page


def _text_above(node: NDArray[np.int64], is_text: NDArray[np.bool_], weights: Floats) -> _Text:
    return _Text(np.cumsum(np.where(is_text, weights, 0.0)), np.maximum.accumulate(np.where(is_text, node, -1)))


def _is_heading(found: Segments, at: int) -> bool:
    node = found.nodes[found.lines[at].node]
    return node.tag in HEADINGS or found.lines[at].bold or bool(node.bits & _COMMENT)


def _is_dated(found: Segments, at: int) -> bool:
    return any(phrase_bits(line.text) & _MOMENT for line in found.lines[at + 1 : at + 1 + _FIRST_LINES])


def _region(found: Segments, at: int, text: int, ends: list[int]) -> range:
    """Return the numbers of the lines that belong to the heading `at`, below an article that ends in the block `text`.

    Those are the rest of the largest block around the heading that holds no text of the article. Where that is the
    heading alone, they go on to the next heading as high.
    """
    nodes, lines = found.nodes, found.lines
    block = lines[at].node
    while nodes[block].parent > text:
        block = nodes[block].parent
    last = at + 1
    while last < len(lines) and lines[last].node < ends[block]:
        last += 1
    if last > at + 1:
        return range(at, last)
    around, tag = nodes[block].parent, nodes[lines[at].node].tag
    while last < len(lines) and lines[last].node < ends[around]:
        next_tag = nodes[lines[last].node].tag
        if tag in HEADINGS and next_tag in HEADINGS and next_tag <= tag:
            break
        last += 1
    return range(at, last)
