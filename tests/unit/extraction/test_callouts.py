"""Callouts of documentation generators, which are few words of many pages, so that they look like boxes beside them."""

from __future__ import annotations

import numpy as np
import pytest

from focuscrawl.extraction.callouts import with_callouts
from focuscrawl.extraction.segments import segment
from focuscrawl.page.tree import parse

NOTE = '<p class="title">Ice</p><p>Locks close in frost.</p>'


def taken(html: str, judged: dict[str, float]) -> list[str]:
    """Return the lines taken when those `judged` at 0.6 or more are, all others being judged at 0.3."""
    tree = parse(f"<body>{html}</body>")
    assert tree is not None
    found = segment(tree.root)
    p = np.array([judged.get(line.text, 0.3) for line in found.lines], np.float32)
    chosen = with_callouts(found, p >= 0.6, p, np.ones(len(p), np.float32))
    return [found.lines[at].text for at in np.flatnonzero(chosen)]


@pytest.mark.parametrize(
    "callout",
    [
        f'<div class="admonition warning">{NOTE}</div>',
        f'<aside aria-label="Ice" class="starlight-aside starlight-aside--note">{NOTE}</aside>',
        f'<div class="theme-admonition theme-admonition-note"><div>{NOTE}</div></div>',
        f'<div class="callout callout-note"><div class="admonition">{NOTE}</div></div>',
    ],
)
@pytest.mark.parametrize(
    "page",
    [
        "<main><p>one</p>{}<p>two</p></main>",
        "<main><p>one</p>{}</main>",
        "<main>{}<p>one</p></main>",
        "<main><p>one</p><p>other</p>{}<p>other</p><p>two</p></main>",
    ],
)
def test_a_callout_beside_or_between_lines_taken_is_taken(callout: str, page: str) -> None:
    chosen = taken(page.format(callout), {"one": 0.9, "two": 0.9})
    assert [text for text in chosen if text not in ("one", "two")] == ["Ice", "Locks close in frost."]


def test_a_callout_is_taken_whole_but_for_its_controls() -> None:
    callout = f'<div class="admonitionblock note">{NOTE}<p>Fold</p></div>'
    judged = {"Locks close in frost.": 0.7, "Fold": 0.0}
    assert taken(f"<main><p>other</p>{callout}</main>", judged) == ["Ice", "Locks close in frost."]


@pytest.mark.parametrize(
    "page",
    [
        f"<main><p>one</p><div class=box>{NOTE}</div><p>two</p></main>",  # no callout
        f"<main><p>one</p></main><div class=callout>{NOTE}</div>",  # beside the block of the text
        f"<main><p>one</p><p>other</p><div class=callout>{NOTE}</div></main>",  # some way below it
        "<main><p>one</p><div class=callout><a href='/a'>Ice</a> now</div><p>two</p></main>",
        f"<main><p>one</p><div class=callout>{'<p>Locks close in frost.</p>' * 200}</div><p>two</p></main>",
        "<main><p>one</p><div class=callout><p>unlikely</p></div><p>two</p></main>",
    ],
)
def test_other_blocks_stay_as_they_were_judged(page: str) -> None:
    assert set(taken(page, {"one": 0.9, "two": 0.9, "unlikely": 0.1})) <= {"one", "two"}
