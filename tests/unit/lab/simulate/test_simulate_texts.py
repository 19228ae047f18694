from __future__ import annotations

from pathlib import Path

import pytest
from simulate_kit import make_web

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.lab.simulate.crawl import CrawlOptions, simulate
from focuscrawl.lab.simulate.files import WebFiles
from focuscrawl.lab.simulate.pages import AnalysedPages
from focuscrawl.lab.simulate.recorded import RecordedWeb
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer


@pytest.fixture
def files(tmp_path: Path) -> WebFiles:
    return WebFiles(make_web(tmp_path / "tiny") / "www")


def test_a_text_is_what_a_crawl_extracts(files: WebFiles) -> None:
    pages = AnalysedPages(files, make_tokenizer("en"))
    answer = files.answer("http://club.test/chess/1.html")
    page = pages.get(answer)
    whole = analyse(files.read(answer.file), answer.url, content_type="text/html", tokenizer=make_tokenizer("en"))
    found = pages.texts.extract(page)
    assert page.tree is None
    assert found == RouterExtractor().extract(whole)
    assert found is not None
    assert "passed pawn" in found.text


def test_a_text_is_extracted_once_and_read_by_another_process(files: WebFiles, tmp_path: Path) -> None:
    answer = files.answer("http://club.test/chess/1.html")
    first = AnalysedPages(files, make_tokenizer("en"), cache=tmp_path / "cache")
    found = [first.texts.extract(first.get(answer)) for _ in range(2)]
    first.close()
    assert first.texts.extracted == 1
    assert first.reading_s > 0.0
    later = AnalysedPages(files, make_tokenizer("en"), cache=tmp_path / "cache")
    assert later.texts.extract(later.get(answer)) == found[0] == found[1]
    assert later.texts.extracted == 0
    later.close()


def test_a_change_of_the_extracting_code_empties_the_cache_unless_pinned(
    files: WebFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = files.answer("http://club.test/chess/1.html")

    def extracted(mark: str, pin: str) -> int:
        monkeypatch.setattr("focuscrawl.lab.simulate.texts.extracting_mark", lambda: mark)
        pages = AnalysedPages(files, make_tokenizer("en"), cache=tmp_path / "cache", pin=pin)
        pages.texts.extract(pages.get(answer))
        pages.close()
        return pages.texts.extracted

    assert [extracted("old", ""), extracted("old", ""), extracted("new", "")] == [1, 0, 1]
    assert [extracted("old", "p"), extracted("new", "p")] == [1, 0]


def test_memory_keeps_the_texts_used_last(files: WebFiles) -> None:
    pages = AnalysedPages(files, make_tokenizer("en"), memory_pages=2)
    a, b, c = (pages.get(files.answer(f"http://kitchen.test/dish/{n}")) for n in range(3))
    for dish in (a, b, a, c, a):
        pages.texts.extract(dish)
    assert pages.texts.extracted == 3
    pages.texts.extract(b)
    assert pages.texts.extracted == 4


def test_a_simulation_extracts_the_pages_its_judge_finds_relevant(tmp_path: Path) -> None:
    web = RecordedWeb(make_web(tmp_path / "tiny"))
    spec = web.spec("chess", "portal")
    step = build_step(spec, choices=StepChoices(strategy="breadth-first"))
    pages = AnalysedPages(web.files, step.topic.tokenizer)
    trace = simulate(step, spec.seeds, pages, options=CrawlOptions(100))
    assert pages.texts.extracted == sum(trace.relevant) > 0
