"""Footnotes go with the text that refers to them."""

from __future__ import annotations

import numpy as np
import pytest

import focuscrawl
from focuscrawl.extraction.footnotes import with_notes
from focuscrawl.extraction.segments import Segments, segment
from focuscrawl.page.tree import parse

TEXT = (
    "For two thousand years the grain of the valley was ground between two stones, turned by the water of the brook."
    "{mark} The flour was oily and fragrant, and it did not keep for longer than a month in the warm season."
)
PAGE = (
    "<html><head><title>Mills - Crust</title></head><body><nav><a href=/>Home</a> <a href=/about>About</a></nav>"
    "<article><h1>Mills</h1><p>" + TEXT + "</p><p>Rollers of steel came to Budapest in the nineteenth century, and "
    "they spread over Europe within a generation, for the white flour that they give keeps for a year.</p>{notes}"
    "</article><footer>Copyright 2024 Crust Team</footer></body></html>"
)
NOTE = "The oldest of these mills stood in Spain."
ASIDE = (
    '<aside class="footnote-list brackets"><aside class="footnote brackets" id="n1" role="doc-footnote">'
    '<span class="label">[<a role="doc-backlink" href="#r1">1</a>]</span><p>' + NOTE + "</p></aside></aside>"
)


def segments(html: str) -> Segments:
    tree = parse(html)
    assert tree is not None
    return segment(tree.root)


def text_of(mark: str, notes: str) -> str:
    html = PAGE.replace("{mark}", mark).replace("{notes}", notes)
    return focuscrawl.extract(html, url="https://crust.example/2024/03/mills.html").text


def test_a_note_in_an_aside_goes_with_the_text_without_its_number() -> None:
    text = text_of('<a class="footnote-reference" href="#n1" id="r1" role="doc-noteref">[1]</a>', ASIDE)
    assert text.endswith(f"keeps for a year.\n\n{NOTE}")


def test_a_note_that_nothing_leads_to_is_judged_as_any_line() -> None:
    assert NOTE not in text_of("", ASIDE)


@pytest.mark.parametrize(
    ("notes", "kept"),
    [
        ("<div class=footnotes><ol><li id=n1><p>two</p></li><li id=n2><p>three</p></li></ol></div>", [True, False]),
        ("<section role=doc-endnotes><ol><li id=n1>two<li id=n2>three</ol></section>", [True, False]),
        ("<dl class=footnote><dt id=n1>1</dt><dd>three</dd></dl>", [False, False]),
        ("<ol><li id=n1>two<li id=n2>three</ol>", [False, False]),
    ],
)
def test_notes_are_told_by_a_name_and_an_id(notes: str, kept: list[bool]) -> None:
    found = segments(f"<div><p>one<a href='#n1'>1</a> <a href='#n2'>see all of them</a></p>{notes}</div>")
    taken, p = np.array([True, False, False]), np.array([0.9, 0.1, 0.1], np.float32)
    assert with_notes(found, taken, p).tolist() == [True, *kept]


def test_a_line_known_for_a_control_and_a_note_of_a_line_not_taken_stay_out() -> None:
    found = segments("<p>one<sup><a href='#n1'>1</a></sup></p><div class=footnote id=n1><p>two</p></div>")
    assert not with_notes(found, np.array([False, False]), np.array([0.1, 0.1], np.float32)).any()
    assert with_notes(found, np.array([True, False]), np.array([0.9, 0.0], np.float32)).tolist() == [True, False]
