"""Pages that need JavaScript."""

from __future__ import annotations

import pytest

from focuscrawl.page.analysis import analyse
from focuscrawl.page.scripted import NEEDS_JAVASCRIPT
from focuscrawl.text.tokenize import make_words

_SCRIPT = '<script src="/main.js"></script>'
_TEXT = "<p>" + "The keeper trims the lamp and polishes the lens of the tower by night. " * 8 + "</p>"


def reason_of(body: str) -> str:
    page = f"<html><head><title>Tower</title></head><body>{body}</body></html>"
    return analyse(page.encode(), "http://a.example/", tokenizer=make_words(language="en")).empty_reason


@pytest.mark.parametrize(
    "body",
    [
        f'<div id="root"></div>{_SCRIPT}',
        f'<div id="app">Loading …</div>{_SCRIPT}',
        f'<div id="__next"><div></div></div>{_SCRIPT}',
        f"<app-root></app-root>{_SCRIPT}",
        f"<noscript>You need to enable JavaScript to run this app.</noscript><div></div>{_SCRIPT}",
        f"<noscript>请启用 JavaScript 后再访问本站</noscript><div></div>{_SCRIPT}",
    ],
)
def test_the_shell_of_an_application_needs_javascript(body: str) -> None:
    assert reason_of(body) == NEEDS_JAVASCRIPT


@pytest.mark.parametrize(
    "body",
    [
        f'<div id="root">{_TEXT}</div>{_SCRIPT}',
        f"<noscript>Enable JavaScript for the map.</noscript>{_TEXT}{_SCRIPT}",
        '<div id="root"></div><p>A short note.</p>',
        f"<p>A short note.</p>{_SCRIPT}",
        f'<noscript><img src="https://count.example/p.gif"></noscript><p>A short note.</p>{_SCRIPT}',
        f'<div id="root"><p>A short note of some fifty letters that was written by the server.</p></div>{_SCRIPT}',
    ],
)
def test_a_page_with_its_text_does_not(body: str) -> None:
    assert reason_of(body) == ""


def test_a_page_with_nothing_at_all_is_still_said_to_have_nothing() -> None:
    page = b"<html><head></head><body><div></div></body></html>"
    found = analyse(page, "http://a.example/", tokenizer=make_words(language="en"))
    assert found.empty_reason == "no text and no links"
