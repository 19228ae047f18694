from __future__ import annotations

from pathlib import Path

import pytest
from simulate_kit import CHESS, make_web, page, write_files

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.step import PageStep
from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.cases import Case, CaseSettings, Laboratory, parse_strategy
from focuscrawl.lab.simulate.crawl import CrawlOptions, CrawlTrace, simulate
from focuscrawl.lab.simulate.pages import AnalysedPages
from focuscrawl.lab.simulate.recorded import RecordedWeb
from focuscrawl.lab.simulate.robots import RobotsFiles
from focuscrawl.lab.strategies.blind import DepthFirst
from focuscrawl.row_reasons import DUPLICATE


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_web(tmp_path / "tiny")


def crawl(
    root: Path, strategy: str = "breadth-first", *, pages: int = 100, seed: int = 0, **options: int
) -> CrawlTrace:
    web = RecordedWeb(root)
    spec = web.spec("chess", "portal")
    step = build_step(spec, choices=StepChoices(strategy=strategy, seed=seed))
    analysed = AnalysedPages(web.files, step.topic.tokenizer)
    return simulate(step, spec.seeds, analysed, options=CrawlOptions(pages, **options))


def test_breadth_first_one_page_at_a_time_is_the_order_of_the_link_graph(root: Path) -> None:
    laboratory = Laboratory(CaseSettings(obey_robots=False))
    expected = laboratory.yardstick(str(root), "chess", "portal").breadth_first
    trace = crawl(root, pipeline=1, batch=1, obey_robots=False)
    html = [p for p in expected if not p.endswith(".xml")]
    # hidden/ has no index file, so nobody gets there
    assert list(trace.order) == html
    assert trace.stopped == "exhausted"


def test_everything_is_fetched_once_whatever_the_pipeline(root: Path) -> None:
    orders = [crawl(root, pipeline=depth).order for depth in (1, 4, 64)]
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}
    assert all(len(order) == len(set(order)) == 24 for order in orders)


def test_the_budget_counts_pages_and_not_what_is_gone(root: Path) -> None:
    trace = crawl(root, pages=21, pipeline=2)
    assert (len(trace.order), trace.stopped) == (21, "budget")
    whole = crawl(root)
    # feed.xml, gone.test, hidden/ (robots)
    assert whole.gone == 3
    assert whole.requests == len(whole.order) + whole.gone
    assert len(whole.judged) == len(whole.relevant) == len(whole.predicted) == len(whole.order)


def test_robots_txt_is_obeyed_unless_told_otherwise(root: Path) -> None:
    write_files(root, {"club.test/hidden/index.html": page("Hidden", "secret")})
    assert "club.test/hidden/index.html" not in crawl(root).order
    assert "club.test/hidden/index.html" in crawl(root, obey_robots=False).order


def test_a_longer_delay_than_a_crawl_obeys_counts_as_the_longest(root: Path) -> None:
    asked = {"years.test": "1000000", "soon.test": "7", "never.test": "-3", "odd.test": "nan"}
    write_files(root, {f"{host}/robots.txt": f"User-agent: *\nCrawl-delay: {delay}\n" for host, delay in asked.items()})
    robots = RobotsFiles(RecordedWeb(root).files)
    assert {host: robots.delay_s(host) for host in asked} == {
        "years.test": 300.0,
        "soon.test": 7.0,
        "never.test": 0.0,
        "odd.test": 0.0,
    }


def test_pages_that_nearly_repeat_others_count_as_duplicates_as_in_a_crawl(root: Path) -> None:
    words = [f"{CHESS.split()[n % 30]} move{n}" for n in range(200)]
    copies = [" ".join([*words, *words[:n]]) for n in range(1, 4)]
    write_files(root, {f"club.test/copy/{n}.html": page("Chess copy", text) for n, text in enumerate(copies)})
    write_files(
        root,
        {
            "portal.test/index.html": page(
                "Sites", "Go.", [(f"http://club.test/copy/{n}.html", "chess") for n in range(3)]
            )
        },
    )
    web = RecordedWeb(root)
    spec = web.spec("chess", "portal")
    step = build_step(spec, choices=StepChoices(strategy="breadth-first"))
    simulate(step, spec.seeds, AnalysedPages(web.files, step.topic.tokenizer), options=CrawlOptions(10))
    assert step.counters.not_stored[DUPLICATE] == 2


