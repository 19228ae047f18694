"""HTML made of texts that are no HTML: paragraphs and links of PDFs, addresses in plain text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import re2

from focuscrawl.page.tree import MAX_LINKS_LOOKED_AT

if TYPE_CHECKING:
    from focuscrawl.page.pdf import PdfPage, PdfText

_URL = re2.compile(r"https?://[^\s<>\"'()\[\]{}|\\^`，。；、（）《》「」]+")
_AFTER_URL = ".,;:!?"
_SENTENCE_END = (".", "!", "?", ":", "。", "！", "？", "：", "…", '."', ".)", "」", "”")
# A line that ends a sentence and leaves so much of the longest line free ends a paragraph.
_SHORT_LINE = 0.8
_MOST_TITLE_CHARS = 200
# The first line of a text, or its first heading in Markdown, with an empty line or a line of marks below it.
_TITLE_LINE = re.compile(r"\ufeff?[\r\n]{0,9}(?:#{1,6} )?([^\s#][^\r\n]{1,99})\r?\n(?:[=-]{2,99}\r?\n|\r?\n)")
_CJK = 0x2E80  # the first of the characters of Chinese and its punctuation
# What programs write into the title that nobody gave.
_NO_TITLES = ("untitled", "microsoft word", "powerpoint", "slide 1", "无标题")
_NO_TITLE_ENDS = (".doc", ".docx", ".dvi", ".indd", ".tex", ".qxd", ".pdf", ".ppt", ".pptx", ".rtf")


def pdf_html(found: PdfText) -> bytes:
    """Return a page, in UTF-8, that says what a PDF says: a paragraph for each of its own, links where they stand."""
    title = _title(found)
    body = "".join(f"<div>{_page(page)}</div>\n" for page in found.pages)
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{html.escape(title)}</title></head>'
        f"<body>\n{body}</body></html>"
    ).encode("utf-8", "replace")


def text_html(text: str) -> str:
    """Return plain text or Markdown as HTML whose addresses are links, with its title where its first line is one.

    >>> text_html("# Old roses\\n\\nThey smell.")
    '<title>Old roses</title><pre># Old roses\\n\\nThey smell.</pre>'
    """
    head = _TITLE_LINE.match(text)
    title = f"<title>{html.escape(head[1].rstrip('# '))}</title>" if head is not None else ""
    return f"{title}<pre>{linked(text)}</pre>"


def linked(text: str) -> str:
    """Return a text as HTML whose addresses are links, as many as are looked at of a page.

    >>> linked("see https://a.org/b, <there>")
    'see <a href="https://a.org/b">https://a.org/b</a>, &lt;there&gt;'
    """
    parts: list[str] = []
    done = 0
    for match in islice(_URL.finditer(text), MAX_LINKS_LOOKED_AT):
        url = match.group().rstrip(_AFTER_URL)
        start = match.start()
        parts += (html.escape(text[done:start], quote=False), _link(url, url))
        done = start + len(url)
    parts.append(html.escape(text[done:], quote=False))
    return "".join(parts)


def _page(page: PdfPage) -> str:
    links = {link.url: link.text for link in page.links}
    out = [f"<p>{_with_links(paragraph, links)}</p>" for paragraph in _paragraphs(page.text.splitlines())]
    # What is left stands nowhere as a text of its own.
    out += [f"<p>{_link(url, text or url)}</p>" for url, text in links.items()]
    return "".join(out)


def _with_links(paragraph: str, links: dict[str, str]) -> str:
    """Return a paragraph as HTML; the links that were found in it are taken out of `links`."""
    here: list[tuple[int, int, str]] = []
    for url, text in list(links.items()):
        at = paragraph.find(text) if text else -1
        if at >= 0 and not any(at < end and start < at + len(text) for start, end, _ in here):
            here.append((at, at + len(text), url))
            del links[url]
    out: list[str] = []
    done = 0
    for start, end, url in sorted(here):
        out += (linked(paragraph[done:start]), _link(url, paragraph[start:end]))
        done = end
    return "".join((*out, linked(paragraph[done:])))


def _link(url: str, text: str) -> str:
    return f'<a href="{html.escape(url)}">{html.escape(text, quote=False)}</a>'


def _paragraphs(lines: Sequence[str]) -> Iterable[str]:
    """Yield the paragraphs of a page: words that were cut at the end of a line are whole again."""
    longest = max((len(line) for line in lines), default=0)
    parts: list[str] = []
    for raw in lines:
        line = " ".join(raw.split())
        if line:
            _join(parts, line)
        if parts and (not line or (line.endswith(_SENTENCE_END) and len(line) < _SHORT_LINE * longest)):
            yield "".join(parts)
            parts = []
    if parts:
        yield "".join(parts)


def _join(parts: list[str], line: str) -> None:
    if parts:
        before = parts[-1]
        if before.endswith("-") and before[-2:-1].isalpha() and line[0].islower():
            parts[-1] = before[:-1]
        elif ord(before[-1]) < _CJK or ord(line[0]) < _CJK:  # Chinese has no spaces, and none at the end of a line
            parts.append(" ")
    parts.append(line)


def _title(found: PdfText) -> str:
    title = found.title.strip()
    low = title.lower()
    if title and not low.startswith(_NO_TITLES) and not low.endswith(_NO_TITLE_ENDS):
        return title[:_MOST_TITLE_CHARS]
    for line in found.text.splitlines():
        if any(char.isalpha() for char in line):
            return " ".join(line.split())[:_MOST_TITLE_CHARS]
    return ""
