"""A crawl whose ranking grows with its link graph, stopped and taken up again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from crawl_kit import crawl_here, topic_file
from site_kit import Site

from focuscrawl.crawler import step
from focuscrawl.ranking.ipagerank import Pushed


def test_the_graph_is_taken_up_with_the_run(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "_SNAPSHOT_PAGES", 5)
    path = topic_file(tmp_path, site.url("/"))
    path.write_text(path.read_text(encoding="utf-8") + '\n[ranking]\nstrategy = "ipagerank"\n', encoding="utf-8")
    crawl_here(tmp_path / "run", topic=str(path), pages=20)
    done = crawl_here(tmp_path / "run", pages=30)
    assert set(Counter(site.paths()).values()) == {1}
    assert done.session is not None
    ranker = done.session.crawl.step.ranker
    assert isinstance(ranker, Pushed)
    assert ranker.pages == 30  # 20 taken up, 10 fetched
    graph = ranker.graph
    for record in done.pages():
        number = graph.id_of(record.key)
        assert graph.fetched[number]
        assert graph.relevance[number] == pytest.approx(record.relevance, abs=1e-6)
    assert ranker.engine.drift() < 1e-9
    assert [record.parts.keys() >= {"inflow"} for record in done.pages()].count(True) >= 25
