from __future__ import annotations

import pytest

from focuscrawl.extraction.segments import segment
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.page.tree import parse

TEXT = "<p>The lock at the mill was built in 1871, and for a century it was worked by hand.</p>"
MESSAGE = "Something went wrong while this page was loading, please try again later."


def shown(html: str) -> list[str]:
    tree = parse(f"<body><article>{TEXT}{html}</article></body>")
    assert tree is not None
    return [line.text for line in visible(segment(tree.root)).lines][1:]


@pytest.mark.parametrize(
    "block",
    [
        '<div class="error-box" style="display: none"><p>{}</p></div>',
        '<div id="loading-error" hidden><div>{}</div></div>',
        '<div class="alert alert-danger d-none">{}</div>',
        '<div hidden><div class="modal"><div><p>{}</p></div></div></div>',
        '<div class="tag-load-fail" style="display: none">{}</div>',
        '<div v-show="loadFailed"><p>{}</p></div>',
    ],
)
def test_hidden_messages_are_not_read(block: str) -> None:
    assert shown(block.format(MESSAGE)) == []


@pytest.mark.parametrize(
    "block",
    [
        '<div class="tab-panel" hidden><p>{}</p></div>',
        '<div class="collapse" style="display:none">{}</div>',
        '<div class="alert">{}</div>',
        '<div class="warning">{}</div>',
        '<div class="loadFailed" v-show="tab == 2">{}</div>',
    ],
)
def test_folded_parts_and_shown_messages_are_read(block: str) -> None:
    assert shown(block.format(MESSAGE)) == [MESSAGE]


def test_a_message_longer_than_the_text_is_not_read() -> None:
    tree = parse(f"<p>Geese.</p><div class='error' hidden>{MESSAGE * 3}</div>")
    assert tree is not None
    assert [line.text for line in visible(segment(tree.root)).lines] == ["Geese."]


def test_a_page_of_a_message_alone_is_read() -> None:
    tree = parse(f"<div class='error' hidden>{MESSAGE}</div>")
    assert tree is not None
    assert [line.text for line in visible(segment(tree.root)).lines] == [MESSAGE]


def test_a_text_that_waits_in_an_overlay_is_read() -> None:
    text = MESSAGE * 7
    assert shown(f'<div class="overlay" hidden>{text}</div>') == [text]
