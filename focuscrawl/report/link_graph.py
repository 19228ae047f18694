"""Link graph of a run, of its pages or its hosts, as GraphML or GEXF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import RawIOBase
from typing import TYPE_CHECKING, BinaryIO

from focuscrawl.errors import StoreError
from focuscrawl.records import Outcome, PageRecord
from focuscrawl.storage.keys import hex_key
from focuscrawl.storage.reading import PageQuery, RunReader
from focuscrawl.types import HostKey, UrlKey

if TYPE_CHECKING:
    from networkx import DiGraph

MOST_LINKS = 1_000_000
"""Links between pages that a graph may have: it is built in memory."""

Wanted = Callable[[PageRecord], bool]
# XML 1.0 cannot hold other characters, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def page_graph(run: RunReader, wanted: Wanted) -> DiGraph:
    """Return fetched pages and the links between them; a page's id is its key in hexadecimal.

    Raises
    ------
    StoreError
        If the run has no links where it is read from, or more than memory should take.
    """
    from networkx import DiGraph

    graph = DiGraph()
    ids: dict[UrlKey, str] = {}
    for page in _pages(run, wanted):
        ids[page.key] = hex_key(page.key)
        graph.add_node(
            ids[page.key],
            label=_xml(page.title or page.final_url),
            url=_xml(page.final_url),
            host=_xml(page.host),
            relevance=page.relevance,
            relevant=page.relevant,
            score=page.score,
            priority=page.priority,
            depth=page.depth,
            order=len(ids),
        )
    links = 0
    for source, targets in _links(run, ids):
        found = {ids[target] for target in targets if target != source}
        links += len(found)
        if links > MOST_LINKS:
            raise StoreError(
                f"{run.place}: there are more than {MOST_LINKS:,} links between its pages, too many for a graph in"
                " memory; export the graph of its hosts with --hosts."
            )
        graph.add_edges_from((ids[source], target) for target in found)
    return graph


@dataclass(slots=True)
class HostPages:
    """Fetched pages of a host."""

    pages: int = 0
    relevant: int = 0
    relevance: float = 0.0  # sum over the pages
    score: float = 0.0  # sum over the pages


def host_links(run: RunReader, wanted: Wanted) -> tuple[dict[HostKey, HostPages], Counter[tuple[HostKey, HostKey]]]:
    """Return the hosts of fetched pages, and from which to which how many links lead, those inside a host as well.

    Raises
    ------
    StoreError
        If the run has no links where it is read from.
    """
    hosts: dict[HostKey, HostPages] = {}
    host_of: dict[UrlKey, HostKey] = {}
    for page in _pages(run, wanted):
        host_of[page.key] = name = _xml(page.host)
        host = hosts.setdefault(name, HostPages())
        host.pages += 1
        host.relevant += page.relevant
        host.relevance += page.relevance
        host.score += page.score
    links: Counter[tuple[HostKey, HostKey]] = Counter()
    for source, targets in _links(run, host_of):
        links.update((host_of[source], host_of[target]) for target in targets)
    return hosts, links


def host_graph(run: RunReader, wanted: Wanted) -> DiGraph:
    """Return the hosts of fetched pages; the weight of an edge is the number of links from one to the other.

    Raises
    ------
    StoreError
        If the run has no links where it is read from.
    """
    from networkx import DiGraph

    hosts, links = host_links(run, wanted)
    graph = DiGraph()
    for name, host in hosts.items():
        graph.add_node(
            name,
            label=name,
            pages=host.pages,
            relevant=host.relevant,
            relevance=host.relevance / host.pages,
            score=host.score / host.pages,
            inner_links=links.pop((name, name), 0),
        )
    graph.add_weighted_edges_from((source, target, count) for (source, target), count in links.items())
    return graph


def write_graph(graph: DiGraph, file: BinaryIO | RawIOBase, format_: str) -> None:
    """Write a graph as ``graphml`` or ``gexf``."""
    import networkx

    write = networkx.write_graphml if format_ == "graphml" else networkx.write_gexf
    write(graph, file)


def _pages(run: RunReader, wanted: Wanted) -> Iterator[PageRecord]:
    with closing(run.pages(PageQuery(outcome=Outcome.DONE, with_text=False))) as pages:
        yield from filter(wanted, pages)


def _links(run: RunReader, pages: Collection[UrlKey]) -> Iterator[tuple[UrlKey, list[UrlKey]]]:
    """Yield each of `pages` that has links with those of them that lead to others, by whichever address."""
    addresses = {key: page for key, page in run.other_addresses() if page in pages}
    for source, targets in run.edges():
        if source in pages:
            yield source, [page for key in targets if (page := addresses.get(key, key)) in pages]


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
