from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction.body_block import body_block, settle, with_enclosed, with_neighbours
from focuscrawl.extraction.main_content import Judged
from focuscrawl.extraction.segments import Segments, segment
from focuscrawl.page.tree import parse

PAGE = (
    "<div class=story><p>one</p><p>two</p><table><tr><td>cell</td><td>other</td></tr></table></div>"
    "<div class=more><p>teaser</p><p>sure</p><p>menu</p></div>"
)


def segments(html: str) -> Segments:
    tree = parse(html)
    assert tree is not None
    return segment(tree.root)


def of(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, np.float32)


def test_the_block_that_promises_the_greatest_f1() -> None:
    # story: 2 * 1.9 / (2 + 2.3) = .88; all: 2 * 2.3 / (6 + 2.3) = .55; the first line: 2 * 1 / (1 + 2.3) = .61
    found = segments("<div class=story><p>one</p><p>two</p></div>" + "<div><p>a</p><p>b</p><p>c</p><p>d</p></div>")
    body = body_block(found, of(1.0, 0.9, 0.1, 0.1, 0.1, 0.1), np.ones(6, np.float32))
    assert body.inside.tolist() == [True, True, False, False, False, False]
    assert np.isclose(body.purity, 0.95)
    assert np.isclose(body.share, 1.9 / 2.3)


def test_outside_the_body_of_an_article_a_line_has_to_be_surer() -> None:
    found = segments(PAGE)
    p, weights = of(0.99, 0.99, 0.25, 0.1, 0.7, 0.95, 0.01), of(40, 40, 1, 1, 9, 9, 60)
    assert settle(found, p, weights, 0.5, article=True).tolist() == [True, True, True, False, False, True, False]
    assert settle(found, p, weights, 0.5, article=False).tolist() == [True, True, True, False, True, True, False]


def test_without_a_sure_body_the_cut_stands() -> None:
    found = segments(PAGE)
    p, weights = of(0.6, 0.4, 0.3, 0.3, 0.7, 0.5, 0.1), np.full(7, 10, np.float32)
    assert settle(found, p, weights, 0.45, article=True).tolist() == (p > 0.45).tolist()


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(1, 99)), min_size=7, max_size=7), st.booleans())
def test_no_surest_line_is_lost_and_none_without_a_chance_is_taken(
    lines: list[tuple[float, int]], article: bool
) -> None:
    p, weights = of(*(one for one, _ in lines)), of(*(one for _, one in lines))
    taken = settle(segments(PAGE), p, weights, 0.5, article=article)
    assert taken[p >= 0.9].all()
    assert not taken[p < 0.2].any()


def test_the_first_paragraph_of_a_post_goes_with_the_sure_ones_below_it() -> None:
    found = segments("<div><p>first</p><p>second</p><p>sure</p></div><div><p>menu</p></div>")
    taken = np.array([False, False, True, False])
    # The fourth line stands beside nothing taken of its own parent, and a line of .2 is too doubtful.
    assert with_neighbours(found, taken, of(0.5, 0.45, 0.9, 0.55)).tolist() == [True, True, True, False]
    assert with_neighbours(found, taken, of(0.5, 0.2, 0.9, 0.55)).tolist() == [False, False, True, False]


def test_a_quotation_does_not_part_the_paragraphs_of_a_block_and_a_date_is_no_paragraph() -> None:
    found = segments(
        "<div><p>first</p><blockquote><p>sure</p></blockquote></div><ol><li>3 May 2024</li><li>sure</li></ol>"
    )
    taken = np.array([False, True, False, True])
    assert with_neighbours(found, taken, of(0.4, 0.9, 0.5, 0.9)).tolist() == [True, True, False, True]


def test_a_list_goes_on_from_the_paragraph_above_it_and_its_links_do_not() -> None:
    found = segments("<p>needed:</p><ul><li>flour</li><li>salt</li></ul><ol><li><a href='/1'>teaser</a></li></ol>")
    taken = np.array([True, False, False, False])
    assert with_neighbours(found, taken, of(0.9, 0.5, 0.4, 0.5)).tolist() == [True, True, True, False]
    assert with_neighbours(found, taken, of(0.9, 0.5, 0.2, 0.5)).tolist() == [True, True, False, False]


