"""The title above the text (docs/formulas.md H.6): worked by hand, in general, and against a second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction.fields import page_fields
from focuscrawl.extraction.segments import segment
from focuscrawl.extraction.shown_title import Paragraph, best_title, paragraphs_of, rating, shown_title
from focuscrawl.page.analysis import analyse
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

BODY = Paragraph("The keeper opens the lower gate of the lock at five in the morning.")


def test_the_rating_by_hand() -> None:
    # 3 for h1, 0.1 * 2 for two steps
    assert rating(Paragraph("The lower gate", heading=1), 2) == pytest.approx(2.8)
    # 1 bold, 0.5 centred, 0.5 in colour, 0.1 * 1, 2 for links
    set_out = Paragraph("Canal news", bold=True, centred=True, coloured=True, link_share=0.9)
    assert rating(set_out, 1) == pytest.approx(-0.1)
    assert rating(Paragraph("Weather", heading=2), 1) == pytest.approx(1.9)
    assert rating(Paragraph("Weather", heading=5), 1) == pytest.approx(1.4)


def test_the_best_before_the_text_is_taken() -> None:
    menu = Paragraph("Home News Photographs of the canal and much more of that", link_share=1.0)
    title = Paragraph("The lower gate", bold=True)
    assert best_title(
        [menu, Paragraph("4 March"), title, Paragraph("By A. Lee"), BODY, Paragraph("After", heading=1)]
    ) == ("The lower gate")


def test_a_title_in_two_lines_is_joined() -> None:
    assert best_title([Paragraph("船闸、", heading=1), Paragraph("水位与航道"), BODY]) == "船闸、水位与航道"
    assert best_title([Paragraph("Gate", heading=1), Paragraph("and weir"), BODY]) == "Gate"
    assert best_title([Paragraph("On:", heading=1), Paragraph("gates"), BODY]) == "On: gates"


def test_without_a_candidate_there_is_no_title() -> None:
    assert best_title([BODY]) == ""
    assert best_title([]) == ""


def test_only_fifteen_paragraphs_back_and_none_too_long() -> None:
    far = [Paragraph("Far away", heading=1)] + [Paragraph(f"line {n}") for n in range(15)]
    assert best_title([*far, BODY]) != "Far away"
    long = Paragraph("A heading that does not end " * 4, heading=1, link_share=0.9)
    assert best_title([long, Paragraph("Short"), BODY]) == "Short"


def test_how_a_page_sets_its_paragraphs() -> None:
    tree = parse(
        "<table><tr><td align=center><font size=5 color=red>船闸的清晨</font></td></tr></table>"
        "<p style='text-align: center'><span style='font-size: 24px'>large</span></p><h2><a href=x>linked</a></h2>"
        f"<p>plain</p><p>{BODY.text}</p><p>after</p>"
    )
    assert tree is not None
    assert paragraphs_of(segment(tree.root)) == [
        Paragraph("船闸的清晨", bold=True, centred=True, coloured=True),
        Paragraph("large", bold=True, centred=True),
        Paragraph("linked", heading=2, link_share=1.0),
        Paragraph("plain"),
        BODY,
    ]
    assert shown_title(segment(tree.root)) == "船闸的清晨"


def test_a_page_without_a_title_element_has_the_title_it_shows() -> None:
    html = f"<body><center><font size=6><b>船闸的清晨</b></font></center><p>2024年3月4日</p><p>{BODY.text}</p></body>"
    assert (
        page_fields(analyse(html.encode(), "http://a.example/", tokenizer=make_tokenizer("words"))).title
        == "船闸的清晨"
    )


paragraph = st.builds(
    Paragraph,
    st.text(alphabet="ab 船闸,", min_size=1, max_size=90).filter(lambda text: bool(text.strip())),
    heading=st.integers(0, 6),
    bold=st.booleans(),
    centred=st.booleans(),
    coloured=st.booleans(),
    link_share=st.floats(0.0, 1.0),
)


@given(st.lists(paragraph, max_size=30))
def test_as_a_plain_implementation_with_numpy(paragraphs: list[Paragraph]) -> None:
    found = best_title(paragraphs)
    start = [n for n, one in enumerate(paragraphs) if len(one.text) >= 40 and one.link_share < 0.5][:1]
    near = [n for n in range(max(0, start[0] - 15), start[0]) if 2 <= len(paragraphs[n].text) <= 80] if start else []
    if not near:
        assert found == ""
        return
    table = np.array(
        [[p.bold, p.centred, p.coloured, p.link_share > 0.5] for n in near for p in [paragraphs[n]]], float
    )
    by_level = np.array([0.0, 3.0, 2.0, 1.5, 1.5, 1.5, 1.5])[[paragraphs[n].heading for n in near]]
    scores = by_level + table @ [1.0, 0.5, 0.5, -2.0] - 0.1 * (start[0] - np.array(near))
    best = [paragraphs[n].text for n, score in zip(near, scores, strict=True) if score >= scores.max() - 1e-9]
    assert any(found[:80].startswith(text[:80]) for text in best)