def test_the_same_seed_gives_the_same_crawl_and_another_one_another(root: Path) -> None:
    first = crawl(root, "random", seed=1).order
    assert crawl(root, "random", seed=1).order == first
    assert crawl(root, "random", seed=2).order != first


def test_a_redirect_is_followed_and_its_target_judged(root: Path) -> None:
    trace = crawl(root)
    # /members has no file of that name: the server sends the crawler to /members/
    assert "club.test/members/index.html" in trace.judged


def test_relevant_pages_are_told_from_others(root: Path) -> None:
    trace = crawl(root)
    verdicts = dict(zip(trace.judged, trace.relevant, strict=True))
    assert all(verdicts[f"club.test/chess/{n}.html"] for n in range(6))
    assert not any(verdicts[f"kitchen.test/dish/{n}.html"] for n in range(12))


def test_a_case_measures_what_the_crawl_found(root: Path) -> None:
    laboratory = Laboratory(CaseSettings(budget_floor=10, budget_factor=1, judge="labels", pipeline=1))
    result = laboratory.run(Case(str(root), "chess", "far", "keyword-first"))
    assert (result.relevant, result.budget, result.fetched) == (6, 10, 10)
    assert (result.judge_precision, result.judge_recall) == (1.0, 1.0)
    assert (result.hosts, result.hosts_relevant) == (1, 1)
    assert 0.5 < result.vs_oracle <= 1.0
    assert result.recall == result.curve[-1]
    assert result.curve[0] == 0.0
    assert len(result.curve) == 101
    best = laboratory.run(Case(str(root), "chess", "far", "oracle"))
    assert best.vs_oracle == 1.0
    assert best.recall == 1.0
    assert best.ece is None
    assert result.as_row()["vs_oracle"] == round(result.vs_oracle, 4)


def test_options_of_a_strategy_reach_it(root: Path) -> None:
    laboratory = Laboratory(CaseSettings(budget_floor=10))
    with pytest.raises(Exception, match="no_such_option"):
        laboratory.run(Case(str(root), "chess", "far", "rwb:no_such_option=1"))


def test_a_part_that_is_no_plug_in_is_put_into_the_step_before_the_crawl(root: Path) -> None:
    def prepare(step: PageStep) -> None:
        step.ranker = DepthFirst()

    settings = CaseSettings(budget_floor=10, budget_factor=1, pipeline=1)
    case = Case(str(root), "chess", "portal", "breadth-first")
    wanted = Laboratory(settings).crawl(Case(str(root), "chess", "portal", "depth-first")).order
    assert Laboratory(settings).crawl(case).order != wanted
    assert Laboratory(settings, prepare=prepare).crawl(case).order == wanted


def test_strategy_spelling() -> None:
    assert parse_strategy("rwb") == ("rwb", {})
    assert parse_strategy("a:x=1:y=true:z=word") == ("a", {"x": 1, "y": True, "z": "word"})
    with pytest.raises(ConfigError, match="expected name:option=value, found 'x'"):
        parse_strategy("a:x")
    with pytest.raises(ConfigError, match="judge 'nobody' is unknown"):
        CaseSettings(judge="nobody")


def test_a_host_that_asks_for_a_delay_gets_it_and_better_links_are_waited_for(root: Path) -> None:
    write_files(root, {"club.test/robots.txt": "User-agent: *\nCrawl-delay: 10\n"})

    def found(wait_per_page_s: float) -> tuple[int, float]:
        web = RecordedWeb(root)
        spec = web.spec("chess", "portal").model_copy(
            update={"seeds": ("http://kitchen.test/", "http://club.test/archive/")}
        )
        step = build_step(spec, choices=StepChoices(strategy="keyword-first"))
        analysed = AnalysedPages(web.files, step.topic.tokenizer)
        options = CrawlOptions(10, pipeline=4, wait_per_page_s=wait_per_page_s)
        trace = simulate(step, spec.seeds, analysed, options=options)
        return sum(page.startswith("club.test/chess/") for page in trace.order), trace.seconds

    hasty, seconds = found(0.0)
    assert hasty == 0
    assert seconds < 10.0
    patient, seconds = found(10.0)
    assert patient >= 4
    assert 40.0 <= seconds <= 120.0