def test_items_and_headings_between_lines_taken_go_with_them() -> None:
    found = segments(
        "<div><p>one</p><ul><li>two<ol><li>three</li><li>four</li></ol></li><li>five</li></ul></div><h3>six</h3>"
        "<section>seven</section><h3>eight</h3><p>nine</p><p>ten</p><h3>eleven</h3>"
    )
    taken = np.array([True, True, False, False, True, False, True, False, False, True, False])
    p = of(0.9, 0.9, 0.4, 0.3, 0.9, 0.5, 0.9, 0.5, 0.2, 0.9, 0.5)
    wanted = [True] * 7 + [False, False, True, False]
    assert with_enclosed(found, taken, p, 0.3).tolist() == wanted
    assert with_enclosed(found, taken, np.where(p == of(0.3), of(0.2), p), 0.3).tolist() == [
        *([True] * 2), False, False, *([True] * 3), False, False, True, False
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ('<div role="button" aria-expanded="false">two</div><div style="display:none"><p>three</p></div>', True),
        ('<div role="button" aria-expanded="false"><a href="#x">two</a></div><div hidden><p>three</p></div>', True),
        ("<details><summary>two</summary><div><p>three</p></div></details>", True),
        ("<div>two</div><div><p>three</p></div>", False),
        ('<div hidden>two</div><div hidden><p><a href="/x">three</a></p></div>', False),
    ],
)
def test_folded_parts_between_lines_taken_go_with_them(part: str, kept: bool) -> None:
    found = segments(f"<div><p>one</p></div>{part}<div><p>four</p></div>")
    taken, p = np.array([True, False, False, True]), of(0.9, 0.4, 0.5, 0.9)
    assert with_enclosed(found, taken, p, 0.3).tolist() == [True, kept, kept, True]
    assert with_enclosed(found, taken, of(0.9, 0.4, 0.2, 0.9), 0.3).tolist() == taken.tolist()


@pytest.mark.parametrize(
    ("heading", "kept"),
    [
        ("<p><strong>two</strong></p>", True),
        ("<p><span><b><span>two</span></b></span></p>", True),
        ("<p><strong>two</strong> or three</p>", False),
        ("<p><strong><a href='/2'>two</a></strong></p>", False),
        ("<p>two</p>", False),
    ],
)
def test_a_bold_line_between_lines_taken_is_a_heading(heading: str, kept: bool) -> None:
    found = segments(f"<section><p>one</p></section><section>{heading}</section><section><p>three</p></section>")
    taken = np.array([True, False, True])
    assert with_enclosed(found, taken, of(0.9, 0.4, 0.9), 0.3).tolist() == [True, kept, True]


@pytest.mark.parametrize(
    ("figure", "kept"),
    [
        ("<figure><table><tr><td>1</td></tr></table><figcaption>two</figcaption></figure>", True),
        ("<figure><figcaption>two</figcaption><table><tr><td>1</td></tr></table></figure>", True),
        ("<figure><img src=a.png><figcaption>two</figcaption></figure>", False),
        ("<div><table><tr><td>1</td></tr></table><p>two</p></div>", False),
    ],
)
def test_the_caption_of_a_table_between_lines_taken_goes_with_it(figure: str, kept: bool) -> None:
    found = segments(f"<div><p>one</p>{figure}<p>three</p></div>")
    taken = np.array([line.text != "two" for line in found.lines])
    p = np.where(taken, 0.9, 0.4).astype(np.float32)
    assert with_enclosed(found, taken, p, 0.3).all() == kept
    assert with_enclosed(found, taken, p, 0.45).tolist() == taken.tolist()


