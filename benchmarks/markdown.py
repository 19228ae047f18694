"""How much of a page's structure Markdown keeps: ours beside trafilatura's, on labelled pages.

    python benchmarks/markdown.py SETS [--pages 100] [--seed 1] [--only a,b]

An element of the page (heading, list item, table cell, link, block of code) whose whole text stands in the labelled
main text should be in the Markdown as what it is. Both are read back by markdown-it: R is the share of these elements
that are found there as such, P the share of those found that are among them. Links count with their address. Elements
of less than 2 characters, and items and cells of more than 300, are left out.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from extraction_pages import Truth, read_body, read_sets
from lxml import html
from markdown_it import MarkdownIt
from trafilatura import extract

from focuscrawl.api.pages import page_tokenizer
from focuscrawl.extraction.markdown import to_markdown
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.page.analysis import analyse

KINDS = ("heading", "item", "cell", "link", "code")
_TAGS = {**dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"), "li": "item", "td": "cell", "th": "cell"}
_TAGS |= {"a": "link", "pre": "code"}
_LONGEST = 300
_reader = MarkdownIt("commonmark", {"html": False}).enable("table")


def squeezed(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def elements(root: Any, url: str) -> Iterator[tuple[str, str]]:
    """Yield kind and text of the elements that count."""
    for element in root.iter(*_TAGS):
        kind, text = _TAGS[element.tag], squeezed("".join(element.itertext()))
        if len(text) < 2 or (kind in ("item", "cell") and len(text) > _LONGEST):
            continue
        if kind == "link":
            href = element.get("href") or ""
            if not href or href.startswith(("#", "mailto:", "javascript:")):
                continue
            text += " " + urljoin(url, href).partition("#")[0].rstrip("/").partition("://")[2].lower()
        yield kind, text


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="NAMES", help="Sets by commas; all by default.")
    given = parser.parse_args()
    pages = [(name, truth) for name, truth in read_sets(given.sets, [one for one in given.only.split(",") if one])]
    random.Random(given.seed).shuffle(pages)
    extractor, tokenizer = RouterExtractor(), page_tokenizer()
    wanted: Counter[str] = Counter()
    kept: dict[str, Counter[str]] = defaultdict(Counter)
    made: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    done = 0
    for name, truth in pages:
        if done == given.pages:
            break
        body, url, gold = read_body(given.sets, name, truth), _url(truth), squeezed(truth.get("text") or "")
        page = analyse(body, url, tokenizer=tokenizer)
        if not gold or page.tree is None:
            continue
        done += 1
        in_text = Counter(pair for pair in elements(page.tree.root, url) if pair[1].partition(" ")[0] in gold)
        wanted.update(kind for kind, _ in in_text.elements())
        source = html.tostring(page.tree.root, encoding="unicode")
        found = extractor.extract(page)
        makers: dict[str, Callable[[], str]] = {
            "focuscrawl": lambda found=found, page=page: to_markdown(found.text if found else "", page.tree, page.url),
            "trafilatura": lambda source=source, url=url: (
                extract(source, url=url, output_format="markdown", include_links=True, include_formatting=True) or ""
            ),
        }
        for who, make in makers.items():
            begin = time.process_time()
            text = make()
            seconds[who] += time.process_time() - begin
            read = Counter(elements(html.fromstring(f"<div>{_reader.render(text)}</div>"), url))
            made[who].update(kind for kind, _ in read.elements())
            kept[who].update(kind for kind, _ in (read & in_text).elements())
    print(f"{done} pages\n\n| | | {' | '.join(KINDS)} | ms a page |\n| --- | --- |{' --- |' * (len(KINDS) + 1)}")
    print(f"| on the pages | | {' | '.join(f'{wanted[kind]:,}' for kind in KINDS)} | |")
    for who in ("focuscrawl", "trafilatura"):
        for label, of in (("R", wanted), ("P", made[who])):
            shares = " | ".join(f"{kept[who][kind] / of[kind]:.3f}" if of[kind] else "–" for kind in KINDS)
            cost = f"{1000 * seconds[who] / done:.1f}" if label == "R" else ""
            print(f"| {who} | {label} | {shares} | {cost} |")


def _url(truth: Truth) -> str:
    return str(truth.get("url") or "http://page.example/")


if __name__ == "__main__":
    main()
