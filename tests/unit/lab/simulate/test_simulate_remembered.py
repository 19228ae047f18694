"""What crawls of one topic share changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from simulate_kit import make_web

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.step import PageStep
from focuscrawl.lab.simulate.crawl import CrawlOptions, CrawlTrace, simulate
from focuscrawl.lab.simulate.generator import generate_web
from focuscrawl.lab.simulate.generator_knobs import WebKnobs
from focuscrawl.lab.simulate.pages import AnalysedPages
from focuscrawl.lab.simulate.recorded import RecordedWeb
from focuscrawl.lab.simulate.remembered import RememberingJudge, RememberingScorer, TopicMemory, remembering_judge
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.scoring.base import LinkScorer, PageScorer
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.judge_focus import FocusJudge
from focuscrawl.topic.judge_vsm import VsmJudge
from focuscrawl.topic.model import fit_topic
from focuscrawl.types import Explained

STRATEGIES = ("apprentice", "rwb", "dom")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    return RecordedWeb(generate_web(tmp_path_factory.mktemp("web"), WebKnobs(hosts=5, articles=25, trap_pages=20)))


@pytest.fixture(scope="module")
def model(web: RecordedWeb) -> TopicModel:
    return fit_topic(web.spec(web.topic_names()[0], "portal"))


@pytest.fixture(scope="module")
def pages(web: RecordedWeb, model: TopicModel) -> AnalysedPages:
    return AnalysedPages(web.files, model.tokenizer)


def step_of(
    web: RecordedWeb, model: TopicModel, strategy: str, memory: TopicMemory | None, *, seed: int = 0
) -> PageStep:
    spec = web.spec(web.topic_names()[0], "portal", strategy=strategy)
    step = build_step(spec, model, choices=StepChoices(seed=seed))
    if memory is not None:
        step.judge = remembering_judge(step.judge, memory)
        step.scorer = RememberingScorer(step.scorer, memory)
    return step


def crawl(
    web: RecordedWeb, model: TopicModel, pages: AnalysedPages, strategy: str, memory: TopicMemory | None, seed: int = 0
) -> CrawlTrace:
    step = step_of(web, model, strategy, memory, seed=seed)
    trace = simulate(step, ["http://portal.test/"], pages, options=CrawlOptions(60, seed=seed))
    return replace(trace, cpu_s=0.0)


def test_crawls_that_share_a_memory_are_those_that_share_none(
    web: RecordedWeb, model: TopicModel, pages: AnalysedPages
) -> None:
    memory = TopicMemory()
    for strategy in STRATEGIES:
        for seed in (0, 1):
            alone = crawl(web, model, pages, strategy, None, seed)
            assert crawl(web, model, pages, strategy, memory, seed) == alone, strategy
    assert len(memory.pages) > 60
    assert ("rwb", 0) in memory.links  # its draws depend on the seed,
    assert ("rwb", 1) in memory.links
    assert ("quality", None) in memory.links  # others do not


class Counting(LinkScorer):
    """A scorer that says how often it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = 0

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        self.asked += 1
        return [Explained(0.1 * (link.position % 10)) for link in links]


class Repeatable(Counting):
    """One whose scores depend on page and topic alone."""

    repeatable = True


def test_only_repeatable_scorers_are_remembered_and_each_link_keeps_its_score(model: TopicModel) -> None:
    links = "".join(f'<p><a href="/{n}">link {n}</a></p>' for n in range(7))
    page = analyse(f"<body>{links}</body>".encode(), "http://e.test/", tokenizer=model.tokenizer)
    ours, foreign = Repeatable("ours"), Counting("foreign")
    plain = PageScorer({"ours": ours, "foreign": foreign})
    remembering = RememberingScorer(plain, TopicMemory())
    for picked in ((0, 3, 4), (6,), range(7), ()):
        some = [page.links[i] for i in picked]
        found = remembering.score(some, page, model)
        assert list(found) == ["ours", "foreign"]
        assert found == {name: [Explained(0.1 * i) for i in picked] for name in found}
    assert (ours.asked, foreign.asked) == (1, 4)


def test_a_judge_that_learns_more_than_a_threshold_is_asked_every_time(tmp_path: Path) -> None:
    class Drifting(FocusJudge):
        def snapshot(self) -> dict[str, object]:
            return super().snapshot() | {"terms": {}}

    class Deciding(FocusJudge):
        def judge(self, page: PageAnalysis):  # type: ignore[no-untyped-def]
            return super().judge(page)

    topic = fit_topic(RecordedWeb(make_web(tmp_path)).spec("chess", "near"))
    assert isinstance(remembering_judge(FocusJudge(topic), TopicMemory()), RememberingJudge)
    for judge in (VsmJudge(topic), Drifting(topic), Deciding(topic)):
        assert remembering_judge(judge, TopicMemory()) is judge