@pytest.mark.parametrize(
    ("heading", "kept"),
    [
        ("<h2 id=two><a href='#two'><span>two</span></a></h2>", True),
        ("<h2 id=two><a href='#three'>two</a></h2>", False),
        ("<h2><a href='#two'>two</a></h2>", False),
        ("<h2 id=two><a href='/2'>two</a></h2>", False),
    ],
)
def test_a_heading_that_leads_to_itself_is_no_link_to_elsewhere(heading: str, kept: bool) -> None:
    found = segments(f"<div><p>one</p>{heading}<p>three</p></div>")
    assert with_enclosed(found, np.array([True, False, True]), of(0.9, 0.4, 0.9), 0.3).tolist() == [True, kept, True]


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ("<tr><td><p>two</p></td><td><p>2</p></td></tr>", True),
        ("<tr><th>two</th><td>2</td></tr>", True),
        ("<tr><td>two</td></tr><tr><td>2</td></tr>", False),
        (f"<tr><td>{'two ' * 100}</td><td>{'2 ' * 200}</td></tr>", False),
        ("<tr><td><a href='/2'>two</a></td><td><a href='/2'>2</a></td></tr>", False),
    ],
)
def test_cells_of_data_between_lines_taken_go_with_them(rows: str, kept: bool) -> None:
    found = segments(f"<div><p>one</p><table><tbody>{rows}</tbody></table><p>four</p></div>")
    taken, p = np.array([True, False, False, True]), of(0.9, 0.5, 0.4, 0.9)
    assert with_enclosed(found, taken, p, 0.3).tolist() == [True, kept, kept, True]
    assert with_enclosed(found, taken, of(0.9, 0.5, 0.1, 0.9), 0.3).tolist() == taken.tolist()


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("<h2>two</h2><table><tr><th>Depth</th><td>5</td></tr></table><h2>three</h2>", True),
        ("<h2>two</h2><ul><li>Depth</li><li>5</li></ul><h2>three</h2>", False),
        ("<h2>two</h2><h3>Depth</h3><h3>5</h3><h2>three</h2>", False),
        ("<h2>two</h2><table><tr><th>Depth</th></tr><tr><td>5</td></tr></table><h2>three</h2>", False),
    ],
)
def test_doubtful_cells_of_data_between_lines_taken_go_with_them_and_the_headings_beside(part: str, kept: bool) -> None:
    found = segments(f"<div><p>one</p>{part}<p>four</p></div>")
    taken = np.array([True, *[False] * 4, True])
    assert with_enclosed(found, taken, of(0.9, *[0.2] * 4, 0.9), 0.3).tolist() == [True, *[kept] * 4, True]
    assert with_enclosed(found, taken, of(0.9, *[0.1] * 4, 0.9), 0.3).tolist() == taken.tolist()


def test_a_first_heading_between_lines_taken_goes_with_them_where_another_line_is_the_title() -> None:
    found = segments(
        "<h1>title</h1><p>one</p><h1>two</h1><p>three</p><h1>title</h1><p>five</p><h1><a href='/'>6</a></h1>"
    )
    taken = np.array([False, True, False, True, False, True, False])
    p, likeness = of(0.5, 0.9, 0.4, 0.9, 0.4, 0.9, 0.4), of(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    assert with_enclosed(found, taken, p, 0.3).tolist() == taken.tolist()
    wanted = [False, True, True, True, False, True, False]
    assert with_enclosed(found, taken, p, 0.3, likeness=likeness).tolist() == wanted
    assert with_enclosed(found, taken, p, 0.45, likeness=likeness).tolist() == taken.tolist()


@pytest.mark.parametrize(
    ("heading", "p", "likeness", "article", "several", "kept"),
    [
        ("<h2>Ingredients</h2>", 0.4, 0.0, True, False, True),
        ("<h2>Ingredients</h2>", 0.2, 0.0, True, False, False),
        ("<h2>Ingredients of a cake</h2>", 0.4, 0.5, True, False, False),
        ("<h1>Ingredients</h1>", 0.4, 0.0, True, False, False),
        ("<section>Ingredients</section>", 0.4, 0.0, True, False, False),
        ("<h2><a href='/'>Recipes</a></h2>", 0.4, 0.0, True, False, False),
        ("<h2>3 May 2024</h2>", 0.4, 0.0, True, False, False),
        ("<h2>Ingredients</h2>", 0.4, 0.0, False, False, False),
        ("<h2>Ingredients</h2>", 0.4, 0.0, True, True, False),
    ],
)
def test_an_article_keeps_the_heading_above_its_first_line(
    heading: str, p: float, likeness: float, article: bool, several: bool, kept: bool
) -> None:
    found = segments(f"<main><span>menu</span>{heading}<div>Flour and salt</div></main>")
    judged = Judged(
        found, of(0.1, p, 0.9), np.ones(3, np.float32), 0.6, article, likeness=of(0.0, likeness, 0.0), several=several
    )
    assert (1 in judged.chosen) == kept
    assert 1 not in replace(judged, likeness=None).chosen


def test_on_a_page_without_sure_lines_half_of_its_cut_is_enough_between_lines_taken() -> None:
    found = segments(
        "<div><p>one</p><h3>two</h3><ul><li>three</li></ul><p>four</p><h3>five</h3><p>six</p><h3>7</h3></div>"
    )
    p = of(0.5, 0.2, 0.25, 0.5, 0.19, 0.5, 0.3)
    assert Judged(found, p, np.ones(7, np.float32), threshold=0.4).chosen == [0, 1, 2, 3, 5]
