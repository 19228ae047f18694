"""Lists of addresses: OPML, sitemaps and their indexes, plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from focuscrawl.seeding.candidates import Candidate, candidate

_URL = re.compile(r"https?://[^\s<>\"'`\x00-\x1f，。；、）】》]+", re.IGNORECASE)
_LINK_IN_MARKDOWN = re.compile(r"\[([^\]\n]{1,200})\]\((https?://[^\s<>()\"']+)\)")


def opml(root: etree._Element) -> Iterator[Candidate]:
    """Yield what an OPML outline names: the site of each feed where there is one, else the feed itself."""
    for outline in root.iter("{*}outline"):
        address = outline.get("htmlUrl") or outline.get("url") or outline.get("xmlUrl") or ""
        above = outline.getparent()
        folder = above.get("text", "") if above is not None and above.tag == outline.tag else ""
        found = candidate(
            address,
            title=outline.get("title") or outline.get("text") or "",
            snippet=outline.get("description") or "",
            source=folder or "OPML",
        )
        if found is not None:
            yield found


def sitemap(root: etree._Element) -> Iterator[Candidate]:
    """Yield the addresses of a sitemap, or the sitemaps of an index (sitemaps.org, 0.9)."""
    kind = "sitemap index" if etree.QName(root).localname == "sitemapindex" else "sitemap"
    for place in root.iterfind("{*}*/{*}loc"):
        found = candidate(place.text or "", source=kind)
        if found is not None:
            yield found


def plain_list(text: str) -> tuple[list[Candidate], list[tuple[int, str]]]:
    """Return the addresses in a text, and the lines that were meant as such and hold none, with their numbers.

    The text is a list with a URL a line, links of Markdown, or prose that names some. A line of one word that is no
    comment was meant as an address: `tea.example`, `ftp://tea.example/`.
    """
    found: list[Candidate] = []
    left_out: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        known = len(found)
        found.extend(_addresses(line))
        if len(found) == known and len(words := line.split(maxsplit=1)) == 1 and not words[0].startswith("#"):
            left_out.append((number, words[0]))
    return found, left_out


def _addresses(line: str) -> Iterator[Candidate]:
    titles = {found[2]: found[1] for found in _LINK_IN_MARKDOWN.finditer(line)}
    for match in _URL.finditer(line):
        address = match[0].rstrip(".,;:!?")
        if address.count("(") < address.count(")"):
            address = address.rstrip(")")
        found = candidate(address, title=titles.get(address, ""), source="list")
        if found is not None:
            yield found
