from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from simulate_kit import make_web
from typer import Typer
from typer.testing import CliRunner

from focuscrawl.cli.evaluate import evaluate
from focuscrawl.cli.main import run
from focuscrawl.errors import ConfigError, PluginError
from focuscrawl.lab.simulate.cases import CaseResult, CaseSettings
from focuscrawl.lab.simulate.comparison import bootstrap_interval, differences, leave_one_web_out, means, shortfalls
from focuscrawl.lab.simulate.experiment import Experiment, load_results, run_experiment, save_results
from focuscrawl.lab.simulate.tables import (
    difference_table,
    figure_rows,
    spread_rows,
    summary_table,
    text_table,
    topic_table,
)


def result(strategy: str, topic: str, start: str, seed: int, value: float) -> CaseResult:
    return CaseResult(
        "w", topic, start, strategy, seed, 5, 1500, 1500, value, value, value, value, value, 0.1, 1.0, 1, 2
    )


RESULTS = [
    result("a", "t1", "near", 0, 0.2),
    result("a", "t1", "near", 1, 0.4),
    result("a", "t2", "near", 0, 0.5),
    result("a", "t1", "far", 0, 0.1),
    result("b", "t1", "near", 0, 0.6),
    result("b", "t2", "near", 0, 0.7),
    result("b", "t1", "far", 0, 0.4),
]


def test_seeds_are_averaged_before_topics() -> None:
    found = means(RESULTS, "vs_oracle")
    assert found["a", "near"] == pytest.approx((0.3 + 0.5) / 2)
    assert found["b", "near"] == pytest.approx(0.65)
    # t2 was not crawled from "far": only t1 has all starts
    assert found["b", "all"] == pytest.approx((0.6 + 0.4) / 2)


def test_differences_are_paired_by_topic() -> None:
    near, far, both = differences(RESULTS, "a")
    assert (near.strategy, near.against, near.start, near.topics, near.wins) == ("b", "a", "near", 2, 2)
    assert near.mean == pytest.approx((0.3 + 0.2) / 2)
    assert near.low == pytest.approx(0.2)
    assert near.high == pytest.approx(0.3)
    assert not near.certain  # two topics prove nothing
    assert replace(near, topics=6).certain
    assert (far.start, both.start) == ("far", "all")
    text = difference_table([near, far, both])
    assert "b - a" in text
    assert "+0.250" in text
    assert "[+0.200, +0.300]" in text


def on(web: str, strategy: str, topic: str, value: float, start: str = "near") -> CaseResult:
    return replace(result(strategy, topic, start, 0, value), web=web)


def test_shortfalls_are_topics_below_a_share_of_the_best() -> None:
    results = [
        *(on("w", "ours", topic, value) for topic, value in (("t1", 0.5), ("t2", 0.2), ("t3", 0.05))),
        *(on("w", "other", topic, value) for topic, value in (("t1", 0.9), ("t2", 0.41), ("t3", 0.2))),
        on("w", "oracle", "t1", 1.0),  # 0.5 is half of that, but nobody has to be an oracle
        on("w", "third", "t3", 0.15),
    ]
    found = shortfalls(results, "ours")
    assert [(s.topic, s.value, s.best, s.best_value) for s in found] == [
        ("t3", 0.05, "other", 0.2),
        ("t2", 0.2, "other", 0.41),
    ]
    assert [s.topic for s in shortfalls(results, "ours", share=0.6)] == ["t3", "t2", "t1"]
    assert [(s.topic, s.best) for s in shortfalls(results, "ours", rivals=["third"])] == [("t3", "third")]
    assert shortfalls(results, "other") == []


def test_settings_chosen_on_one_web_are_reported_on_the_others() -> None:
    values = {  # web -> (v1, v2): v1 is best on the first web, v2 on the other two
        "a": (0.6, 0.5),
        "b": (0.3, 0.5),
        "c": (0.2, 0.6),
    }
    results = [on(web, f"v{i + 1}", "t", value[i]) for web, value in values.items() for i in range(2)]
    found = {(h.chosen_on, h.start): h for h in leave_one_web_out(results, ["v1", "v2"])}
    assert set(found) == {(web, start) for web in "abc" for start in ("near", "all")}
    first, second = found["a", "near"], found["b", "near"]
    assert (first.strategy, first.there) == ("v1", 0.6)
    assert first.elsewhere == pytest.approx((0.3 + 0.2) / 2)
    assert first.best_elsewhere == pytest.approx((0.5 + 0.6) / 2)
    assert (second.strategy, second.there) == ("v2", 0.5)
    assert second.elsewhere == second.best_elsewhere == pytest.approx((0.5 + 0.6) / 2)
    assert leave_one_web_out([r for r in results if r.web == "a"], ["v1", "v2"]) == []


