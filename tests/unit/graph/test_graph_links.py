"""The link graph in arrays, beside a dictionary of lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.graph.links import GraphLimits, LinkGraph

urls = st.integers(0, 14)
pages = st.lists(st.tuples(urls, st.sets(urls, max_size=6), st.sampled_from([0.0, 0.5, 1.0])), max_size=25)


def add(graph, source, targets, relevance=0.0, **options):
    number, ids = graph.number(source, np.array(sorted(targets), np.uint64))
    weights = (ids.astype(np.float32) + 1) / 100 if graph.weighted else None
    graph.set_row(number, ids, weights, relevance=relevance, **options)
    return number


def rows_of(graph):
    key = graph.table.keys.tolist()
    return {
        key[source]: {key[target] for target in graph.targets_of(source)}
        for source in np.flatnonzero(graph.degree).tolist()
    }


@settings(max_examples=60, deadline=None)
@given(pages, st.integers(1, 12))
def test_rows_are_those_of_a_dictionary(pages, slice_of):
    graph, rows, relevance = LinkGraph(weighted=True), {}, {}
    for source, targets, value in pages:
        targets = targets - {source}
        add(graph, source, targets, value)
        rows[source], relevance[source] = targets, value
    filled = {source: targets for source, targets in rows.items() if targets}
    assert rows_of(graph) == filled
    for source in rows:
        number = graph.id_of(source)
        assert graph.fetched[number]
        assert graph.relevance[number] == relevance[source]
        assert np.allclose(graph.weights_of(number), (graph.targets_of(number) + 1) / 100)
    for number, key in enumerate(graph.table.keys.tolist()):
        assert graph.in_links[number] == sum(key in targets for targets in rows.values())
    key = graph.table.keys.tolist()
    found, row = [], 0
    while row < graph.rows:
        row, sources, starts, targets = graph.block(row, slice_of)
        for source, links in zip(sources, np.split(targets, starts[1:]), strict=True) if len(sources) else ():
            found += [(key[source], key[target]) for target in links]
    assert sorted(found) == sorted((source, target) for source, targets in rows.items() for target in targets)
    sources, targets, weights = graph.edges()
    assert sorted(zip(sources.tolist(), targets.tolist(), strict=True)) == sorted(
        (key.index(source), key.index(target)) for source, target in found
    )
    assert np.allclose(weights, (targets + 1) / 100)


def test_old_rows_make_room_for_new_ones():
    told = []
    graph = LinkGraph(GraphLimits(urls=1000, links=100), weighted=True)
    for page in range(200):
        links = range(1000 + page, 1010 + page)
        add(graph, page, links, before_drop=lambda old: told.extend(graph.table.keys[old].tolist()))
        assert graph.link_count <= 100
        assert set(rows_of(graph)[page]) == set(links)
    rows = rows_of(graph)
    assert set(rows) == set(range(200 - len(rows), 200))
    assert 5 <= len(rows) <= 10
    assert told == list(range(200 - len(rows)))
    assert graph.dropped_rows == len(told)
    number = graph.id_of(199)
    assert np.allclose(graph.weights_of(number), (graph.targets_of(number) + 1) / 100)
    assert graph.in_links[graph.id_of(1009)] == 10  # counted before the rows went


def test_a_url_costs_little():
    graph = LinkGraph()
    for page in range(300):
        add(graph, page, range(1000 + 100 * page, 1100 + 100 * page))
    assert graph.nbytes / len(graph) < 120
