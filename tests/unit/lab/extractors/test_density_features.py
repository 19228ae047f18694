from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from focuscrawl.extraction.segments import segment
from focuscrawl.lab.extractors.density_features import (
    BLOCK_TAGS,
    DECORATION_TAGS,
    NOISE_WORDS,
    TextBlock,
    block_densities,
    block_features,
    count_words,
    line_position,
    paragraph_features,
    text_blocks,
)
from focuscrawl.page.tree import Element, parse

PAGE = """<html><head><title>运河</title><script>x()</script></head><body>
<div id=menu><a href=/>首页</a> <a href=/m>更多</a></div>
<div id=body><h1>运河史</h1>开凿<b>运河</b>，<br>要有<i>船闸</i>。<p>A lock, a keeper; more.</p>尾声
<ul><li>one<li><a href=/2>two</a></ul></div><template><div>template</div></template>
bare text</body></html>"""


def blocks_of(page: str, **options: object) -> list[TextBlock]:
    tree = parse(page)
    assert tree is not None
    return text_blocks(segment(tree.root), tree.root, **options)  # type: ignore[arg-type]


def test_the_worked_example() -> None:
    block = TextBlock(
        chars=400,
        link_chars=40,
        words=100,
        noise_words=2,
        punctuation=12,
        tags=30,
        decorations=3,
        ordinal=220,
        nodes=800,
    )
    assert block_densities(block) == pytest.approx((0.1, 0.02, 0.03, 0.1, 0.275))
    assert block_features([block, block]).shape == (2, 5)
    assert block_features([]).shape == (0, 5)


def test_a_zero_denominator_gives_zero() -> None:
    assert block_densities(TextBlock()) == (0.0,) * 5


@given(st.lists(st.integers(0, 50), min_size=10, max_size=10))
def test_densities_are_shares(counts: list[int]) -> None:
    (chars, more), (words, other), (marks, rest), (tags, below), (ordinal, nodes) = (
        (counts[at], counts[at] + counts[at + 1]) for at in range(0, 10, 2)
    )
    block = TextBlock(
        chars=max(more, rest),
        link_chars=chars,
        words=other,
        noise_words=words,
        punctuation=marks,
        tags=below,
        decorations=tags,
        ordinal=ordinal,
        nodes=nodes,
    )
    assert all(0.0 <= value <= 1.0 for value in block_densities(block))


def test_line_position_worked_example() -> None:
    assert line_position(2, 4, 10) == pytest.approx(0.3)
    assert line_position(1, 1, 0) == 0.0


@given(st.integers(1, 60), st.data())
def test_line_position_is_the_middle_of_least_and_greatest(paragraphs: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, paragraphs))
    last = data.draw(st.integers(first, paragraphs))
    place = line_position(first, last, paragraphs)
    assert place == pytest.approx((first / paragraphs + last / paragraphs) / 2)
    assert 0.0 < place <= 1.0


def test_noise_words_of_both_languages() -> None:
    assert count_words("返回首页") == (4, 4)
    assert count_words("下一页") == (3, 3)
    assert count_words("Search homes, then HOME") == (4, 2)
    assert count_words("") == (0, 0)


def test_blocks_hold_their_own_text_in_the_order_of_the_page() -> None:
    blocks = blocks_of(PAGE)
    assert [(b.element.tag, b.element.get("id")) for b in blocks] == [
        ("body", None),
        ("div", "menu"),
        ("div", "body"),
        ("p", None),
        ("li", None),
        ("li", None),
    ]
    menu, body = blocks[1], blocks[2]
    assert (menu.chars, menu.link_chars, menu.words, menu.noise_words, menu.tags) == (4, 4, 4, 4, 2)
    assert (body.chars, body.punctuation, body.tags, body.decorations) == (15, 2, 4, 3)
    assert len(body.lines) == 4
    assert blocks[0].chars == len("baretext")


def test_punctuation_of_chinese_only_is_what_the_paper_counts() -> None:
    page = "<body><p>一，二。three, four.</p></body>"
    assert [blocks_of(page, punctuation=which)[0].punctuation for which in ("all", "zh")] == [4, 2]