def test_bootstrap_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).normal(0.1, 0.2, 19)
    low, high = bootstrap_interval(values)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(0))
    assert low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=0.01)
    assert bootstrap_interval(values) == (low, high)


def test_tables() -> None:
    assert text_table(["名", "n"], [["中文", "1"], ["x", "20"]]).splitlines() == [
        "名     n",
        "----  --",
        "中文   1",
        "x     20",
    ]
    summary = summary_table(RESULTS).splitlines()
    assert [line.split()[0] for line in summary[2:4]] == ["b", "a"]
    head, rows = figure_rows(RESULTS)
    figures = dict(zip(head, rows[0], strict=True))
    assert (figures["strategy"], figures["hosts"], figures["of all"], figures["CPU ms"]) == ("b", "1.0", "0.500", "-")
    timed = [replace(r, cpu_ms_per_page=1.25) for r in RESULTS]
    assert dict(zip(head, figure_rows(timed)[1][0], strict=True))["CPU ms"] == "1.25"
    assert "w t1 near" in topic_table(RESULTS)


def without_time(results: list[CaseResult]) -> list[CaseResult]:
    return [replace(r, cpu_ms_per_page=0.0) for r in results]


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    root = make_web(tmp_path / "tiny")
    return Experiment(
        [str(root)], ["oracle", "random", "breadth-first"], seeds=2, settings=CaseSettings(budget_floor=12)
    )


def test_processes_change_nothing(experiment: Experiment) -> None:
    alone = run_experiment(experiment)
    assert [(r.start, r.strategy, r.seed) for r in alone[:4]] == [
        ("near", "oracle", 0),
        ("near", "random", 0),
        ("near", "random", 1),
        ("near", "breadth-first", 0),
    ]
    assert len(alone) == 15
    assert without_time(run_experiment(experiment, jobs=2)) == without_time(alone)


def test_results_can_be_kept(experiment: Experiment, tmp_path: Path) -> None:
    results = run_experiment(experiment)
    save_results(tmp_path / "results.json", experiment, results)
    again = load_results(tmp_path / "results.json")
    assert [r.as_row() for r in again] == [r.as_row() for r in results]
    (tmp_path / "other.json").write_text("[1]")
    with pytest.raises(ConfigError, match="holds no results"):
        load_results(tmp_path / "other.json")


def test_unknown_names_are_refused_before_anything_is_crawled(experiment: Experiment) -> None:
    with pytest.raises(ConfigError, match="no web given has the topic go"):
        run_experiment(replace(experiment, topics=["go"]))
    with pytest.raises(ConfigError, match="start 'middle' is unknown"):
        run_experiment(replace(experiment, starts=["middle"]))


@pytest.fixture
def app() -> Typer:
    typer_app = Typer()
    typer_app.command()(evaluate)
    return typer_app


def test_command_prints_tables_and_writes_json(app: Typer, tmp_path: Path) -> None:
    root = make_web(tmp_path / "tiny")
    out = tmp_path / "out.json"
    arguments = [str(root), "--strategies", "breadth-first,keyword-first", "--starts", "far", "--budget-floor", "12"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(out), "--by-topic"])
    assert done.exit_code == 0, done.output
    assert "keyword-first - breadth-first" in done.stdout
    assert "oracle" in done.stdout
    assert len(json.loads(out.read_text())["results"]) == 3
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert {row["strategy"] for row in json.loads(done.stdout)["results"]} == {
        "oracle",
        "breadth-first",
        "keyword-first",
    }


