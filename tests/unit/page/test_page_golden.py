"""Whole pages against what was read off them by eye; a folder for each under golden/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from page_kit import CharTokenizer

from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import Link, PageAnalysis

GOLDEN = Path(__file__).parent / "golden"
_LINKS_SHOWN = 12
_BLOCKS_SHOWN = 24


def _link(link: Link) -> dict[str, Any]:
    shown: dict[str, Any] = {"url": link.url, "tag": link.tag, "anchor": link.anchor}
    for name in ("image_text", "area_text", "frame_text", "title", "name", "onmouseover", "src", "heading"):
        if getattr(link, name):
            shown[name] = getattr(link, name)
    shown |= {"block": link.block, "position": link.position, "dom_sig": "/".join(link.dom_sig)}
    shown["surrounding"] = " ".join(link.surrounding_tokens)
    if link.rel:
        shown["rel"] = sorted(link.rel)
    if link.nofollow:
        shown["nofollow"] = True
    if link.multiplicity > 1:
        shown["multiplicity"] = link.multiplicity
    return shown


def summary(page: PageAnalysis) -> dict[str, Any]:
    return {
        "encoding": page.encoding,
        "title": page.title,
        "headings": list(page.headings),
        "description": page.description,
        "keywords": list(page.keywords),
        "canonical": page.canonical,
        "robots": [page.noindex, page.nofollow],
        "kind": str(page.kind),
        "language": page.language,
        "feeds": [[feed.url, feed.title, feed.type] for feed in page.feeds],
        "paragraphs": page.tree.content_paragraphs()[:_BLOCKS_SHOWN] if page.tree else [],
        "content": " ".join(page.content_tokens[:200]),
        "n_links": len(page.links),
        "links": [_link(link) for link in page.links[:_LINKS_SHOWN]],
        "dropped_links": page.dropped_links,
        "blocks": [
            [block.tag, block.parent, block.siblings, block.chars, block.link_chars, block.boilerplate]
            for block in page.blocks[:_BLOCKS_SHOWN]
        ],
        "truncated": page.truncated,
        "empty_reason": page.empty_reason,
    }


def _analysed(case: Path) -> PageAnalysis:
    given = json.loads((case / "input.json").read_text(encoding="utf-8"))
    body = (case / "page.html").read_bytes()
    return analyse(
        body, given["url"], content_type=given["content_type"], tokenizer=CharTokenizer(), **given["options"]
    )


@pytest.mark.parametrize("case", sorted(GOLDEN.iterdir()), ids=lambda case: case.name)
def test_golden_page(case: Path) -> None:
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    found = summary(_analysed(case))
    for name, value in expected.items():
        assert found[name] == value, f"{case.name}: {name}"
    assert found.keys() == expected.keys()
