"""Link graph of a recorded web, for the oracle and the breadth-first yardstick.

The graph is deliberately not the crawler's own view of links, so that a crawler that finds fewer links scores lower:
every ``a``, ``area``, ``frame`` and ``iframe``, resolved against the base, folded to page identities.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urljoin

import lxml.etree
import lxml.html

from focuscrawl.lab.simulate.files import WebFiles, canonical

_GRAPH_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
# lxml drops what follows the first </html>; browsers do not.
_CLOSERS = re.compile(r"</(?:html|body)\s*+>|<\?xml[^>]*+(?:>|\Z)", re.IGNORECASE)


class LinkGraph:
    """Links between pages, by number. Pages that are linked to but are no HTML have a number and no links."""

    def __init__(self, links: Mapping[str, Sequence[str]]) -> None:
        self.pages: list[str] = list(links)
        self.index = {page: number for number, page in enumerate(self.pages)}
        self.targets: list[tuple[int, ...]] = [tuple(self._numbers(targets)) for targets in links.values()]
        self.targets += [()] * (len(self.pages) - len(self.targets))
        self._sources: list[list[int]] | None = None

    def _numbers(self, pages: Iterable[str]) -> Iterable[int]:
        for page in pages:
            number = self.index.get(page)
            if number is None:
                number = self.index[page] = len(self.pages)
                self.pages.append(page)
            yield number

    @property
    def sources(self) -> list[list[int]]:
        """The reverse of `targets`."""
        if self._sources is None:
            self._sources = [[] for _ in self.pages]
            for source, targets in enumerate(self.targets):
                for target in targets:
                    self._sources[target].append(source)
        return self._sources


def load_graph(root: Path, files: WebFiles, *, cache: Path | None = None) -> LinkGraph:
    """Return the link graph of a recorded web: from ``graph.json.gz`` beside it or in `cache`, else from its pages.

    Building takes some milliseconds a page; the result is kept in `cache` when that is given.
    """
    for folder in (root, cache):
        if folder is not None and (folder / "graph.json.gz").is_file():
            return LinkGraph(json.loads(gzip.decompress((folder / "graph.json.gz").read_bytes())))
    links = build_links(files)
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        (cache / "graph.json.gz").write_bytes(gzip.compress(json.dumps(links).encode(), 6))
    return LinkGraph(links)


def build_links(files: WebFiles) -> dict[str, list[str]]:
    """Return the links of every page, {page: [page, …]} in order of first occurrence, by page identity."""
    pages = [f for f in files.files if _suffix(f) in (*_GRAPH_SUFFIXES, "")]
    # By path components, as a walk in order of names meets them.
    return {page: _links_of(page, files) for page in sorted(pages, key=lambda f: f.split("/"))}


def _suffix(file: str) -> str:
    name = file.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    return name[dot:].lower() if 0 < dot < len(name) - 1 else ""


def _links_of(page: str, files: WebFiles) -> list[str]:
    host, _, inner = page.partition("/")
    url = canonical(f"http://{host}/{quote(inner, errors='surrogateescape')}")
    tree = _parse(files.read(page))
    if tree is None:
        return []
    base_tag = tree.find(".//base[@href]")
    base = url if base_tag is None else urljoin(url, base_tag.get("href", ""))
    links: dict[str, None] = {}
    for node in tree.iter("a", "area", "frame", "iframe"):
        href = node.get("href") or node.get("src")
        if not href:
            continue
        try:
            target = urljoin(base, href.strip())
        except ValueError:
            continue
        if target[:5].lower() != "http:" and target[:6].lower() != "https:":
            continue
        found = files.identity(target)
        if found is not None and found != page:
            links[found] = None
    return list(links)


def _parse(body: bytes) -> lxml.html.HtmlElement | None:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("gb18030", "replace")
    text = _CLOSERS.sub("", text.replace("\0", ""))
    if not text.strip():
        return None
    try:
        return lxml.html.fromstring(text)
    except (lxml.etree.ParserError, ValueError):
        return None