@pytest.mark.parametrize("name", ["keyword-frist", "keyword-frist:words=false", "as-crawled"])
def test_a_strategy_that_does_not_exist_is_wrong_usage_before_the_others_crawl(
    app: Typer, tmp_path: Path, name: str
) -> None:
    root, out = make_web(tmp_path / "tiny"), tmp_path / "out.json"
    arguments = [str(root), "--strategies", f"breadth-first,{name}", "--out", str(out)]
    with pytest.raises(PluginError, match=r"unknown strategy; known: .*keyword-first") as raised:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert raised.value.exit_code == 2
    assert not out.exists()


def test_command_makes_webs_with_knobs(app: Typer) -> None:
    knobs = "hosts=5,articles=12,trap_pages=5,topics=1,topical_share=0.4,stray=0"
    arguments = ["--generate", knobs, "--strategies", "random", "--starts", "portal", "--budget-floor", "30", "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["results"]
    assert [(r["web"], r["strategy"], r["hosts_relevant"]) for r in rows] == [
        ("hosts-5-articles-12-trap-pages-5-topics-1-topical-share-0.4-stray-0", name, 2)
        for name in ("oracle", "random")
    ]
    assert rows[1]["cpu_ms_per_page"] > 0.0
    assert CliRunner().invoke(app, []).exit_code == 2


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int | str | None, str]:
    """Return exit code and standard error of an evaluation that makes no crawl."""
    with pytest.raises(SystemExit) as ended:
        run(["evaluate", *arguments])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "vs_oracle" not in printed.err, "no crawl was made"
    return ended.value.code, printed.err


def test_command_says_what_is_wrong_as_all_commands_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert refused(capsys, "--generate", "hosts=1") == (2, "hosts = 1: must be 3 or more\n")
    nothing = tmp_path / "nothing"
    assert refused(capsys, str(nothing)) == (1, f"{nothing}: no such folder or archive\n")
    (file := tmp_path / "file").touch()
    code, error = refused(capsys, str(make_web(tmp_path / "tiny")), "--cache", str(file))
    assert (code, error.count("\n")) == (1, 1)
    assert error.endswith(": not a directory.\n")


def test_an_option_that_a_strategy_has_not_is_wrong_usage_before_the_crawls(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root = str(make_web(tmp_path / "tiny"))
    for strategy, told in (
        ("best-first:nope=1", 'strategy "best-first": unknown option "nope"; known: batch.'),
        ("apprentice:look=3", 'strategy "apprentice": option look = 3: expected true or false.'),
    ):
        given = ["--strategies", f"breadth-first,{strategy}"]
        assert refused(capsys, root, *given) == (2, f"--strategies {strategy}: {told}\n")


def test_targets_that_cannot_be_written_are_refused_before_the_crawls(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root = str(make_web(tmp_path / "tiny"))
    for option, told in (
        (["--out", str(tmp_path / "none" / "out.json")], f"there is no folder {tmp_path / 'none'}"),
        (["--picture", str(tmp_path / "none" / "a.png")], f"there is no folder {tmp_path / 'none'}"),
    ):
        code, error = refused(capsys, root, *option)
        assert code == 1
        assert told in error


def test_a_picture_of_an_unknown_kind_is_refused_before_the_crawls(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    code, error = refused(capsys, str(make_web(tmp_path / "tiny")), "--picture", str(tmp_path / "a.docx"))
    assert code == 2
    assert "cannot be written as a picture; expected a name that ends with ." in error


def test_picture(experiment: Experiment, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from focuscrawl.lab.simulate.picture import draw_curves

    results = run_experiment(experiment)
    draw_curves(results, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ConfigError, match="cannot be written as a picture"):
        draw_curves(results, tmp_path / "curves.docx")


def test_the_spread_between_orders_and_the_worst_of_them_are_told() -> None:
    cases = [("t1", (0.9, 0.7)), ("t2", (0.5, 0.5))]
    orders = [result("a", topic, "near", seed, v) for topic, values in cases for seed, v in enumerate(values)]
    head, rows = spread_rows([replace(r, seconds=90.0) for r in orders])
    assert dict(zip(head, rows[0], strict=True)) == {
        "strategy": "a",
        "start": "near",
        "cases": "2",
        "mean": "0.650",
        "sd": "0.050",
        "worst": "0.600",
        "widest": "0.100",
        "least": "0.500",
        "minutes": "1.5",
    }
    assert "widest" in summary_table(orders)
    assert "widest" not in summary_table([r for r in orders if not r.seed])
