"""A finished run is crawled again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from simulate_kit import make_web
from typer import Typer
from typer.testing import CliRunner

from focuscrawl.cli.evaluate import evaluate
from focuscrawl.crawler.build import build_step
from focuscrawl.errors import ConfigError
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.lab.simulate.cases import CaseSettings
from focuscrawl.lab.simulate.crawl import CrawlOptions, CrawlTrace, simulate
from focuscrawl.lab.simulate.experiment import Experiment, run_experiment
from focuscrawl.lab.simulate.pages import AnalysedPages
from focuscrawl.lab.simulate.recorded import RecordedWeb
from focuscrawl.lab.simulate.replay import AS_CRAWLED, FinishedRun, ReplayedPages, is_run
from focuscrawl.page.urls import url_key
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.topic.examples import Example, examples_file, write_examples
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import dump_topic, load_topic

GONE = "http://gone.test/"  # linked to, never fetched


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, CrawlTrace]:
    """Return the folder of a breadth-first crawl of the tiny web, written by the real frontier, and what it did."""
    web = RecordedWeb(make_web(tmp_path / "tiny"))
    topic_file = tmp_path / "chess.toml"
    topic_file.write_text(dump_topic(web.spec("chess", "portal", strategy="breadth-first")), encoding="utf-8")
    spec = load_topic(str(topic_file))
    folder = tmp_path / "crawls" / "chess" / "one"
    folder.mkdir(parents=True)
    model = fit_topic(spec)

    def frontier(*, clock: Callable[[], float], wait_per_page_s: float, wait_pages: int) -> SqliteFrontier:
        return SqliteFrontier(folder / "crawl.db", clock=clock, wait_per_page_s=wait_per_page_s, wait_pages=wait_pages)

    monkeypatch.setattr("focuscrawl.lab.simulate.crawl.MemoryFrontier", frontier)
    pages = AnalysedPages(web.files, model.tokenizer)
    trace = simulate(build_step(spec, model), spec.seeds, pages, options=CrawlOptions(100, pipeline=1))
    monkeypatch.undo()
    settings = RunSettings(
        topic="chess", topic_file=str(topic_file), topic_version=spec.digest, strategy="breadth-first"
    )
    with CrawlDb.open(folder / "crawl.db") as db:
        settings.save(db)
    return folder, trace


def test_the_texts_are_those_the_run_stored(run: tuple[Path, CrawlTrace]) -> None:
    folder, _ = run
    replayed = FinishedRun(folder)
    pages = ReplayedPages(replayed, fit_topic(replayed.spec("chess", "run")).tokenizer)
    game, home = (
        pages.texts.extract(pages.get(replayed.answer(url)))
        for url in ("http://club.test/chess/3.html", "http://club.test/")
    )
    assert game is not None
    assert "passed pawn" in game.text
    assert game.title == "Chess game 3"
    assert home is None


def test_the_runs_verdicts_are_the_labels_and_its_pages_the_web(run: tuple[Path, CrawlTrace]) -> None:
    folder, trace = run
    replayed = FinishedRun(folder)
    assert [replayed.pages[page].relevant for page in replayed.order] == list(trace.relevant)
    grades = replayed.topic("chess").grades
    assert {page for page, grade in grades.items() if grade == 2} == {
        f"club.test/chess/{n}.html" for n in range(6)
    }  # the verdicts happen to be right
    assert replayed.seeds == ("http://portal.test/",)
    assert replayed.answer(GONE).status == 404
    assert replayed.answer("http://kitchen.test/dish/1").is_html
    model = fit_topic(replayed.spec("chess", "run"))
    listing = replayed.page("http://club.test/archive/", model.tokenizer)
    links = {link.url: link for link in listing.links}
    assert links["http://club.test/chess/3.html"].anchor == "chess game 3"
    assert links["http://club.test/chess/3.html"].text_tokens == ("chess", "game", "3")
    assert links["http://club.test/chess/3.html"].key == url_key("http://club.test/chess/3.html")
    assert "chess" in links["http://club.test/chess/3.html"].url_tokens
    article = replayed.page("http://club.test/chess/0.html", model.tokenizer)
    assert GONE in {link.url for link in article.links}
    graph = replayed.graph()
    known = graph.targets[graph.index["club.test/archive/"]]
    assert {graph.pages[n] for n in known} == {f"club.test/chess/{n}.html" for n in range(6)}


def test_strategies_are_compared_on_the_runs_own_pages(run: tuple[Path, CrawlTrace]) -> None:
    folder, trace = run
    experiment = Experiment(
        webs=[str(folder)],
        strategies=["oracle", "keyword-first", "breadth-first"],
        settings=CaseSettings(pipeline=1, batch=1),
    )
    results = {r.strategy: r for r in run_experiment(experiment)}
    assert list(results) == ["oracle", "keyword-first", "breadth-first", AS_CRAWLED]
    own = results[AS_CRAWLED]
    assert (own.start, own.relevant, own.budget, own.fetched) == ("run", 6, len(trace.order), len(trace.order))
    assert own.harvest == pytest.approx(6 / len(trace.order))
    assert results["oracle"].vs_oracle == 1.0
    assert own.vs_oracle < results["keyword-first"].vs_oracle <= 1.0
    # Every page of the run is found again, whatever the order, and no other.
    assert results["keyword-first"].fetched == results["breadth-first"].fetched == len(trace.order)
    assert results["keyword-first"].judge_precision == 1.0


def test_command_takes_a_run_by_folder_or_name(run: tuple[Path, CrawlTrace], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = run
    monkeypatch.chdir(folder.parent.parent.parent)
    app = Typer()
    app.command()(evaluate)
    for reference in (str(folder), "chess", "latest"):
        if reference != str(folder):
            folder = folder.rename(folder.with_name("20260101T000000Z"))  # names are looked up among runs named so
        done = CliRunner().invoke(app, [reference, "--strategies", "keyword-first,random", "--against", AS_CRAWLED])
        assert done.exit_code == 0, done.output
        assert "CPU ms" in done.stdout
        assert "hosts" in done.stdout
        assert f"keyword-first - {AS_CRAWLED}" in done.stdout
        assert "only its own pages can be fetched" in " ".join(done.stdout.split())
    with pytest.raises(ConfigError, match="--against magic: is not among the strategies compared"):
        CliRunner().invoke(app, ["chess", "--against", "magic"], catch_exceptions=False)


def test_a_run_whose_topic_is_another_now_is_refused(run: tuple[Path, CrawlTrace]) -> None:
    folder, _ = run
    assert is_run(folder)
    assert not is_run(folder.parent)
    topic_file = folder.parents[2] / "chess.toml"
    topic_file.write_text(topic_file.read_text(encoding="utf-8").replace("gambit", "zugzwang"), encoding="utf-8")
    with pytest.raises(ConfigError, match="has changed since the run"):
        FinishedRun(folder)
    topic_file.unlink()
    with pytest.raises(ConfigError, match="cannot be read"):
        FinishedRun(folder)


def test_examples_that_came_after_a_run_are_named_and_not_its_topic_file(run: tuple[Path, CrawlTrace]) -> None:
    folder, _ = run
    topic_file = folder.parents[2] / "chess.toml"
    write_examples(
        examples_file(topic_file), "chess", [Example(url="http://club.test/", relevant=False, text="a club")]
    )
    with pytest.raises(
        ConfigError, match=r"the examples in .*chess\.examples\.toml have changed .* teach .* --questions 0"
    ):
        FinishedRun(folder)


def test_a_run_without_a_page_is_refused(tmp_path: Path) -> None:
    async def make() -> None:
        frontier = SqliteFrontier(tmp_path / "crawl.db")
        await frontier.open()
        await frontier.close()

    asyncio.run(make())
    with pytest.raises(ConfigError, match="fetched no page"):
        FinishedRun(tmp_path)