def test_other_block_tags() -> None:
    assert [b.element.tag for b in blocks_of(PAGE, tags={"ul"})] == ["body", "ul"]


def recount(root: Element) -> Iterator[tuple[Element, list[float]]]:
    """Count the densities again, from the tree alone and one block at a time."""
    cleaned = [
        e for e in root.iter() if not any(a.tag in ("script", "meta", "template") for a in (e, *e.iterancestors()))
    ]
    place = {element: number for number, element in enumerate(cleaned, 1)}
    for block in cleaned:
        if block.tag not in BLOCK_TAGS and block.tag != "body":
            continue
        own = [e for e in cleaned if next((a for a in e.iterancestors() if a in place and is_block(a)), None) is block]
        inner = [e for e in own if not is_block(e)]
        pieces = [(block, block.text)] + [(e, e.text) for e in inner] + [(e.getparent(), e.tail) for e in own]
        pieces += [(block, e.tail) for e in block if e not in place]
        text = " ".join(piece or "" for _, piece in pieces)
        linked = "".join(
            piece or "" for e, piece in pieces if e.tag == "a" or any(a.tag == "a" for a in e.iterancestors())
        )
        chars, words = len("".join(text.split())), len(re.findall(r"[\u4e00-\u9fff]|[a-z]+", text.lower()))
        if not chars:
            continue
        noise = sum(len(w) * text.count(w) if not w.isascii() else text.lower().split().count(w) for w in NOISE_WORDS)
        decorated = sum(e.tag in DECORATION_TAGS for e in inner)
        yield (
            block,
            [
                len("".join(linked.split())) / chars,
                noise / words if words else 0.0,
                len(re.findall("[，。、；：？！…,.;:?!]", text)) / chars,
                decorated / len(inner) if inner else 0.0,
                place[block] / len(cleaned),
            ],
        )


def is_block(element: Element) -> bool:
    return element.tag in BLOCK_TAGS or element.tag == "body"


WORDS = st.sampled_from(["运河", "更多", "首页", "。", "，", "home", "lock", "more", "", " "])
INLINE = st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["b", "em", "span", "u"]), WORDS) | WORDS
LINKED = st.builds("<a href=/x>{}</a>".format, WORDS)


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, max_size=4).map(" ".join)
    return st.builds("<{0}>{1} {2}</{0}>".format, st.sampled_from(["div", "section", "form"]), WORDS, several)


@settings(max_examples=40)
@given(st.lists(st.recursive(INLINE | LINKED, nested, max_leaves=12), min_size=1, max_size=4))
def test_densities_are_those_of_a_count_on_the_tree(parts: list[str]) -> None:
    tree = parse(f"<html><head><meta name=a></head><body>{' '.join(parts)}<template>x</template></body></html>")
    assert tree is not None
    blocks = text_blocks(segment(tree.root), tree.root)
    expected = list(recount(tree.root))
    assert [b.element for b in blocks] == [element for element, _ in expected]
    assert block_features(blocks) == pytest.approx(np.array([row for _, row in expected]).reshape(len(blocks), 5))


def test_paragraphs_of_a_block() -> None:
    page = "<body><div>短，<br>二十个字的段落，有标点。这里再写几个字<br>end</div></body>"
    tree = parse(page)
    assert tree is not None
    found = segment(tree.root)
    (block,) = text_blocks(found, tree.root)
    assert paragraph_features(found, block) == pytest.approx(
        np.array([[2 / 24, 1 / 2, 1 / 3], [19 / 24, 2 / 19, 2 / 3], [3 / 24, 0.0, 1.0]])
    )
    latin = paragraph_features(found, block, punctuation="zh")
    assert latin.shape == (3, 3)


def test_source_line_breaks_end_no_paragraph() -> None:
    tree = parse("<body><p>one\ntwo\n\nthree<hr>four</body>")
    assert tree is not None
    found = segment(tree.root)
    blocks = text_blocks(found, tree.root)
    assert [[found.lines[at].text for at in block.lines] for block in blocks] == [["four"], ["one two three"]]


def test_a_tree_of_other_makers_is_read_too() -> None:
    root = html.document_fromstring("<div><p>text</div>")
    assert [block.element.tag for block in text_blocks(segment(root), root)] == ["p"]
