"""Which pages are looked at closer for a shell that scripts fill, by their bytes alone."""

from __future__ import annotations

import pytest

from focuscrawl.page.scripted import (
    NEEDS_JAVASCRIPT,
    has_needed_javascript,
    may_need_javascript,
    not_rendered,
)

SHELL = b'<!doctype html><title>A</title><div id="root"></div><script src=a.js></script>'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (SHELL, True),
        (SHELL.upper(), True),
        (SHELL.replace(b"</script>", b"var a = '" + b"word " * 2000 + b"'</script>"), True),
        (b"<noscript>Please turn on JavaScript</noscript><SCRIPT src=a></SCRIPT>", True),
        (SHELL.replace(b"></div>", b">" + b"words " * 500 + b"</div>"), False),
        (SHELL.replace(b"script", b"scrip"), False),
        (b"<p>plain</p><script src=a></script>", False),
    ],
)
def test_shells_are_looked_at_closer(body: bytes, expected: bool) -> None:
    assert may_need_javascript(body) is expected


def test_reasons_of_pages_that_need_javascript_are_told_from_others() -> None:
    assert has_needed_javascript(NEEDS_JAVASCRIPT)
    assert has_needed_javascript(not_rendered("its scripts take more than 30 s"))
    assert not has_needed_javascript("no text and no links")
