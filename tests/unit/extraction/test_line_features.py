from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction.block_sums import block_sums
from focuscrawl.extraction.features import line_features
from focuscrawl.extraction.line_counts import line_counts
from focuscrawl.extraction.line_similarity import headings_above, repetitions, starts_as, title_line, title_similarity
from focuscrawl.extraction.page_type import PageType
from focuscrawl.extraction.segments import Segments, segment, words
from focuscrawl.page.tree import parse

PAGE = (
    "<div class=top><a href=/a>Home</a></div>"
    "<div class=story><h1>The lock</h1><p>The keeper, who is old, opens it.</p><p>Boats pass; the gate falls.</p>"
    "<ul><li>One</li><li>Two</li><li>Three</li></ul></div>"
)


def segments(html: str) -> Segments:
    tree = parse(html)
    assert tree is not None
    return segment(tree.root)


LINE = st.text(st.sampled_from(list("aB3.,。，船闸 ひ\U0001f600\ud800)")), min_size=1, max_size=12).filter(
    lambda text: text == " ".join(text.split()) and text != ""
)


@given(st.lists(LINE, max_size=8))
def test_counts_of_lines_are_those_of_each_alone(texts: list[str]) -> None:
    counts = line_counts(texts)
    assert counts.words.tolist() == [words(text) for text in texts]
    assert counts.stops.tolist() == [len(re.findall("[，。、；：？！…,.;:?!]", text)) for text in texts]
    assert counts.ends.tolist() == [text[-1] in '.。!！?？…;；:："”』」)）' for text in texts]
    assert counts.digits.tolist() == [len(re.findall("[0-9]", text)) for text in texts]
    assert counts.capitals.tolist() == [len(re.findall("[A-Z]", text)) for text in texts]


def test_sums_over_blocks_are_those_of_all_lines_below() -> None:
    found = segments(PAGE)
    node = np.array([line.node for line in found.lines])
    chars = np.array([line.chars for line in found.lines], np.float32)
    links = np.array([line.link_chars for line in found.lines], np.float32)
    counts = line_counts([line.text for line in found.lines])
    blocks = block_sums(found, node, counts, chars, links, float(chars.sum()))
    for at in range(len(found.nodes)):
        below = []
        for number, line in enumerate(found.lines):
            up = line.node
            while up >= 0 and up != at:
                up = found.nodes[up].parent
            if up == at:
                below.append(number)
        assert blocks.chars[at] == pytest.approx(chars[below].sum())
        assert blocks.links[at] == pytest.approx(links[below].sum())
        assert blocks.words[at] == pytest.approx(counts.words[below].sum())
        assert blocks.lines[at] == len(below)
    names = [node.names for node in found.nodes]
    assert blocks.best == names.index("story")
    assert blocks.in_best[names.index("story")] == 1.0
    assert blocks.in_best[names.index("top")] == 0.0
    assert blocks.steps[names.index("top")] == 1.0
    items = [at for at, node in enumerate(found.nodes) if node.tag == "li"]
    assert (blocks.inner[items] == items).all()  # three of one signature repeat
    assert len(set(blocks.signature[items])) == 1
    assert (blocks.inner[names.index("story")]) == -1


def test_features_are_finite_and_as_many_for_every_page() -> None:
    one = line_features(segments(PAGE), title="The lock")
    other = line_features(
        segments("<p>x"), title="", kind="hub", page_type=PageType(1, 2, 4), declared="x", description="y"
    )
    assert one.matrix.shape[1] == other.matrix.shape[1]
    assert one.matrix.shape[0] == len(one.weight) == 7
    assert np.isfinite(one.matrix).all()
    assert np.isfinite(other.matrix).all()
    assert one.matrix.dtype == np.float32


def test_the_title_is_the_line_most_like_it() -> None:
    texts = ["Canal News", "The lock is closed", "The lock is closed for the winter, says its keeper. " * 3]
    similarity = title_similarity(texts, "The lock is closed - Canal News")
    assert similarity[1] > similarity[0] > similarity[2] == 0.0
    assert title_line(similarity, np.zeros(3, np.float32)) == 1
    assert title_line(title_similarity(texts, ""), np.zeros(3, np.float32)) == -1


def test_a_set_phrase_alone_is_a_heading_by_another_name() -> None:
    phrases, bold = np.array([0, 0, 1, 0, 4, 0]), np.array([0, 0, 0, 0, 1, 0], np.float32)
    level, size = np.array([2, 0, 0, 0, 0, 0], np.float32), np.array([3, 40, 2, 40, 9, 5], np.float32)
    under, since, levels = headings_above(phrases, level, bold, size)
    assert under.tolist() == [0, 0, 0, 1, 1, 4]
    assert since.tolist() == [0, 1, 2, 1, 2, 1]
    assert levels.tolist() == [0, 2, 2, 7, 7, 7]


def test_lines_that_repeat_or_begin_as_the_description() -> None:
    assert repetitions(["a", "b", "a"]).tolist() == [2, 1, 2]
    line = "The keeper of the upper lock has closed its gates."
    assert starts_as([line, "Other"], line[:40]).tolist() == [1, 0]
    assert starts_as([line], line[:10]).tolist() == [0]
